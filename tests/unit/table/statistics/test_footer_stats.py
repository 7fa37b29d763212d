"""Columns of a table are found in files by the names on the way to them, not by text with dots."""

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.schema.datatypes import LONG
from puredelta.table.statistics.column_stats import ColumnBounds
from puredelta.table.statistics.footer_stats import FooterStats, read_footer_stats
from puredelta.table.statistics.indexed_columns import Leaf

NESTED = pa.table({"a": [{"b": 1}, {"b": 2}]})
FLAT = pa.table({"a.b": [100, 200]})
REQUIRED = pa.field("a", pa.struct([pa.field("b", pa.int64(), nullable=False)]), nullable=False)


def footer_of(rows: pa.Table, **how: Any) -> Any:
    sink = io.BytesIO()
    pq.write_table(rows, sink, **how)
    return pq.read_metadata(sink)


def facts_of(rows: pa.Table, *path: str) -> ColumnBounds:
    return read_footer_stats(footer_of(rows), [Leaf(path, LONG)])[path]


def required(rows: pa.Table) -> pa.Table:
    return rows.cast(pa.schema([REQUIRED]))


@pytest.mark.parametrize(
    ("rows", "path", "expected"),
    [
        (NESTED, ("a", "b"), ColumnBounds(0, 1, 2)),
        (NESTED, ("A", "B"), ColumnBounds(0, 1, 2)),
        (required(NESTED), ("a", "b"), ColumnBounds(0, 1, 2)),
        (FLAT, ("a.b",), ColumnBounds(0, 100, 200)),
        (FLAT, ("A.B",), ColumnBounds(0, 100, 200)),
    ],
    ids=["struct", "case", "required", "flat", "flat in another case"],
)
def test_column_is_found_by_its_names(
    rows: pa.Table, path: tuple[str, ...], expected: ColumnBounds
):
    assert facts_of(rows, *path) == expected


@pytest.mark.parametrize(
    ("rows", "path"),
    [(FLAT, ("a", "b")), (NESTED, ("a.b",)), (required(NESTED), ("a.b",))],
    ids=["flat", "struct", "required struct"],
)
def test_column_whose_names_only_look_alike_is_absent_and_null(
    rows: pa.Table, path: tuple[str, ...]
):
    assert facts_of(rows, *path) == ColumnBounds(nulls=2)


@pytest.mark.parametrize("nullable", [True, False])
def test_columns_that_look_alike_in_one_file_are_told_apart(nullable: bool):
    def row(name: str, inner: pa.DataType) -> pa.Field:
        return pa.field(name, inner, nullable=nullable)

    def struct(name: str, inner: pa.DataType) -> pa.DataType:
        return pa.struct([row(name, inner)])

    number = pa.int64()
    schema = pa.schema(
        [
            row("a", struct("b", struct("c", number))),
            row("a.b", struct("c", number)),
            row("a.b.c", number),
            row("x", struct("b.c", number)),
        ]
    )
    rows = pa.Table.from_pylist(
        [{"a": {"b": {"c": 1}}, "a.b": {"c": 2}, "a.b.c": 3, "x": {"b.c": 4}}], schema
    )
    paths = [("a", "b", "c"), ("a.b", "c"), ("a.b.c",), ("x", "b.c"), ("a", "b.c"), ("x", "b", "c")]

    found = read_footer_stats(footer_of(rows), [Leaf(path, LONG) for path in paths])

    assert [found[path].minimum for path in paths] == [1, 2, 3, 4, None, None]
    assert [found[path].nulls for path in paths] == [0, 0, 0, 0, 1, 1]


def test_files_of_both_forms_are_told_apart_one_after_the_other():
    facts = FooterStats([Leaf(("a", "b"), LONG)])

    found = [facts.of(footer_of(rows))["a", "b"].minimum for rows in (NESTED, FLAT, NESTED)]

    assert found == [1, None, 1]


def test_column_that_tells_nothing_is_named_by_all_its_names():
    leaf = Leaf(("a.b",), LONG)
    footer = footer_of(FLAT, write_statistics=False)
    facts = FooterStats([leaf])

    [silent] = facts.silent(footer, facts.of(footer))

    assert (silent.leaf, silent.place, silent.path_in_file) == (leaf, 0, ("a.b",))
