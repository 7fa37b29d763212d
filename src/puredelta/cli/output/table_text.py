"""Rows as the text of a table: a line a row, which a terminal has room for.

What goes to a program keeps whole values, however long, so that it can be searched by line. On a
terminal long texts are cut in the middle, or folded, and a row that fits in neither way becomes a
record: a line a column.
"""

import decimal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.table import Table
from rich.text import Text

from puredelta.cli.output.arrow_pages import Columns
from puredelta.cli.output.cells import pairs
from puredelta.cli.output.terminal import bold, rendered, width

_Put: TypeAlias = Callable[[str, int], str]

_GAP = "  "
_CUT = "…"
# Text of fewer columns than these says nothing.
_LEAST = 12
# What is folded is read line by line.
_SHORT, _LEAST_FOLDED = 26, 24


def table_text(
    headers: Sequence[str], pages: Iterable[Columns], *, folds: bool = False
) -> Iterator[str]:
    """Yield the text of a table, page by page.

    Args:
        headers: The names of the columns.
        pages: The rows, some at a time: the values of each column.
        folds: Fold long values on a terminal instead of cutting them.
    """
    pages = iter(pages)
    first = next(pages, [[] for _ in headers])
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


def _plain_lines(headers: Sequence[str], pages: Iterable[Columns]) -> Iterator[str]:
    widths = [cell_len(name) for name in headers]
    put: list[_Put] = [_left] * len(headers)
    for number, page in enumerate(pages):
        cells = [list(map(pairs, column)) for column in page]
        # A later page with longer values moves its columns to the right.
        widths = [
            max(known, *map(_wide, column), 0) for known, column in zip(widths, cells, strict=True)
        ]
        if not number:
            put = _alignment(page)
            yield f"{bold(_line(headers, widths, put))}\n"
        yield _lines(cells, widths, put)


def _cut_lines(
    headers: Sequence[str], pages: Iterable[Columns], room: Sequence[int]
) -> Iterator[str]:
    put: list[_Put] = [_left] * len(headers)
    is_cut = False
    for number, page in enumerate(pages):
        if not number:
            put = _alignment(page)
            yield f"{bold(_line(list(map(_cut, headers, room)), room, put))}\n"
        cells = []
        for column, most in zip(page, room, strict=True):
            whole = list(map(pairs, column))
            # A part of a number would be another number.
            cut = [
                text if _is_number(value) else _cut(text, most)
                for value, text in zip(column, whole, strict=True)
            ]
            is_cut = is_cut or cut != whole
            cells.append(cut)
        yield _lines(cells, room, put)
    if is_cut:
        yield f"values with {_CUT} are cut; --format ndjson, or a pipe, has them whole\n"


def _room(headers: Sequence[str], page: Columns, columns: int) -> list[int] | None:
    """Return how wide each column can be; None where a line has no room for all of them."""
    natural = _natural(headers, page)
    is_text = [
        any(isinstance(value, str | bytes | Mapping | list | tuple) for value in column)
        for column in page
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
    if _wide(text) <= most:
        return text
    if most < 2:
        return _CUT
    front = (most - 1) // 2
    back = most - 1 - front
    end = chop_cells(text[::-1], back)[0][::-1]
    return set_cell_size(text, front) + _CUT + end


def _alignment(page: Columns) -> list[_Put]:
    """Put columns of numbers to the right."""
    are_numbers = (
        any(map(_is_number, column)) and all(v is None or _is_number(v) for v in column)
        for column in page
    )
    return [_right if are_all else _left for are_all in are_numbers]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | decimal.Decimal) and not isinstance(value, bool)


def _wide(text: str) -> int:
    # Nearly all texts; what rich counts takes many times longer.
    return len(text) if text.isascii() else cell_len(text)


def _left(cell: str, wide: int) -> str:
    return cell.ljust(wide) if cell.isascii() else cell + " " * (wide - cell_len(cell))


def _right(cell: str, wide: int) -> str:
    return cell.rjust(wide)


def _line(cells: Sequence[str], widths: Sequence[int], put: Sequence[_Put]) -> str:
    return _lines([[cell] for cell in cells], widths, put).rstrip("\n")


def _lines(cells: Columns, widths: Sequence[int], put: Sequence[_Put]) -> str:
    """Return lines of text, a row each."""
    padded = [
        [place(cell, wide) for cell in column]
        for place, column, wide in zip(put, cells, widths, strict=True)
    ]
    return "".join(f"{_GAP.join(row).rstrip()}\n" for row in zip(*padded, strict=True))


# ------------------------------------------------------------------------------ several lines a row


def _folded(headers: Sequence[str], pages: Iterable[Columns], columns: int) -> Iterator[str]:
    pages = iter(pages)
    first = next(pages, [[] for _ in headers])
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
        for row in zip(*page, strict=True):
            # Names and parameters come from other writers, and may look like markup of rich.
            table.add_row(*(Text(pairs(value)) for value in row))
        yield rendered(table, columns)


def _natural(headers: Sequence[str], page: Columns) -> list[int]:
    """Return how wide the columns are whose values are whole."""
    return [
        max(cell_len(name), *(_wide(pairs(value)) for value in column), 0)
        for name, column in zip(headers, page, strict=True)
    ]


def _records(
    headers: Sequence[str], pages: Iterable[Columns], *, has_nulls: bool = True
) -> Iterator[str]:
    wide = max(map(cell_len, headers), default=0)
    before = ""
    for page in pages:
        for row in zip(*page, strict=True):
            lines = [
                f"{bold(_left(name, wide))}{_GAP}{pairs(value)}".rstrip()
                for name, value in zip(headers, row, strict=True)
                if has_nulls or value is not None
            ]
            yield before + "\n".join(lines) + "\n"
            before = "\n"
