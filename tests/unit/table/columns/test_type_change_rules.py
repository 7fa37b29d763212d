"""Types that a column may become, and how the others are refused."""

import pytest

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import (
    BINARY,
    DATE,
    DECLARED_TYPE_KEY,
    DOUBLE,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.columns.type_change_rules import check_retyped, may_become, type_text


def column(data_type):
    """A column of a type; of a text as in `varchar(3)`."""
    if isinstance(data_type, str):
        return StructField("c", STRING, metadata={DECLARED_TYPE_KEY: data_type})
    return StructField("c", data_type)


def refusal(before, after, *, widening=True):
    with pytest.raises(DeltaAnalysisError) as raised:
        check_retyped(("s", "c d"), column(before), column(after), table="t", widening=widening)
    return raised.value.condition, dict(raised.value.parameters)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (INTEGER, INTEGER),
        (VOID, BINARY),
        (STRING, STRING),
        ("varchar(3)", "varchar(3)"),
        ("varchar(3)", "varchar(4)"),
        ("varchar(3)", STRING),
        ("char(3)", "varchar(3)"),
        ("char(3)", STRING),
        ("char(3)", "char(3)"),
    ],
)
def test_changes_that_no_file_shows_need_no_feature(before, after):
    assert may_become(column(before), column(after), widening=False)


@pytest.mark.parametrize(
    ("before", "after"),
    [(INTEGER, LONG), (INTEGER, DOUBLE), (DATE, TIMESTAMP_NTZ), (LONG, DecimalType(20, 0))],
)
def test_widening_needs_the_feature(before, after):
    assert may_become(column(before), column(after), widening=True)
    assert not may_become(column(before), column(after), widening=False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LONG, INTEGER),
        (LONG, DOUBLE),
        (INTEGER, STRING),
        (STRING, "varchar(3)"),
        ("varchar(3)", "varchar(2)"),
        ("varchar(3)", "char(3)"),
        ("char(3)", "char(4)"),
        ("char(3)", "varchar(2)"),
    ],
)
def test_other_changes_are_refused(before, after):
    assert not may_become(column(before), column(after), widening=True)


def test_refusal_names_column_and_both_types():
    assert refusal(LONG, "varchar(2)") == (
        "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP",
        {
            "fieldPath": "s.`c d`",
            "oldField": "BIGINT",
            "newField": "VARCHAR(2)",
            "advice": "Rewrite the table with the column cast to that type.",
        },
    )


@pytest.mark.parametrize(
    ("before", "after", "widening", "advice"),
    [
        (INTEGER, LONG, False, "delta.enableTypeWidening"),
        (LONG, INTEGER, False, "cast to that type"),
        (LONG, INTEGER, True, "cast to that type"),
        ("varchar(3)", "varchar(2)", False, "of at least its length"),
    ],
)
def test_refusal_advises_what_leads_to_the_type(before, after, widening, advice):
    assert advice in refusal(before, after, widening=widening)[1]["advice"]


@pytest.mark.parametrize(
    ("before", "after", "condition"),
    [
        (ArrayType(INTEGER), ArrayType(LONG), "DELTA_CANNOT_UPDATE_ARRAY_FIELD"),
        (MapType(STRING, INTEGER), MapType(STRING, LONG), "DELTA_CANNOT_UPDATE_MAP_FIELD"),
        (
            StructType((StructField("a", INTEGER),)),
            StructType((StructField("a", LONG),)),
            "DELTA_CANNOT_UPDATE_STRUCT_FIELD",
        ),
    ],
)
def test_nested_types_are_not_retyped_as_a_whole(before, after, condition):
    assert refusal(before, after) == (condition, {"tableName": "t", "fieldName": "s.`c d`"})


def test_nested_type_that_becomes_another_kind_is_an_unsupported_change():
    assert refusal(ArrayType(INTEGER), STRING)[0] == "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"


def test_type_is_told_as_sql_has_it():
    assert type_text(column(DecimalType(10, 2))) == "DECIMAL(10,2)"
    assert type_text(column("char(3)")) == "CHAR(3)"
    pairs = MapType(STRING, ArrayType(StructType((StructField("a B", INTEGER),))))
    assert type_text(column(pairs)) == "MAP<STRING, ARRAY<STRUCT<`a B`: INT>>>"
