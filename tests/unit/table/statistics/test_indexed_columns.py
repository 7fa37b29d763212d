"""Which columns get statistics."""

import pytest

from puredelta.errors import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.schema.datatypes import LONG, STRING, ArrayType, StructField, StructType
from puredelta.table.statistics.indexed_columns import (
    Indexing,
    check_columns,
    indexed_leaves,
    indexing_of,
    parse_column_list,
)

SCHEMA = StructType(
    (
        StructField("a", LONG),
        StructField(
            "s",
            StructType(
                (StructField("x", LONG), StructField("y", StructType((StructField("z", STRING),))))
            ),
        ),
        StructField("l", ArrayType(StructType((StructField("q", LONG),)))),
        StructField("b", LONG),
    )
)


def paths(indexing):
    return [".".join(leaf.path) for leaf in indexed_leaves(SCHEMA, indexing)]


def test_properties_are_read():
    assert indexing_of({}) == Indexing()
    assert indexing_of(
        {
            "delta.dataSkippingNumIndexedCols": "5",
            "delta.dataSkippingStatsColumns": "a, s.x",
            "delta.dataSkippingStringPrefixLength": "8",
        }
    ) == Indexing(5, (("a",), ("s", "x")), 8)


def test_leaves_are_counted_depth_first():
    assert paths(Indexing(count=-1)) == ["a", "s.x", "s.y.z", "l", "b"]
    assert paths(Indexing(count=3)) == ["a", "s.x", "s.y.z"]
    assert paths(Indexing(count=0)) == []


def test_named_columns_override_the_count_and_take_all_below():
    assert paths(Indexing(count=1, columns=(("S",), ("b",)))) == ["s.x", "s.y.z", "b"]
    assert paths(Indexing(columns=())) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("a", [("a",)]),
        (" a , b.c ", [("a",), ("b", "c")]),
        ("`x,y`.z,`a.b`", [("x,y", "z"), ("a.b",)]),
        ("`a``b`", [("a`b",)]),
    ],
)
def test_column_lists_are_read(text, expected):
    assert parse_column_list(text) == expected


@pytest.mark.parametrize("text", ["a,,b", "a..b", "`a", "a.", ",", "a,"])
def test_other_texts_are_no_column_lists(text):
    with pytest.raises(DeltaIllegalArgumentError) as raised:
        parse_column_list(text)

    assert raised.value.condition == "DELTA_INVALID_COLUMN_LIST"


@pytest.mark.parametrize(
    ("columns", "condition"),
    [
        ("nope", "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
        ("s.nope", "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
        ("a, A", "DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS"),
        ("b", "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN"),
        ("l", "DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE"),
    ],
)
def test_columns_that_cannot_have_statistics_are_refused(columns, condition):
    with pytest.raises((DeltaAnalysisError, DeltaIllegalArgumentError)) as raised:
        check_columns(SCHEMA, ["b"], {"delta.dataSkippingStatsColumns": columns})

    assert raised.value.condition == condition


@pytest.mark.parametrize("columns", ["", "a", "S, a", "s.y.z"])
def test_columns_that_can_have_statistics_pass(columns):
    check_columns(SCHEMA, ["b"], {"delta.dataSkippingStatsColumns": columns})
    check_columns(SCHEMA, ["b"], {})
