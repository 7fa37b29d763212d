"""Void in types: found at any depth, refused where nothing would be left."""

from typing import Any, cast

import pytest
from pyspark.sql.types import (
    ArrayType,
    IntegerType,
    MapType,
    NullType,
    StringType,
    StructField,
    StructType,
)

from puredelta.engine.row_checks.null_type_columns import has_null_type, without_null_type
from puredelta.errors.classes import DeltaAnalysisError

VOID = NullType()
COLUMN = cast("Any", object())


@pytest.mark.parametrize(
    "data_type",
    [
        VOID,
        ArrayType(VOID),
        MapType(StringType(), ArrayType(VOID)),
        StructType([StructField("a", IntegerType()), StructField("v", VOID)]),
    ],
)
def test_void_is_found_at_any_depth(data_type):
    assert has_null_type(data_type)


def test_column_without_void_is_left_alone():
    field = StructField("s", StructType([StructField("a", ArrayType(IntegerType()))]))

    assert not has_null_type(field.dataType)
    assert without_null_type(COLUMN, field, "s") is COLUMN


@pytest.mark.parametrize(
    "data_type",
    [
        ArrayType(VOID),
        ArrayType(ArrayType(VOID)),
        MapType(StringType(), VOID),
        ArrayType(StructType([StructField("a", IntegerType()), StructField("v", VOID)])),
    ],
)
def test_void_that_no_file_can_hold_is_refused_with_its_path(data_type):
    with pytest.raises(DeltaAnalysisError) as caught:
        without_null_type(COLUMN, StructField("c", data_type), "c")

    assert caught.value.condition == "DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE"
    assert "`c`" in str(caught.value)
    assert data_type.simpleString() in str(caught.value)


def test_struct_of_void_alone_is_refused_with_its_path():
    data_type = StructType([StructField("v", VOID)])

    with pytest.raises(DeltaAnalysisError) as caught:
        without_null_type(COLUMN, StructField("s", data_type), "c.s")

    assert caught.value.condition == "DELTA_CANNOT_WRITE_EMPTY_SCHEMA.STRUCT_ALL_VOID_FIELDS"
    assert "`c.s`" in str(caught.value)
