"""Rows as arguments in Python: a DataFrame of PySpark, or of pandas, polars or Arrow."""

from __future__ import annotations

from typing import Any, TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from puredelta.engine.exceptions import shown
from puredelta.rows.writing.incoming import LocalRows, arrow_table
from puredelta.schema.from_arrow import is_list

SOURCE = "source"
"""The name, in conditions of a MERGE, of rows that cannot have an alias of their own."""


Rows: TypeAlias = DataFrame | LocalRows
"""Rows of Spark, or rows of this process that become rows of Spark."""

_MOST_DIGITS = 38

# Spark does not have these types; every value fits the type that replaces it.
_WIDER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
    pa.string_view(): pa.string(),
    pa.binary_view(): pa.binary(),
    pa.date64(): pa.date32(),
}


def rows_from_argument(spark: SparkSession, given: Any, name: str) -> DataFrame:
    """Return rows as a DataFrame of Spark.

    Args:
        spark: where those of this process go.
        given: a DataFrame of PySpark, or of pandas without its index, or of polars, a LazyFrame of
            it, or anything that Arrow takes. What pandas has no value for is null, NaN among it.
            The rows are called `source`.
        name: what the argument is called.

    Raises:
        TypeError: it is something else, or a column has a type that Spark does not know.
        DeltaIllegalArgumentException: PUREDELTA_ROWS_NOT_ARROW: a column of pandas has values of
            several types.
    """
    if isinstance(given, DataFrame):
        return given
    try:
        with shown():
            table = arrow_table(given, name)
    except TypeError:
        raise TypeError(
            f"{name} must be DataFrame, of PySpark, pandas, polars or Arrow, not {type(given)}"
        ) from None
    return spark.createDataFrame(table.cast(spark_schema(table.schema))).alias(SOURCE)


def spark_schema(schema: pa.Schema) -> pa.Schema:
    """Return columns of Arrow in types that Spark has, each at least as wide."""
    return pa.schema([field.with_type(_known(field.type)) for field in schema])


def _known(kind: pa.DataType) -> pa.DataType:
    """Return the type of Arrow that Spark knows for another one."""
    if pa.types.is_dictionary(kind):
        return _known(kind.value_type)
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_known(field.type)) for field in kind])
    if pa.types.is_fixed_size_binary(kind):
        return pa.binary()
    if pa.types.is_decimal(kind) and kind.precision <= _MOST_DIGITS:
        return pa.decimal128(kind.precision, kind.scale)
    if is_list(kind):
        return pa.list_(kind.value_field.with_type(_known(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(_known(kind.key_type), kind.item_field.with_type(_known(kind.item_type)))
    return _WIDER.get(kind, kind)
