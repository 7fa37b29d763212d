"""The rows of anything that a test compares, as an Arrow table in types that Delta has."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

from puredelta.log.reader import TableReader
from puredelta.rows.open_table import OpenTable, open_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from puredelta.api.delta_table import DeltaTable
    from puredelta.rows.writing.incoming import ArrowStream

PythonRows: TypeAlias = Sequence[Mapping[str, Any]] | Sequence[Sequence[Any]]
"""Rows of Python: dictionaries, or tuples, named tuples and `Row`s of Spark."""

_Frame: TypeAlias = "DeltaTable | DataFrame | ArrowStream"

# Type checkers read a quoted alias only if it is one literal.
TableLike: TypeAlias = "str | os.PathLike[str] | TableReader | _Frame | PythonRows"
"""A path of a table, a table, a DataFrame of Spark, pandas, polars or Arrow, or rows of Python."""

_NAMES = {
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.string(): "string",
    pa.binary(): "binary",
    pa.date32(): "date",
    pa.timestamp("us", tz="UTC"): "timestamp",
    pa.timestamp("us"): "timestamp_ntz",
    pa.null(): "void",
}
_SAME_VALUES = {
    pa.large_string(): pa.string(),
    pa.string_view(): pa.string(),
    pa.large_binary(): pa.binary(),
    pa.binary_view(): pa.binary(),
    pa.date64(): pa.date32(),
}
_NOT_OF_THE_TYPE = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError)


def read_rows(given: TableLike, like: pa.Schema | None = None) -> pa.Table:
    """Return all rows, in types that Delta has.

    Args:
        given: what has the rows. A text is the path of a table.
        like: types for rows of Python, by name; rows that are sequences take the names from it,
            too. Values that do not fit keep the type that Arrow infers.

    Raises:
        TypeError: it is something else.
        ValueError: rows of Python have no names, or more or fewer values than columns.
    """
    found = _table_of(given)
    if found is None:
        found = _table_of_python_rows(given, like)
    return found.cast(
        pa.schema([(field.name, plain_type(field.type)) for field in found.schema]), safe=False
    )


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type that Delta has for the same values: no dictionaries, microseconds in UTC.

    >>> str(plain_type(pa.dictionary(pa.int8(), pa.large_string())))
    'string'
    """
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", tz="UTC" if kind.tz else None)
    if pa.types.is_map(kind):
        return pa.map_(plain_type(kind.key_type), plain_type(kind.item_type))
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, plain_type(field.type)) for field in kind])
    if hasattr(kind, "value_type"):
        return pa.list_(pa.field("element", plain_type(kind.value_type)))
    return _SAME_VALUES.get(kind, kind)


def type_name(kind: pa.DataType) -> str:
    """Return how SQL writes a type.

    >>> type_name(pa.struct([("a", pa.list_(pa.decimal128(5, 2)))]))
    'struct<a:array<decimal(5,2)>>'
    """
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_map(kind):
        return f"map<{type_name(kind.key_type)},{type_name(kind.item_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{','.join(f'{field.name}:{type_name(field.type)}' for field in kind)}>"
    if hasattr(kind, "value_type"):
        return f"array<{type_name(kind.value_type)}>"
    return _NAMES.get(kind, str(kind))


def _table_of(given: Any) -> pa.Table | None:
    """Return the rows of everything but rows of Python, for which the result is None."""
    if isinstance(given, (str, os.PathLike)):
        return open_table(given).to_arrow()
    if isinstance(given, OpenTable):
        return given.to_arrow()
    if isinstance(given, TableReader):
        return OpenTable(given).to_arrow()
    if hasattr(given, "toDF") and not hasattr(given, "toArrow"):
        given = given.toDF()  # a DeltaTable
    if hasattr(given, "toArrow"):
        table: pa.Table = given.toArrow()  # a DataFrame of Spark, also of Spark Connect
        return table
    # A DataFrame of pandas exists only after an import of pandas.
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(given, pandas.DataFrame):
        return pa.Table.from_pandas(given, preserve_index=False)
    return pa.table(given) if hasattr(given, "__arrow_c_stream__") else None


def _table_of_python_rows(given: Any, like: pa.Schema | None) -> pa.Table:
    if not isinstance(given, Sequence) or not all(
        isinstance(row, (Mapping, Sequence)) and not isinstance(row, (str, bytes)) for row in given
    ):
        raise TypeError(
            "Rows need to be a table, its path, a DataFrame, or a list of dictionaries or tuples,"
            f" not {type(given).__name__}"
        )
    names: list[str] = column_names(given) or ([] if like is None else like.names)
    if given and not names:
        raise ValueError("The rows are tuples without names; use dictionaries")
    rows = [row_values(row, names) for row in given]
    types = {} if like is None else {field.name: field.type for field in like}
    return pa.table(
        {
            name: _array([row[position] for row in rows], types.get(name))
            for position, name in enumerate(names)
        }
    )


def column_names(rows: Sequence[Any]) -> list[str]:
    """Return the names in rows: all keys of dictionaries, or the fields of the first row.

    >>> column_names([{"b": 1}, {"a": 2, "b": 3}]), column_names([(1, 2)])
    (['b', 'a'], [])
    """
    if all(isinstance(row, Mapping) for row in rows):
        return list(dict.fromkeys(name for row in rows for name in row))
    # A Row of Spark, or a named tuple.
    for attribute in ("__fields__", "_fields"):
        if hasattr(rows[0], attribute):
            return list(getattr(rows[0], attribute))
    return []


def row_values(row: Any, names: Sequence[str]) -> tuple[Any, ...]:
    """Return the values of a row in the order of columns; what a dictionary lacks is null.

    Raises:
        ValueError: a row that is no dictionary has more or fewer values than there are columns.
    """
    if isinstance(row, Mapping):
        return tuple(row.get(name) for name in names)
    if len(row) != len(names):
        raise ValueError(f"A row has {len(row)} values for {len(names)} columns: {row!r}")
    return tuple(row)


def _array(values: list[Any], kind: pa.DataType | None) -> pa.Array:
    # Arrow would cut off what an integer or a date has no place for.
    if kind is None or not all(_fits(value, kind) for value in values):
        return pa.array(values)
    try:
        return pa.array(values, kind)
    except _NOT_OF_THE_TYPE:
        return pa.array(values)


def _fits(value: Any, kind: pa.DataType) -> bool:
    if value is None:
        return True
    if pa.types.is_integer(kind) and isinstance(value, float):
        return value.is_integer()
    if pa.types.is_integer(kind) and isinstance(value, Decimal):
        return value == value.to_integral_value()
    if pa.types.is_date(kind):
        return not isinstance(value, datetime)
    if pa.types.is_struct(kind) and isinstance(value, Mapping):
        return all(_fits(value.get(field.name), field.type) for field in kind)
    if pa.types.is_list(kind) and isinstance(value, Iterable):
        return all(_fits(item, kind.value_type) for item in value)
    return True
