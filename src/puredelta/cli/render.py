"""The same answers as text for people or as JSON for programs."""

import base64
import datetime
import decimal
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import click
import pyarrow as pa
from rich.console import Console
from rich.table import Table
from rich.text import Text

# A table that is piped into a file or a pager is not cut to a terminal's 80 columns.
_PIPED_WIDTH = 200

_SEVERITIES = {"error": "bold red", "warning": "yellow", "info": "dim"}


def print_history(commits: Sequence[Mapping[str, Any]], *, as_json: bool) -> None:
    """Print commits, one a row."""
    if as_json:
        _print_json(commits)
        return
    table = _table("version", "time", "operation", "parameters", "metrics", "engine")
    for commit in commits:
        table.add_row(
            _cell(commit.get("version")),
            _cell(commit.get("timestamp")),
            _cell(commit.get("operation")),
            _pairs(commit.get("operationParameters")),
            _pairs(commit.get("operationMetrics")),
            _cell(commit.get("engineInfo")),
        )
    _console().print(table)


def print_detail(detail: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the facts of a table, one a line."""
    if as_json:
        _print_json(detail)
        return
    table = _table("", "")
    for key, value in detail.items():
        shown = f"{value:,}" if isinstance(value, int) else _pairs(value)
        table.add_row(Text(key, style="bold"), shown)
    _console().print(table)


def print_rows(rows: pa.Table, what: str, *, limit: int | None, as_json: bool) -> None:
    """Print rows of an Arrow table.

    Args:
        rows: The rows.
        what: What they are, for the line that says how many are left out.
        limit: How many to print; None for all.
        as_json: Print JSON in place of a table.
    """
    shown = rows if limit is None else rows.slice(0, limit)
    if as_json:
        _print_json(shown.to_pylist())
        return
    names = _worth_showing(shown)
    table = _table(*names)
    for row in shown.select(names).to_pylist():
        table.add_row(*(_pairs(row[name]) for name in names))
    console = _console()
    console.print(table)
    if shown.num_rows < rows.num_rows:
        console.print(f"{shown.num_rows:,} of {rows.num_rows:,} {what}")


def print_protocol(features: pa.Table, *, as_json: bool) -> None:
    """Print a protocol: its versions, then a feature a row."""
    first = features.slice(0, 1).to_pylist()[0]
    reader, writer = first["min_reader_version"], first["min_writer_version"]
    rows = features.drop_columns(["min_reader_version", "min_writer_version"])
    rows = rows.filter(rows["feature"].is_valid())
    if as_json:
        versions = {"minReaderVersion": reader, "minWriterVersion": writer}
        _print_json(versions | {"features": rows.to_pylist()})
        return
    _console().print(f"reader version {reader}, writer version {writer}")
    if rows.num_rows:
        print_rows(rows, "features", limit=None, as_json=False)


def _worth_showing(rows: pa.Table) -> list[str]:
    """Leave out columns without a value, and the JSON of statistics, which is for programs."""
    return [
        name
        for name in rows.column_names
        if name != "stats" and (rows[name].null_count < rows.num_rows or not rows.num_rows)
    ]


def print_report(report: Mapping[str, Any], *, as_json: bool) -> None:
    """Print what `doctor` found."""
    if as_json:
        _print_json(report)
        return
    console = _console()
    facts = _table("", "")
    for name, version in report["versions"].items():
        facts.add_row(Text(name, style="bold"), _cell(version) if version else "not found")
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
    """Print what `check` found."""
    if as_json:
        _print_json(report)
        return
    console, findings = _console(), report["findings"]
    if findings:
        table = _table("severity", "code", "file", "what")
        for found in findings:
            severity = Text(found["severity"], style=_SEVERITIES[found["severity"]])
            # Names of files may look like markup.
            table.add_row(severity, found["code"], Text(found["file"]), Text(found["text"]))
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
    """Print what a conversion did, or would do."""
    if as_json:
        _print_json(report)
    else:
        click.echo(text)


def _table(*headers: str) -> Table:
    table = Table(box=None, show_header=any(headers), pad_edge=False, header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold")
    return table


def _cell(value: object) -> str:
    """Show a value as it would stand in a result; null is shown as nothing."""
    return "" if value is None else str(_plain(value))


def _pairs(value: object) -> str:
    """Show a map as `key=value` and a list as its items, both without quotes."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={_cell(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_cell(item) for item in value)
    return _cell(value)


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, default=_plain, indent=2 if sys.stdout.isatty() else None))


def _plain(value: object) -> object:
    """Turn what JSON has no form for into text."""
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value if isinstance(value, str | int | float | bool) else str(value)
