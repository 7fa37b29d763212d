"""The partition values of files as typed Arrow columns."""

from collections.abc import Callable
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.log.files import partition_texts as texts_of
from puredelta.log.snapshot import Snapshot
from puredelta.schema.arrow import type_to_arrow
from puredelta.schema.datatypes import STRING, DataType, DecimalType
from puredelta.schema.physical import name_in_files

_HUGE_EXPONENT = r"[eE][+-]?[0-9]{4}"

Reading: TypeAlias = Callable[[pa.Array, DataType], pa.Array]
"""Reads the strings of one partition column as values of its type."""


def as_arrow_reads(texts: pa.Array, data_type: DataType) -> pa.Array:
    """Read partition values by Arrow; they stay text where Arrow cannot read them.

    That is so for timestamps in the old form, which do not say their zone.
    """
    # Arrow ends the process at decimals of huge exponents.
    is_decimal = isinstance(data_type, DecimalType)
    if is_decimal and pc.any(pc.match_substring_regex(texts, _HUGE_EXPONENT)).as_py():
        return texts
    try:
        return texts.cast(type_to_arrow(data_type))
    except pa.ArrowException:
        return texts


def partition_texts(snapshot: Snapshot, files: pa.Table) -> list[pa.Array]:
    """Return the texts of each partition column, in the order of the columns; null means null."""
    maps = files["partition_values"].combine_chunks()
    return [texts_of(maps, _key(snapshot, name)) for name in snapshot.partition_columns]


def partition_struct(snapshot: Snapshot, texts: list[pa.Array], reading: Reading) -> pa.StructArray:
    """Return typed partition values as one struct column, a field a partition column."""
    names = snapshot.partition_columns
    fields = [snapshot.schema.field(name) for name in names]
    columns = [
        reading(column, STRING if field is None else field.data_type)
        for column, field in zip(texts, fields, strict=True)
    ]
    return pa.StructArray.from_arrays(columns, names)


def _key(snapshot: Snapshot, name: str) -> str:
    field = snapshot.schema.field(name)
    return name if field is None else name_in_files(field)
