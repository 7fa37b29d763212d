"""Results of commands, as text for people or as JSON for programs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from rich.table import Table
from rich.text import Text

from puredelta._util.printable_text import printable
from puredelta.cli.output.cells import cell, pairs, print_json, printable_lines
from puredelta.cli.output.listing import (
    JSON,
    TABLE,
    Listing,
    left_out,
    print_listing,
    table_pieces,
)
from puredelta.cli.output.table_text import table_of
from puredelta.cli.output.terminal import rendered, show, width

# A table that is piped into a file or a pager is not cut to a terminal's 80 columns.
_PIPED_WIDTH = 200
_NO_WIDTH = 100_000

# `columns` has a table of its own below the facts; `schema` is for JSON only.
_NO_FACTS = frozenset({"columns", "schema"})

_SEVERITIES = {"error": "bold red", "warning": "yellow", "info": "dim"}

_COMMITS = {
    "version": "version",
    "timestamp": "time",
    "operation": "operation",
    "operationParameters": "parameters",
    "operationMetrics": "metrics",
    "engineInfo": "engine",
}
"""What the table of commits has, and how it calls it."""


def print_history(commits: Sequence[Mapping[str, Any]], total: int, form: str) -> None:
    """Print commits, one a row.

    Args:
        commits: The commits.
        total: How many there are.
        form: The format.
    """
    names = list(dict.fromkeys(name for commit in commits for name in commit)) or list(_COMMITS)
    listing = Listing(
        names=names,
        rows=commits,
        shown=list(_COMMITS),
        headers=_COMMITS,
        folds=True,
        note=lambda: left_out(len(commits), total, "commits"),
    )
    print_listing(listing, form)


def print_detail(detail: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the facts of a table, one a line, then its columns; the schema is left to JSON."""
    if as_json:
        print_json(detail)
        return
    facts = table_of("", "")
    for key, value in detail.items():
        if key not in _NO_FACTS:
            shown = f"{value:,}" if isinstance(value, int) else pairs(value)
            facts.add_row(Text(key, style="bold"), Text(shown))
    show(_facts_and_columns(facts, detail.get("columns") or ()))


def print_columns(columns: Sequence[Mapping[str, Any]], form: str) -> None:
    """Print the columns of a table, one a row."""
    print_listing(_columns(columns, is_for_people=form == TABLE), form)


def _facts_and_columns(facts: Table, columns: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield _text(facts)
    if columns:
        yield "\n"
        yield from table_pieces(_columns(columns, is_for_people=True))


def _columns(columns: Sequence[Mapping[str, Any]], *, is_for_people: bool) -> Listing:
    names = ["name", "type", "nullable", "partition", "comment"]
    has_comments = any(column["comment"] for column in columns)
    words = {True: "yes", False: "no"}
    rows = [
        {**column, "nullable": words[column["nullable"]]} if is_for_people else column
        for column in columns
    ]
    return Listing(
        names=names,
        rows=rows,
        shown=names if has_comments else names[:-1],
        headers={"name": "column"},
        folds=True,
    )


def print_protocol(features: pa.Table, form: str) -> None:
    """Print a protocol: its versions, then a feature a row."""
    first = features.slice(0, 1).to_pylist()[0]
    reader, writer = first["min_reader_version"], first["min_writer_version"]
    rows = features.drop_columns(["min_reader_version", "min_writer_version"])
    rows = rows.filter(rows["feature"].is_valid())
    listing = Listing(names=rows.column_names, batches=rows.to_batches(), folds=True)
    if form == JSON:
        # Every row has the versions; in JSON they are written once, under the names of the log.
        versions = {"minReaderVersion": reader, "minWriterVersion": writer}
        print_json(versions | {"features": rows.to_pylist()})
    elif form == TABLE:
        versions_line = f"reader version {reader}, writer version {writer}\n"
        show([versions_line, *(table_pieces(listing) if rows.num_rows else ())])
    else:
        print_listing(listing, form)


def print_report(report: Mapping[str, Any], *, as_json: bool) -> None:
    """Print the report of `doctor`."""
    if as_json:
        print_json(report)
    else:
        show(_report_text(report))


def _report_text(report: Mapping[str, Any]) -> Iterator[str]:
    facts = table_of("", "")
    for name, version in report["versions"].items():
        facts.add_row(Text(name, style="bold"), cell(version) if version else "not found")
    cache = report["cache"]
    kept = f"{len(cache['jars'])} compiled, {cache['bytes']:,} bytes"
    facts.add_row(Text("Adapter cache", style="bold"), f"{cache['folder']}: {kept}")
    for store in report["objectStores"]:
        spark = "ready" if store["spark"] else f"needs spark.jars.packages={store['package']}"
        facts.add_row(Text(store["schemes"], style="bold"), f"log: ready; Spark: {spark}")
    yield _text(facts)
    for problem in report["problems"]:
        yield _unfolded(Text.assemble(("problem: ", "bold red"), problem["problem"]))
        yield _unfolded(Text.assemble(("  remedy: ", "bold"), problem["remedy"]))
    if not report["problems"]:
        yield _text(Text("no problem found", style="bold green"))


def print_check(report: Mapping[str, Any], examples: int, form: str) -> None:
    """Print the findings of `check`.

    Args:
        report: The report, as `table.check.finding.Report.as_dict` has it.
        examples: How many findings of a kind the table for people has; 0 for all.
        form: The format.
    """
    if form == JSON:
        print_json(report)
    elif form == TABLE:
        show(_check_text(report, examples))
    else:
        names = ["severity", "code", "file", "text"]
        print_listing(Listing(names=names, rows=report["findings"]), form)


def _check_text(report: Mapping[str, Any], examples: int) -> Iterator[str]:
    findings = report["findings"]
    kinds: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for found in findings:
        kinds.setdefault((found["severity"], found["code"]), []).append(found)
    for (severity, code), of_kind in kinds.items():
        count = f", {_counted(len(of_kind), 'finding')}"
        yield _unfolded(
            Text.assemble((f"{severity}: ", _SEVERITIES[severity]), (code, "bold"), count)
        )
        for found in of_kind[: examples or None]:
            where = printable(found["file"])
            lines = printable_lines(found["text"]).replace("\n", "\n    ")
            yield f"  {where}: {lines}\n" if where else f"  {lines}\n"
        if examples and len(of_kind) > examples:
            left = len(of_kind) - examples
            yield f"  and {left:,} more; --examples N for more, --examples 0 for all\n"
    where = f"version {report['version']} with {_counted(report['files'], 'file')}: "
    if report["sound"]:
        yield _unfolded(Text(f"{where}sound", style="bold green"))
    else:
        numbers = Counter(found["severity"] for found in findings)
        counts = ", ".join(_counted(numbers[kind], kind) for kind in ("error", "warning"))
        yield _unfolded(Text(f"{where}{counts}", style="bold red"))


def _counted(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def print_conversion(report: Mapping[str, Any], text: str, *, as_json: bool) -> None:
    """Print the report of a conversion, or of its dry run."""
    if as_json:
        print_json(report)
    else:
        show([f"{printable_lines(text)}\n"])


def _text(what: Table | Text) -> str:
    return rendered(what, width() or _PIPED_WIDTH)


def _unfolded(text: Text) -> str:
    """Return a line that the terminal breaks, so that commands in it can be copied."""
    return rendered(text, _NO_WIDTH)
