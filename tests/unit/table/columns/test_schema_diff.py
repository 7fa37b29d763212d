"""What tells two schemas apart, in words."""

from dataclasses import replace

import pytest

from puredelta.schema.datatypes import (
    INTEGER,
    LONG,
    STRING,
    ArrayType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.columns.mapping_ids import with_mapping
from puredelta.table.columns.schema_diff import Kind, definition, schema_differences


def struct(*fields):
    return StructType(tuple(fields))


def column(name, data_type=INTEGER, number=None, **given):
    metadata = dict(given.pop("metadata", {}))
    if number is not None:
        metadata["delta.columnMapping.id"] = number
    return StructField(name, data_type, given.pop("nullable", True), metadata)


def told(before, after):
    return [str(one) for one in schema_differences(struct(*before), struct(*after))]


def test_equal_schemas_differ_in_nothing():
    assert told([column("a"), column("b")], [column("a"), column("b")]) == []


def test_new_column_is_told_with_all_that_is_in_it():
    nested = column("s", struct(column("xY", LONG)), metadata={"comment": "c"})

    assert told([column("a")], [column("a"), column("b", nullable=False), nested]) == [
        "b: added, INT NOT NULL",
        "s: added, struct<xY:bigint> COMMENT 'c'",
    ]


def test_dropped_column_is_told():
    assert told([column("a"), column("b c")], [column("a")]) == ["`b c`: dropped, it was INT"]


def test_renamed_column_is_found_by_its_number():
    before = [column("a", number=1), column("s", struct(column("x", number=3)), number=2)]
    after = [column("b", number=1), column("s", struct(column("y", number=3)), number=2)]

    assert told(before, after) == ["a: renamed to b", "s.x: renamed to y"]


def test_column_of_the_same_name_and_another_number_is_another_column():
    assert told([column("a", number=1)], [column("a", number=2)]) == [
        "a: dropped, it was INT",
        "a: added, INT",
    ]


def test_name_that_changes_case_is_a_rename():
    assert told([column("a")], [column("A")]) == ["a: renamed to A"]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (column("a"), column("a", LONG), "a: INT -> BIGINT"),
        (column("a"), column("a", nullable=False), "a: INT -> INT NOT NULL"),
        (column("a"), column("a", metadata={"comment": "x"}), "a: INT -> INT COMMENT 'x'"),
        (
            column("a", metadata={"CURRENT_DEFAULT": "1"}),
            column("a"),
            "a: INT DEFAULT 1 -> INT",
        ),
        (
            column("a", STRING, metadata={"__CHAR_VARCHAR_TYPE_STRING": "varchar(3)"}),
            column("a", STRING),
            "a: VARCHAR(3) -> STRING",
        ),
    ],
)
def test_changed_definition_is_told(before, after, expected):
    assert told([before], [after]) == [expected]


def test_changes_inside_arrays_and_maps_are_told_by_path():
    def nested(kind):
        inner = struct(column("x", kind))
        return [column("l", ArrayType(inner)), column("m", MapType(kind, inner))]

    assert told(nested(INTEGER), nested(LONG)) == [
        "l.element.x: INT -> BIGINT",
        "m.key: INT -> BIGINT",
        "m.value.x: INT -> BIGINT",
    ]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("abc", "cab", ["c: AFTER b -> FIRST"]),
        ("abc", "bca", ["a: FIRST -> AFTER c"]),
        ("abcd", "acbd", ["c: AFTER b -> AFTER a"]),
    ],
)
def test_moved_columns_are_told_and_only_they(before, after, expected):
    assert told(map(column, before), map(column, after)) == expected


def test_order_of_new_and_dropped_columns_is_no_move():
    found = schema_differences(struct(column("a"), column("b")), struct(column("n"), column("b")))

    assert [one.kind for one in found] == [Kind.DROPPED, Kind.ADDED]


def test_definition_leaves_out_what_is_inside():
    assert definition(column("s", struct(column("a")), nullable=False)) == "STRUCT NOT NULL"
    assert definition(replace(column("l"), data_type=ArrayType(LONG))) == "ARRAY"


def test_columns_stay_themselves_when_mapping_comes_or_goes():
    plain = StructType((StructField("a", INTEGER), StructField("b", INTEGER)))
    with_ids, _ = with_mapping(plain, {"delta.columnMapping.mode": "name"})

    assert schema_differences(plain, with_ids) == ()
    assert schema_differences(with_ids, plain) == ()
