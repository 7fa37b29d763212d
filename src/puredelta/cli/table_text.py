"""Rows as the text of a table: a line a row, which a terminal has room for.

What goes to a program keeps whole values, however long, so that it can be searched by line. On a
terminal long texts are cut in the middle, or folded, and a row that fits in neither way becomes a
record: a line a column.
"""

import decimal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.table import Table
from rich.text import Text

from puredelta.cli.cells import pairs
from puredelta.cli.terminal import bold, rendered, width

Values: TypeAlias = Sequence[Sequence[Any]]

_GAP = "  "
_CUT = "…"
# Text of fewer columns than these says nothing.
_LEAST = 12
# What is folded is read line by line.
_SHORT, _LEAST_FOLDED = 26, 24


def table_text(
    headers: Sequence[str], pages: Iterable[Values], *, folds: bool = False
) -> Iterator[str]:
    """Yield the text of a table, page by page.

    Args:
        headers: The names of the columns.
        pages: The rows, some at a time, each a value a column.
        folds: Fold long values on a terminal instead of cutting them.
    """
    pages = iter(pages)
    first = next(pages, [])
    columns = width()
    whole = chain([first], pages)
    if columns is None:
        return _plain_lines(headers, whole)
    if folds:
        return _folded(headers, whole, columns)
    room = _room(headers, first, columns)
    return _records(headers, whole) if room is None else _cut_lines(headers, whole, room)


def table_of(*headers: str) -> Table:
    """Return an empty table of rich, without lines around its cells, whose values are folded."""
    table = Table(box=None, show_header=any(headers), pad_edge=False, header_style="bold")
    for header in headers:
        table.add_column(header, overflow="fold")
    return table


# ----------------------------------------------------------------------------------- a line a row


def _plain_lines(headers: Sequence[str], pages: Iterable[Values]) -> Iterator[str]:
    widths = [cell_len(name) for name in headers]
    align = _no_alignment(headers)
    for number, page in enumerate(pages):
        cells = [[pairs(value) for value in row] for row in page]
        if not number:
            align = _alignment(page, headers)
        # A later page with longer values moves its columns to the right.
        widths = [max(known, *map(cell_len, column)) for known, column in _columns(widths, cells)]
        if not number:
            yield f"{bold(_line(headers, widths, align))}\n"
        yield "".join(f"{_line(row, widths, align)}\n" for row in cells)


def _cut_lines(
    headers: Sequence[str], pages: Iterable[Values], room: Sequence[int]
) -> Iterator[str]:
    align = _no_alignment(headers)
    is_cut = False
    for number, page in enumerate(pages):
        if not number:
            align = _alignment(page, headers)
            yield f"{bold(_line(list(map(_cut, headers, room)), room, align))}\n"
        lines = []
        for row in page:
            whole = [pairs(value) for value in row]
            # A part of a number would be another number.
            cells = [
                text if _is_number(value) else _cut(text, most)
                for value, text, most in zip(row, whole, room, strict=True)
            ]
            is_cut = is_cut or cells != whole
            lines.append(f"{_line(cells, room, align)}\n")
        yield "".join(lines)
    if is_cut:
        yield f"values with {_CUT} are cut; --format ndjson, or a pipe, has them whole\n"


def _room(headers: Sequence[str], page: Values, columns: int) -> list[int] | None:
    """Return how wide each column can be; None where a line has no room for all of them."""
    natural = _natural(headers, page)
    is_text = [
        any(isinstance(row[index], str | bytes | Mapping | list | tuple) for row in page)
        for index in range(len(headers))
    ]
    left = columns - len(_GAP) * (len(headers) - 1)
    left -= sum(wide for wide, text in zip(natural, is_text, strict=True) if not text)
    texts = sorted(wide for wide, text in zip(natural, is_text, strict=True) if text)
    if sum(texts) <= left:
        return natural
    most = _most(texts, left)
    if most < min(_LEAST, texts[-1] if texts else 1):
        return None
    return [min(wide, most) if text else wide for wide, text in zip(natural, is_text, strict=True)]


def _most(widths: Sequence[int], left: int) -> int:
    """Return the width to which the widest columns are cut, so that all have room together."""
    for number, wide in enumerate(widths):
        share = left // (len(widths) - number)
        if wide > share:
            return share
        left -= wide
    return 0


def _cut(text: str, most: int) -> str:
    """Cut a text in the middle: paths differ at both ends."""
    if cell_len(text) <= most:
        return text
    if most < 2:
        return _CUT
    front = (most - 1) // 2
    back = most - 1 - front
    end = chop_cells(text[::-1], back)[0][::-1]
    return set_cell_size(text, front) + _CUT + end


def _columns(
    widths: Sequence[int], cells: Sequence[Sequence[str]]
) -> Iterator[tuple[int, Sequence[str]]]:
    return zip(widths, zip(*cells, strict=True) if cells else [("",)] * len(widths), strict=True)


_Align: TypeAlias = Sequence[Callable[[str, int], str]]


def _alignment(page: Values, headers: Sequence[str]) -> _Align:
    """Put columns of numbers to the right."""
    numbers = [
        bool(page) and all(row[index] is None or _is_number(row[index]) for row in page)
        for index in range(len(headers))
    ]
    return [_right if is_number else _left for is_number in numbers]


def _no_alignment(headers: Sequence[str]) -> _Align:
    return [_left] * len(headers)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | decimal.Decimal) and not isinstance(value, bool)


def _left(cell: str, wide: int) -> str:
    return cell + " " * (wide - cell_len(cell))


def _right(cell: str, wide: int) -> str:
    return " " * (wide - cell_len(cell)) + cell


def _line(cells: Sequence[str], widths: Sequence[int], align: _Align) -> str:
    padded = (put(cell, wide) for put, cell, wide in zip(align, cells, widths, strict=True))
    return _GAP.join(padded).rstrip()


# ------------------------------------------------------------------------------ several lines a row


def _folded(headers: Sequence[str], pages: Iterable[Values], columns: int) -> Iterator[str]:
    pages = iter(pages)
    first = next(pages, [])
    widths = _natural(headers, first)
    # Short values stay on one line, and the long ones share what is left.
    short = [wide if wide <= _SHORT else None for wide in widths]
    left = columns - len(_GAP) * (len(headers) - 1) - sum(wide or 0 for wide in short)
    if sum(widths) > columns and left < _LEAST_FOLDED * short.count(None):
        yield from _records(headers, chain([first], pages), has_nulls=False)
        return
    for number, page in enumerate(chain([first], pages)):
        table = table_of(*headers)
        table.show_header = not number
        for column, wide in zip(table.columns, short, strict=True):
            column.min_width = wide
        for row in page:
            # Names and parameters come from other writers, and may look like markup of rich.
            table.add_row(*(Text(pairs(value)) for value in row))
        yield rendered(table, columns)


def _natural(headers: Sequence[str], page: Values) -> list[int]:
    """Return how wide the columns are whose values are whole."""
    widths = [cell_len(name) for name in headers]
    for row in page:
        widths = [
            max(wide, cell_len(pairs(value))) for wide, value in zip(widths, row, strict=True)
        ]
    return widths


def _records(
    headers: Sequence[str], pages: Iterable[Values], *, has_nulls: bool = True
) -> Iterator[str]:
    wide = max(map(cell_len, headers), default=0)
    before = ""
    for page in pages:
        for row in page:
            lines = [
                f"{bold(_left(name, wide))}{_GAP}{pairs(value)}".rstrip()
                for name, value in zip(headers, row, strict=True)
                if has_nulls or value is not None
            ]
            yield before + "\n".join(lines) + "\n"
            before = "\n"
