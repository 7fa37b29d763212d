"""Rows of the log as HTML: those of an Arrow table, without what is empty."""

from __future__ import annotations

from datetime import timezone, tzinfo
from typing import Any

import pyarrow as pa

from puredelta.notebook.html_table import HtmlCell, HtmlTable, facts_table, render_html
from puredelta.notebook.value_cells import value_cell

# JSON of any length, and how a commit was checked against others.
_FOR_PROGRAMS = frozenset({"stats", "readVersion", "isolationLevel", "isBlindAppend"})

_KIND = "puredelta-rows"


def rows_html(rows: pa.Table, limit: int, zone: tzinfo = timezone.utc) -> str:
    """Return the first rows of an Arrow table as an HTML table.

    Columns without a value in these rows are left out, and so are the statistics in JSON.

    Args:
        rows: the rows.
        limit: how many to show.
        zone: for times.
    """
    table = rows.slice(0, limit)
    columns = _columns(table, zone)
    # Without a value in any row, a row would have no cells: all columns are shown then.
    filled = {name: cells for name, cells in columns.items() if any(c.text for c in cells)}
    found = filled or columns
    heads = [_head(name, cells) for name, cells in found.items()]
    note = _count(table.num_rows, rows.num_rows)
    has_times = any(pa.types.is_timestamp(rows.schema.field(name).type) for name in found)
    if rows.num_rows and has_times:
        note += f", times in {zone}"
    if rows.num_rows and len(found) < len(columns):
        note += ", without empty columns"
    return render_html(
        _KIND, None, HtmlTable(heads, list(zip(*found.values(), strict=True))), note=note
    )


def record_html(row: pa.Table, head: str | None = None, zone: tzinfo = timezone.utc) -> str:
    """Return the only row of an Arrow table as HTML, a line a column that has a value.

    Args:
        row: an Arrow table with one row.
        head: the line above.
        zone: for times.
    """
    found = {name: cells[0] for name, cells in _columns(row, zone).items()}
    # Numbers one below the other are aligned, and these are no column of numbers.
    facts = [(name, cell._replace(is_number=False)) for name, cell in found.items() if cell.text]
    return render_html(_KIND, head, facts_table(facts), note=f"times in {zone}")


def _count(shown: int, count: int) -> str:
    if shown < count:
        return f"{shown:,} of {count:,} rows"
    return {0: "no rows", 1: "1 row"}.get(count, f"{count:,} rows")


def _columns(table: pa.Table, zone: tzinfo) -> dict[str, list[HtmlCell]]:
    return {
        name: [value_cell(name, value, zone) for value in _values(table[name])]
        for name in table.column_names
        if name not in _FOR_PROGRAMS
    }


def _values(column: pa.ChunkedArray) -> list[Any]:
    try:
        values: list[Any] = column.to_pylist(maps_as_pydicts="lossy")
    except (ValueError, OverflowError):
        # Past the calendar of Python, where a writer put microseconds for milliseconds.
        values = column.cast(pa.int64()).to_pylist()
    return values


def _head(name: str, cells: list[HtmlCell]) -> HtmlCell:
    return HtmlCell(name, is_number=any(cell.is_number for cell in cells))
