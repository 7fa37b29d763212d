"""Rows of an Arrow table as text or JSON, page by page, each printed at once.

A row is a single line, however long, so that piped output can be searched by line.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import click
import pyarrow as pa
from rich.cells import cell_len

from puredelta.cli.cells import json_text, pairs

_PAGE = 1000
_GAP = "  "


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
        _print_json(shown)
        return
    _print_lines(shown.select(_worth_showing(shown)))
    if shown.num_rows < rows.num_rows:
        click.echo(f"{shown.num_rows:,} of {rows.num_rows:,} {what}")


def _pages(rows: pa.Table) -> Iterator[list[dict[str, Any]]]:
    # Python objects of all rows at once would take many times the memory of the Arrow table.
    for start in range(0, rows.num_rows, _PAGE):
        yield rows.slice(start, _PAGE).to_pylist()


def _print_json(rows: pa.Table) -> None:
    if not rows.num_rows:
        click.echo("[]")
        return
    lines = sys.stdout.isatty()
    for number, page in enumerate(_pages(rows)):
        before = "[" if not number else "," if lines else ", "
        # Without its brackets a page is a part of the whole list.
        click.echo(before + json_text(page)[1:-1].rstrip("\n"), nl=False)
    click.echo("\n]" if lines else "]")


def _print_lines(rows: pa.Table) -> None:
    names = rows.column_names
    widths = [cell_len(name) for name in names]
    for number, page in enumerate(_pages(rows)):
        cells = [[pairs(row[name]) for name in names] for row in page]
        # A later page with longer values moves its columns to the right.
        widths = [max(known, *map(cell_len, column)) for known, column in _columns(widths, cells)]
        if not number:
            click.secho(_line(names, widths), bold=True)
        click.echo("\n".join(_line(cell, widths) for cell in cells))
    if not rows.num_rows:
        click.secho(_line(names, widths), bold=True)


def _columns(
    widths: Sequence[int], cells: Sequence[Sequence[str]]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    return zip(widths, zip(*cells, strict=True), strict=True)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (
        cell + " " * (width - cell_len(cell)) for cell, width in zip(cells, widths, strict=True)
    )
    return _GAP.join(padded).rstrip()


def _worth_showing(rows: pa.Table) -> list[str]:
    """Leave out columns without a value, and the JSON of statistics, which is for programs."""
    return [
        name
        for name in rows.column_names
        if name != "stats" and (rows[name].null_count < rows.num_rows or not rows.num_rows)
    ]
