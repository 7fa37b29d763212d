"""Rows of Arrow as Python values, page by page and column by column.

Python objects of all rows at once would take many times the memory of the Arrow table. Dates and
times become text in Arrow: that is faster, and Python has no years past 9999.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.cli.output.cells import json_line

Columns: TypeAlias = Sequence[Sequence[Any]]
"""Some rows: the values of each column."""

PAGE = 1000
"""How many rows a page has at most."""


def pages_of(
    batches: Iterable[pa.RecordBatch], *, is_for_people: bool = False
) -> Iterator[Columns]:
    """Yield rows as Python values.

    Args:
        batches: The rows.
        is_for_people: Write times without the digits that are zero, and UTC as Z.
    """
    for page in _pages(batches):
        columns = (_with_text(column, is_for_people=is_for_people) for column in page.columns)
        yield [column.to_pylist() for column in columns]


def pages_for_csv(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield rows with text in place of what CSV has no form for: JSON for what is nested."""
    for page in _pages(batches):
        yield page.from_arrays([_for_csv(column) for column in page.columns], page.column_names)


def are_plain(kinds: Iterable[pa.DataType]) -> bool:
    """Say whether types are texts, integers and booleans, or made of these."""
    return all(map(_is_plain, kinds))


def _pages(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    # Small batches become one page, by whose values the columns of a table get their widths.
    waiting: list[pa.RecordBatch] = []
    count = 0
    for batch in batches:
        start = 0
        while start < batch.num_rows:
            part = batch.slice(start, PAGE - count)
            waiting.append(part)
            start += part.num_rows
            count += part.num_rows
            if count == PAGE:
                yield pa.Table.from_batches(waiting)
                waiting, count = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _with_text(column: pa.ChunkedArray, *, is_for_people: bool) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_date(kind):
        return column.cast(pa.string())
    if not pa.types.is_timestamp(kind):
        return column
    zone = "" if kind.tz is None else "+00:00"
    text = pc.strftime(column.cast(pa.timestamp("us", kind.tz)), f"%Y-%m-%dT%H:%M:%S{zone}")
    text = pc.replace_substring(text, pattern=".000000", replacement="")
    if not is_for_people:
        return text
    text = pc.replace_substring_regex(text, pattern=r"(\.\d{3})000", replacement=r"\1")
    return pc.replace_substring(text, pattern="+00:00", replacement="Z")


def _for_csv(column: pa.ChunkedArray) -> pa.ChunkedArray:
    kind = column.type
    if pa.types.is_nested(kind):
        values = (None if value is None else json_line(value) for value in column.to_pylist())
        return pa.chunked_array([pa.array(values, pa.string())])
    if pa.types.is_binary(kind):
        values = (None if value is None else json_line(value)[1:-1] for value in column.to_pylist())
        return pa.chunked_array([pa.array(values, pa.string())])
    return _with_text(column, is_for_people=False) if pa.types.is_timestamp(kind) else column


def _is_plain(kind: pa.DataType) -> bool:
    if pa.types.is_nested(kind):
        return are_plain(kind.field(index).type for index in range(kind.num_fields))
    tests = (
        pa.types.is_string,
        pa.types.is_integer,
        pa.types.is_boolean,
        pa.types.is_timestamp,
        pa.types.is_date,
        pa.types.is_null,
    )
    return any(test(kind) for test in tests)
