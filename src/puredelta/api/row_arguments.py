"""Rows as arguments in Python: a DataFrame of PySpark, or of pandas, polars or Arrow."""

from __future__ import annotations

import sys
from typing import Any, Protocol, TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

SOURCE = "source"
"""The name, in conditions of a MERGE, of rows that cannot have an alias of their own."""


class ArrowStream(Protocol):
    """Rows that Arrow can take over: of pandas, polars, DuckDB, pyarrow and others.

    Type checkers need none of these packages to know it. pandas has had the method since 2.2; rows
    of older ones are taken, too.
    """

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the rows as a stream of Arrow."""
        ...


Rows: TypeAlias = DataFrame | ArrowStream
"""Rows of Spark, or rows of this process that become rows of Spark."""

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
        given: a DataFrame of PySpark, or of pandas without its index, or anything that Arrow takes.
            What pandas has no value for is null, NaN among it. The rows are called `source`.
        name: what the argument is called.

    Raises:
        TypeError: it is something else, or a column has a type that Spark does not know.
    """
    if isinstance(given, DataFrame):
        return given
    if _is_pandas(given):
        table = pa.Table.from_pandas(given, preserve_index=False)
    elif hasattr(given, "__arrow_c_stream__"):
        table = pa.table(given)
    else:
        raise TypeError(
            f"{name} must be DataFrame, of PySpark, pandas, polars or Arrow, not {type(given)}"
        )
    return spark.createDataFrame(table.cast(spark_schema(table.schema))).alias(SOURCE)


def spark_schema(schema: pa.Schema) -> pa.Schema:
    """Return columns of Arrow in types that Spark has, each at least as wide."""
    return pa.schema([field.with_type(_known(field.type)) for field in schema])


def _is_pandas(given: Any) -> bool:
    # A DataFrame of pandas exists only after an import of pandas, which is slow and optional here.
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(given, pandas.DataFrame)


def _known(kind: pa.DataType) -> pa.DataType:
    """Return the type of Arrow that Spark knows for another one."""
    if pa.types.is_dictionary(kind):
        return _known(kind.value_type)
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_known(field.type)) for field in kind])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_list_view(kind):
        return pa.list_(kind.value_field.with_type(_known(kind.value_type)))
    if pa.types.is_map(kind):
        return pa.map_(_known(kind.key_type), kind.item_field.with_type(_known(kind.item_type)))
    return _WIDER.get(kind, kind)
