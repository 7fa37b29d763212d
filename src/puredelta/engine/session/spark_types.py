"""PySpark's types as our own, and back: the border that schemas cross, once each.

What crosses is JSON, which PySpark has in Python: no call of the JVM.
"""

import json

from pyspark.sql.types import DataType as SparkType
from pyspark.sql.types import StructType as SparkStruct

from puredelta.schema.codec import (
    schema_from_json,
    schema_to_json,
    stored_schema_from_json,
    type_from_json,
)
from puredelta.schema.datatypes import DataType, StructType

_CLASS = '"udt"'


def from_spark(schema: SparkStruct) -> StructType:
    """Return columns of PySpark as our own."""
    return schema_from_json(schema.json())


def type_from_spark(data_type: SparkType) -> DataType:
    """Return a type of PySpark as our own."""
    return type_from_json(data_type.json())


def to_spark(schema: StructType) -> SparkStruct:
    """Return columns as PySpark's, without classes that the program has not loaded itself."""
    text = schema_to_json(schema)
    if _CLASS in text:
        # PySpark would import what a class is named.
        text = schema_to_json(stored_schema_from_json(text))
    return SparkStruct.fromJson(json.loads(text))
