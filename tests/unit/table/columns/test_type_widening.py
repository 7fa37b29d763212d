"""Types that may be widened, and what the schema then tells of the older ones."""

import pytest

from puredelta.schema.datatypes import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.columns.type_widening import (
    Widening,
    automatic_widening,
    widens,
    with_type_changes,
)

KEY = "delta.typeChanges"


def schema(**fields: DataType) -> StructType:
    return StructType(tuple(StructField(name, kind) for name, kind in fields.items()))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BYTE, SHORT),
        (BYTE, LONG),
        (INTEGER, LONG),
        (FLOAT, DOUBLE),
        (DecimalType(5, 2), DecimalType(6, 2)),
        (DecimalType(5, 2), DecimalType(7, 4)),
    ],
)
def test_wider_type_of_the_family_is_taken(before, after):
    assert widens(before, after)
    assert widens(before, after, Widening.SAME_FAMILY)
    assert not widens(before, after, Widening.NEVER)
    assert not widens(after, before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BYTE, DOUBLE),
        (INTEGER, DOUBLE),
        (DATE, TIMESTAMP_NTZ),
        (BYTE, DecimalType(10, 0)),
        (INTEGER, DecimalType(12, 2)),
        (LONG, DecimalType(20, 0)),
    ],
)
def test_type_of_another_family_is_taken_only_where_all_are(before, after):
    assert widens(before, after)
    assert not widens(before, after, Widening.SAME_FAMILY)
    assert not widens(after, before)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (INTEGER, INTEGER),
        (LONG, DOUBLE),
        (INTEGER, FLOAT),
        (INTEGER, STRING),
        (DATE, TIMESTAMP),
        (INTEGER, DecimalType(10, 1)),
        (LONG, DecimalType(19, 0)),
        (DecimalType(5, 2), DecimalType(5, 2)),
        (DecimalType(5, 2), DecimalType(6, 4)),
        (DecimalType(5, 2), DecimalType(6, 1)),
        (ArrayType(INTEGER), ArrayType(LONG)),
    ],
)
def test_type_that_cannot_hold_all_values_is_not_taken(before, after):
    assert not widens(before, after)


def test_writes_widen_only_in_tables_that_allow_it():
    allowed = {"delta.enableTypeWidening": "true"}

    assert automatic_widening({}, "always") is Widening.NEVER
    assert automatic_widening(allowed, "ALWAYS") is Widening.ALWAYS
    assert automatic_widening(allowed, "same_family_type") is Widening.SAME_FAMILY
    assert automatic_widening(allowed, "never") is Widening.NEVER


def test_change_is_told_with_the_column():
    after = with_type_changes(schema(a=INTEGER, b=STRING), schema(a=LONG, b=STRING, c=LONG))

    assert [field.metadata for field in after] == [
        {KEY: [{"toType": "long", "fromType": "integer"}]},
        {},
        {},
    ]


def test_changes_are_told_one_after_the_other():
    known = {"comment": "c", KEY: [{"toType": "short", "fromType": "byte"}]}
    before = StructType((StructField("a", SHORT, metadata=known),))

    after = with_type_changes(before, StructType((StructField("a", LONG, metadata=known),)))

    assert after.fields[0].metadata == {
        "comment": "c",
        KEY: [*known[KEY], {"toType": "long", "fromType": "short"}],
    }


def test_change_inside_is_told_with_the_nearest_field():
    before = schema(s=schema(a=INTEGER), m=MapType(INTEGER, ArrayType(schema(x=DecimalType(5, 2)))))
    wider = schema(s=schema(a=LONG), m=MapType(LONG, ArrayType(schema(x=DecimalType(6, 2)))))

    after = with_type_changes(before, wider)

    s, m = after.fields
    assert s.metadata == {}
    assert isinstance(s.data_type, StructType)
    assert s.data_type.fields[0].metadata == {KEY: [{"toType": "long", "fromType": "integer"}]}
    assert m.metadata == {KEY: [{"toType": "long", "fromType": "integer", "fieldPath": "key"}]}
    assert isinstance(m.data_type, MapType)
    assert isinstance(m.data_type.value_type, ArrayType)
    assert isinstance(m.data_type.value_type.element_type, StructType)
    assert m.data_type.value_type.element_type.fields[0].metadata == {
        KEY: [{"toType": "decimal(6,2)", "fromType": "decimal(5,2)"}]
    }


def test_type_for_void_is_no_change():
    after = with_type_changes(schema(v=VOID), schema(v=STRING))

    assert after.fields[0].metadata == {}
