"""Types that hold the same values, and structs with the same fields."""

import pytest

from puredelta.schema.datatypes import (
    INTEGER,
    LONG,
    STRING,
    VOID,
    ArrayType,
    DecimalType,
    MapType,
    StructField,
    UnknownType,
    UserDefinedType,
)
from puredelta.table.evolution.type_comparison import (
    collated_type,
    has_same_fields,
    is_same_type,
    lacks_fields,
)
from tests.unit.table.evolution.columns import required, struct

INT, TEXT = INTEGER, STRING
# Spark and PySpark write the keys in other orders, and a class in other bytes.
POINT = UserDefinedType('{"type":"udt","pyClass":"m.P","sqlType":"long"}', LONG)
SAME_POINT = UserDefinedType('{"pyClass":"m.P","serializedClass":"a","type":"udt"}', LONG)
OTHER = UserDefinedType('{"type":"udt","pyClass":"m.Q","sqlType":"long"}', LONG)
COLLATED = StructField("a", TEXT, metadata={"__COLLATIONS": {"a": "spark.UTF8_LCASE"}})


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (INT, INT, True),
        (INT, LONG, False),
        (INT, VOID, False),
        (DecimalType(10, 2), DecimalType(10, 3), False),
        (UnknownType("char(3)"), UnknownType("char(3)"), True),
        (ArrayType(INT), ArrayType(INT, contains_null=False), True),
        (ArrayType(INT), ArrayType(LONG), False),
        (ArrayType(INT), INT, False),
        (MapType(TEXT, INT), MapType(TEXT, INT, value_contains_null=False), True),
        (MapType(TEXT, INT), MapType(INT, INT), False),
        (MapType(TEXT, INT), MapType(TEXT, TEXT), False),
        (struct(a=INT), struct(a=required("a", INT, comment="c")), True),
        (struct(a=INT), struct(A=INT), False),
        (struct(a=INT, b=INT), struct(b=INT, a=INT), False),
        (struct(a=INT), struct(a=INT, b=INT), False),
        (struct(a=struct(x=INT)), struct(a=struct(x=LONG)), False),
        (struct(a=TEXT), struct(a=COLLATED), False),
        (struct(a=COLLATED), struct(a=COLLATED), True),
        (POINT, SAME_POINT, True),
        (POINT, OTHER, False),
        (POINT, LONG, True),
        (LONG, POINT, False),
        (ArrayType(POINT), ArrayType(LONG), True),
    ],
)
def test_same_types_differ_in_nullability_and_notes_at_most(left, right, same):
    assert is_same_type(left, right) is same


@pytest.mark.parametrize(
    ("source", "target", "lacks"),
    [
        (INT, LONG, False),
        (struct(a=INT), struct(A=LONG), False),
        (struct(a=INT), struct(a=INT, b=INT), True),
        (struct(a=INT, b=INT), struct(a=INT), False),
        (struct(a=struct(x=INT)), struct(a=struct(x=INT, y=INT)), True),
        (ArrayType(INT), ArrayType(LONG), False),
        (ArrayType(struct(x=INT)), ArrayType(struct(x=INT, y=INT)), False),
    ],
)
def test_missing_fields_are_seen_at_any_depth(source, target, lacks):
    assert lacks_fields(source, target) is lacks


@pytest.mark.parametrize(
    ("source", "target", "same"),
    [
        (struct(a=INT), struct(A=LONG), True),
        (struct(a=INT, b=INT), struct(b=INT, a=INT), True),
        (struct(a=INT), struct(b=INT), False),
        (ArrayType(struct(a=INT)), ArrayType(struct(a=INT, b=INT)), False),
        (MapType(TEXT, struct(a=INT, b=INT)), MapType(TEXT, struct(a=INT)), False),
        (MapType(struct(a=INT), TEXT), MapType(struct(b=INT), TEXT), False),
        (ArrayType(INT), TEXT, True),
    ],
)
def test_other_fields_are_seen_in_arrays_and_maps_too(source, target, same):
    assert has_same_fields(source, target) is same


def test_collations_are_found_inside_arrays_and_maps():
    noted = {"a.b.element": "icu.FR_CI", "a.b.key": "icu.DE", "a.b.value.element": "spark.UTF8_X"}
    kept = {"__COLLATIONS": noted}

    array = collated_type(StructField("a.b", ArrayType(TEXT), metadata=kept))
    pairs = collated_type(StructField("a.b", MapType(TEXT, ArrayType(TEXT)), metadata=kept))

    assert array == ArrayType(UnknownType("string collate FR_CI"))
    assert pairs == MapType(
        UnknownType("string collate DE"), ArrayType(UnknownType("string collate UTF8_X"))
    )
    assert collated_type(StructField("a", TEXT)) == TEXT
