"""Rows that a command prints: as a table for people, as JSON, as lines of JSON or as CSV.

Rows are printed page by page, so that neither the rows as Python objects nor the text of all of
them is ever in memory. Only the table has a bound, unless a limit is given: programs get all.
"""

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

import click
import pyarrow as pa
from pyarrow import csv

from puredelta.cli.cells import json_line, json_text, plain, printable_lines
from puredelta.cli.table_text import table_text
from puredelta.cli.terminal import is_terminal, show

Row: TypeAlias = Mapping[str, Any]
Page: TypeAlias = Sequence[Row]

TABLE, JSON, LINES, CSV = FORMATS = ("table", "json", "ndjson", "csv")

MOST_ROWS = 1000
"""How many rows a table for people has, unless a limit is given."""

_PAGE = 1000

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
    """Rows to be printed.

    Attributes:
        names: The columns.
        pages: The rows, some at a time.
        shown: The columns of the table for people; None for all.
        headers: Other names of columns in the table for people.
        folds: Whether long values of a table are folded on a terminal, and not cut.
        note: Returns a sentence that follows the table; asked when the last row is printed.
    """

    names: Sequence[str]
    pages: Iterable[Page]
    shown: Sequence[str] | None = None
    headers: Mapping[str, str] | None = None
    folds: bool = False
    note: Callable[[], str | None] = lambda: None


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
        pages=pages_of(shown.to_batches()),
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
            show(_json(listing.pages))
        case "ndjson":
            show(_lines(listing.pages))
        case "csv":
            show(_csv(listing))
        case _:
            show(table_pieces(listing))


def table_pieces(listing: Listing) -> Iterator[str]:
    """Yield the text of a table for people, page by page, and what is left out of it."""
    names = list(listing.names if listing.shown is None else listing.shown)
    headers = [(listing.headers or {}).get(name, name) for name in names]
    values = ([[row.get(name) for name in names] for row in page] for page in listing.pages)
    yield from table_text(headers, values, folds=listing.folds)
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


def pages_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Page]:
    """Yield rows of Arrow as Python objects, some at a time."""
    # Python objects of all rows at once would take many times the memory of the Arrow table. Small
    # batches become one page, by whose values the columns of a table get their widths.
    page: list[Row] = []
    for batch in batches:
        start = 0
        while start < batch.num_rows:
            part = batch.slice(start, _PAGE - len(page))
            page += part.to_pylist()
            start += part.num_rows
            if len(page) == _PAGE:
                yield page
                page = []
    if page:
        yield page


def paged(rows: Sequence[Row]) -> Iterator[Page]:
    """Yield rows some at a time."""
    return (rows[start : start + _PAGE] for start in range(0, len(rows), _PAGE))


def _worth_showing(rows: pa.Table) -> list[str]:
    return [
        name
        for name in rows.column_names
        if name != "stats" and (rows[name].null_count < rows.num_rows or not rows.num_rows)
    ]


# ------------------------------------------------------------------------------------- the formats


def _json(pages: Iterable[Page]) -> Iterator[str]:
    is_for_people, is_empty = is_terminal(), True
    for page in pages:
        if len(page):
            before = "[" if is_empty else "," if is_for_people else ", "
            # Without its brackets a page is a part of the whole list.
            yield before + json_text(page)[1:-1].rstrip("\n")
            is_empty = False
    yield "[]\n" if is_empty else "\n]\n" if is_for_people else "]\n"


def _lines(pages: Iterable[Page]) -> Iterator[str]:
    for page in pages:
        yield "".join(f"{json_line(row)}\n" for row in page)


def _csv(listing: Listing) -> Iterator[str]:
    has_header = False
    for page in listing.pages:
        yield _csv_page(listing.names, page, has_header=not has_header)
        has_header = True
    if not has_header:
        yield _csv_page(listing.names, [], has_header=True)


def _csv_page(names: Sequence[str], page: Page, *, has_header: bool) -> str:
    columns = [pa.array([_csv_value(row.get(name)) for row in page]) for name in names]
    written = io.BytesIO()
    # Texts are in quotes and null is not, which tells null from the empty text.
    csv.write_csv(
        pa.table(columns, list(names)), written, csv.WriteOptions(include_header=has_header)
    )
    text = written.getvalue().decode()
    return printable_lines(text) if is_terminal() else text


def _csv_value(value: object) -> Any:
    """Turn what CSV has no form for into text: JSON for what is nested."""
    if isinstance(value, Mapping | list | tuple):
        return json_line(value)
    return plain(value) if isinstance(value, bytes | datetime) else value
