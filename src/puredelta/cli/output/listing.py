"""Rows that a command prints: as a table for people, as JSON, as lines of JSON or as CSV.

Rows are printed page by page, so that neither the rows as Python objects nor the text of all of
them is ever in memory. Only the table has a bound, unless a limit is given: programs get all.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import click
import msgspec
import pyarrow as pa
from pyarrow import csv

from puredelta.cli.output.arrow_pages import PAGE, Columns, are_plain, pages_for_csv, pages_of
from puredelta.cli.output.cells import json_line, json_text, printable_lines
from puredelta.cli.output.table_text import table_text
from puredelta.cli.output.terminal import is_terminal, show

Row: TypeAlias = Mapping[str, Any]

TABLE, JSON, LINES, CSV = FORMATS = ("table", "json", "ndjson", "csv")

MOST_ROWS = 1000
"""How many rows a table for people has, unless a limit is given."""

_HEADERS = {
    "modification_time": "modified",
    "num_records": "rows",
    "num_deleted": "deleted",
    "num_deleted_before": "deleted before",
    "num_files": "files",
    "smallest_file": "smallest",
    "largest_file": "largest",
}
"""Short names of columns, so that a table fits on a terminal."""


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Rows to be printed: of Arrow, or as mappings.

    Attributes:
        names: The columns.
        batches: The rows, where they are of Arrow.
        rows: The rows, where they are mappings.
        is_plain: Whether all values are texts, integers, booleans, or made of these.
        shown: The columns of the table for people; None for all.
        headers: Other names of columns in the table for people.
        folds: Whether long values of a table are folded on a terminal, and not cut.
        note: Returns a sentence that follows the table; asked when the last row is printed.
    """

    names: Sequence[str]
    batches: Iterable[pa.RecordBatch] = ()
    rows: Sequence[Row] = ()
    is_plain: bool = False
    shown: Sequence[str] | None = None
    headers: Mapping[str, str] | None = None
    folds: bool = False
    note: Callable[[], str | None] = lambda: None

    def columns(self, names: Sequence[str], *, is_for_people: bool = False) -> Iterator[Columns]:
        """Yield the rows, some at a time: the values of some columns."""
        batches = (batch.select(list(names)) for batch in self.batches)
        yield from pages_of(batches, is_for_people=is_for_people)
        for start in range(0, len(self.rows), PAGE):
            page = self.rows[start : start + PAGE]
            yield [[row.get(name) for row in page] for name in names]


def listing_of(rows: pa.Table, what: str, *, limit: int | None, form: str) -> Listing:
    """List rows of an Arrow table.

    Columns without a value, and the JSON of statistics, are not in the table for people.

    Args:
        rows: The rows.
        what: What they are, for the line that says how many are left out.
        limit: How many to print; 0 for all, None for as many as the format has.
        form: The format.
    """
    most = bound(limit, form)
    shown = rows if most is None else rows.slice(0, most)
    return Listing(
        names=rows.column_names,
        batches=shown.to_batches(),
        is_plain=are_plain(rows.schema.types),
        shown=_worth_showing(shown),
        headers=_HEADERS,
        note=lambda: left_out(shown.num_rows, rows.num_rows, what),
    )


def print_listing(listing: Listing, form: str) -> None:
    """Print rows.

    Args:
        listing: The rows.
        form: One of `FORMATS`.
    """
    match form:
        case "json":
            show(_json(listing))
        case "ndjson":
            show(_lines(listing))
        case "csv":
            show(_csv(listing))
        case _:
            show(table_pieces(listing))


def table_pieces(listing: Listing) -> Iterator[str]:
    """Yield the text of a table for people, page by page, and what is left out of it."""
    names = listing.names if listing.shown is None else listing.shown
    headers = [(listing.headers or {}).get(name, name) for name in names]
    pages = listing.columns(names, is_for_people=True)
    yield from table_text(headers, pages, folds=listing.folds)
    note = listing.note()
    if note and is_terminal():
        yield f"{note}\n"
    elif note:
        # A program that reads the rows takes each line for one.
        click.echo(note, err=True)


def bound(limit: int | None, form: str) -> int | None:
    """Return how many rows are printed at most; None for all.

    Args:
        limit: What the command line says: 0 for all, None for nothing.
        form: The format; only the table for people has a bound of its own.
    """
    if limit is None:
        return MOST_ROWS if form == TABLE else None
    return limit or None


def left_out(shown: int, total: int, what: str) -> str | None:
    """Return the sentence that says how many rows are not printed; None where all are."""
    if shown >= total:
        return None
    return f"{shown:,} of {total:,} {what}; --limit N for more, --limit 0 for all"


def _worth_showing(rows: pa.Table) -> list[str]:
    return [
        name
        for name in rows.column_names
        if name != "stats" and (rows[name].null_count < rows.num_rows or not rows.num_rows)
    ]


# ------------------------------------------------------------------------------------- the formats


def row_pages(listing: Listing) -> Iterator[list[Row]]:
    """Yield rows by the names of their columns, some at a time."""
    for start in range(0, len(listing.rows), PAGE):
        yield list(listing.rows[start : start + PAGE])
    for columns in pages_of(listing.batches):
        yield [dict(zip(listing.names, row, strict=True)) for row in zip(*columns, strict=True)]


def _json(listing: Listing) -> Iterator[str]:
    before = "["
    for page in row_pages(listing):
        if is_terminal():
            # Without its brackets a page is a part of the whole list.
            yield before + json_text(page)[1:-1].rstrip("\n")
            before = ","
        else:
            yield before + ",\n".join(_encoded(page, listing))
            before = ",\n"
    yield "[]\n" if before == "[" else "\n]\n"


def _lines(listing: Listing) -> Iterator[str]:
    for page in row_pages(listing):
        yield "".join(f"{line}\n" for line in _encoded(page, listing))


def _encoded(page: Sequence[Row], listing: Listing) -> Iterator[str]:
    """Write each row as a line of JSON."""
    if listing.is_plain and not is_terminal():
        # Ten times faster. But it writes null for NaN, and characters that may hide others.
        return (msgspec.json.encode(row).decode() for row in page)
    return map(json_line, page)


def _csv(listing: Listing) -> Iterator[str]:
    has_header = False
    for page in _csv_pages(listing):
        yield _csv_text(page, has_header=not has_header)
        has_header = True
    if not has_header:
        nothing = pa.table([pa.nulls(0) for _ in listing.names], list(listing.names))
        yield _csv_text(nothing, has_header=True)


def _csv_pages(listing: Listing) -> Iterator[pa.Table]:
    yield from pages_for_csv(listing.batches)
    if listing.rows:
        columns = [[_flat(row.get(name)) for row in listing.rows] for name in listing.names]
        yield pa.table([pa.array(column) for column in columns], list(listing.names))


def _flat(value: object) -> object:
    return json_line(value) if isinstance(value, Mapping | list | tuple) else value


def _csv_text(page: pa.Table, *, has_header: bool) -> str:
    written = io.BytesIO()
    # Texts are in quotes and null is not, which distinguishes null from the empty text.
    csv.write_csv(page, written, csv.WriteOptions(include_header=has_header))
    text = written.getvalue().decode()
    return printable_lines(text) if is_terminal() else text
