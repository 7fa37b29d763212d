"""Schemas across the border between PySpark's types and our own."""

import json

import pytest
from pyspark.ml.linalg import VectorUDT
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    CharType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VarcharType,
    VariantType,
    YearMonthIntervalType,
)

from puredelta.engine.session.spark_types import from_spark, to_spark, type_from_spark
from puredelta.schema import datatypes as ours
from puredelta.schema.codec import schema_to_json
from puredelta.table.evolution.merge_errors import type_text

STRICT = StructType([StructField("x", IntegerType(), nullable=False)])
TYPES = [
    ByteType(), ShortType(), IntegerType(), LongType(), FloatType(), DoubleType(), StringType(),
    BinaryType(), BooleanType(), DateType(), TimestampType(), TimestampNTZType(), VariantType(),
    NullType(), DecimalType(20, 3), CharType(3), VarcharType(4), DayTimeIntervalType(),
    YearMonthIntervalType(0, 0), VectorUDT(), ArrayType(StringType(), containsNull=False),
    MapType(STRICT, DecimalType(), valueContainsNull=False), STRICT, ArrayType(VectorUDT()),
]  # fmt: skip


@pytest.mark.parametrize("data_type", TYPES, ids=lambda given: given.simpleString())
def test_types_cross_and_come_back(data_type):
    schema = StructType(
        [StructField("A b", data_type, nullable=False, metadata={"z": {"b": [1, "c"]}, "a": True})]
    )

    assert to_spark(from_spark(schema)) == schema
    [field] = from_spark(schema)
    assert field.data_type == type_from_spark(data_type)
    assert (field.name, field.nullable) == ("A b", False)
    assert field.metadata == {"z": {"b": [1, "c"]}, "a": True}


@pytest.mark.parametrize("data_type", TYPES, ids=lambda given: given.simpleString())
def test_errors_write_types_as_pyspark_does(data_type):
    assert type_text(type_from_spark(data_type)) == data_type.simpleString()


def test_collations_cross_beside_the_type():
    lower = StringType("UTF8_LCASE")
    schema = StructType([StructField("c", MapType(lower, ArrayType(lower)))])

    crossed = from_spark(schema)

    assert crossed.fields[0].data_type == ours.MapType(ours.STRING, ours.ArrayType(ours.STRING))
    assert to_spark(crossed) == schema
    assert type_text(type_from_spark(lower)) == lower.simpleString()


def test_class_that_nobody_has_loaded_is_what_it_stores():
    definition = {"type": "udt", "class": "x.Y", "pyClass": "nowhere.YUDT", "sqlType": "long"}
    unknown = ours.UserDefinedType(json.dumps(definition), ours.LONG)
    schema = ours.StructType((ours.StructField("u", ours.ArrayType(unknown)),))

    assert '"udt"' in schema_to_json(schema)
    assert to_spark(schema) == StructType([StructField("u", ArrayType(LongType()))])
