"""Results of commands, as text for people or as JSON for programs."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import click
import pyarrow as pa
from rich.console import Console
from rich.table import Table
from rich.text import Text

from puredelta.cli.cells import cell, pairs, print_json, printable, printable_lines
from puredelta.cli.pages import print_rows

# A table that is piped into a file or a pager is not cut to a terminal's 80 columns.
_PIPED_WIDTH = 200

# `columns` has a table of its own below the facts; `schema` is for JSON only.
_NO_FACTS = frozenset({"columns", "schema"})

_SEVERITIES = {"error": "bold red", "warning": "yellow", "info": "dim"}


def print_history(commits: Sequence[Mapping[str, Any]], *, as_json: bool) -> None:
    """Print commits, one a row."""
    if as_json:
        print_json(commits)
        return
    table = _table("version", "time", "operation", "parameters", "metrics", "engine")
    for commit in commits:
        cells = [
            cell(commit.get("version")),
            cell(commit.get("timestamp")),
            cell(commit.get("operation")),
            pairs(commit.get("operationParameters")),
            pairs(commit.get("operationMetrics")),
            cell(commit.get("engineInfo")),
        ]
        # Names and parameters come from other writers, and may look like markup of rich.
        table.add_row(*map(Text, cells))
    _console().print(table)


def print_detail(detail: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the facts of a table, one a line, then its columns; the schema is left to JSON."""
    if as_json:
        print_json(detail)
        return
    facts = _table("", "")
    for key, value in detail.items():
        if key not in _NO_FACTS:
            shown = f"{value:,}" if isinstance(value, int) else pairs(value)
            facts.add_row(Text(key, style="bold"), Text(shown))
    console = _console()
    console.print(facts)
    if columns := detail.get("columns"):
        console.print()
        console.print(_columns_table(columns))


def print_columns(columns: Sequence[Mapping[str, Any]], *, as_json: bool) -> None:
    """Print the columns of a table, one a row."""
    if as_json:
        print_json(columns)
    else:
        _console().print(_columns_table(columns))


def _columns_table(columns: Sequence[Mapping[str, Any]]) -> Table:
    has_comments = any(column["comment"] for column in columns)
    table = _table(
        "column", "type", "nullable", "partition", *(["comment"] if has_comments else [])
    )
    for column in columns:
        cells = [cell(column["name"]), cell(column["type"])]
        cells += ["yes" if column["nullable"] else "no", cell(column["partition"])]
        if has_comments:
            cells.append(cell(column["comment"]))
        # Names and comments may look like markup.
        table.add_row(*map(Text, cells))
    return table


def print_protocol(features: pa.Table, *, as_json: bool) -> None:
    """Print a protocol: its versions, then a feature a row."""
    first = features.slice(0, 1).to_pylist()[0]
    reader, writer = first["min_reader_version"], first["min_writer_version"]
    rows = features.drop_columns(["min_reader_version", "min_writer_version"])
    rows = rows.filter(rows["feature"].is_valid())
    if as_json:
        # Every row has the versions; in JSON they are written once, under the names of the log.
        versions = {"minReaderVersion": reader, "minWriterVersion": writer}
        print_json(versions | {"features": rows.to_pylist()})
        return
    _console().print(f"reader version {reader}, writer version {writer}")
    if rows.num_rows:
        print_rows(rows, "features", limit=None, as_json=False)


def print_report(report: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the report of `doctor`."""
    if as_json:
        print_json(report)
        return
    console = _console()
    facts = _table("", "")
    for name, version in report["versions"].items():
        facts.add_row(Text(name, style="bold"), cell(version) if version else "not found")
    cache = report["cache"]
    kept = f"{len(cache['jars'])} compiled, {cache['bytes']:,} bytes"
    facts.add_row(Text("Adapter cache", style="bold"), f"{cache['folder']}: {kept}")
    for store in report["objectStores"]:
        spark = "ready" if store["spark"] else f"needs spark.jars.packages={store['package']}"
        facts.add_row(Text(store["schemes"], style="bold"), f"log: ready; Spark: {spark}")
    console.print(facts)
    for problem in report["problems"]:
        console.print(
            Text("problem: ", style="bold red") + Text(problem["problem"]), soft_wrap=True
        )
        console.print(Text("  remedy: ", style="bold") + Text(problem["remedy"]), soft_wrap=True)
    if not report["problems"]:
        console.print(Text("no problem found", style="bold green"))


def print_check(report: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the findings of `check`."""
    if as_json:
        print_json(report)
        return
    console, findings = _console(), report["findings"]
    if findings:
        table = _table("severity", "code", "file", "what")
        for found in findings:
            severity = Text(found["severity"], style=_SEVERITIES[found["severity"]])
            # Names of files may look like markup.
            file, what = Text(printable(found["file"])), Text(printable_lines(found["text"]))
            table.add_row(severity, found["code"], file, what)
        console.print(table)
    where = f"version {report['version']} with {report['files']:,} files: "
    if report["sound"]:
        console.print(Text(f"{where}sound", style="bold green"))
    else:
        numbers = Counter(found["severity"] for found in findings)
        text = f"{where}{numbers['error']:,} errors, {numbers['warning']:,} warnings"
        console.print(Text(text, style="bold red"))


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else _PIPED_WIDTH, highlight=False)


def print_conversion(report: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    """Print the report of a conversion, or of its dry run."""
    if as_json:
        print_json(report)
    else:
        click.echo(printable_lines(text))


def _table(*headers: str) -> Table:
    table = Table(box=None, show_header=any(headers), pad_edge=False, header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold")
    return table
