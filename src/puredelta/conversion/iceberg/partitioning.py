"""The partition columns that a Delta table can have over the files of an Iceberg table.

A column partitions a Delta table by its value, so of Iceberg's transforms only the identity fits.
Iceberg's files hold the columns that partition them, so a table that cannot be partitioned as it
was is still right without: its files are found by their statistics.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyiceberg.transforms import BucketTransform, IdentityTransform, VoidTransform

from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.schema.datatypes import (
    BINARY,
    DATE,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    StructField,
    StructType,
)
from puredelta.schema.physical import PHYSICAL_NAME_KEY
from puredelta.table.columns.column_mapping import ID_KEY
from puredelta.table.partition_values import text_from_value, utc_text
from puredelta.table.statistics.datetime_text import date_text, timestamp_text

IGNORE_BUCKETS = "delta.ignoreIcebergBucketPartition"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leniency:
    """What may be lost of the partitioning; its columns are in the files all the same.

    Attributes:
        ignore_buckets: Buckets.
        leave_out_transforms: All that is not the value of a column.
        evolution: What only some of the files are partitioned by.
    """

    ignore_buckets: bool = False
    leave_out_transforms: bool = False
    evolution: bool = False


@dataclass(frozen=True, slots=True)
class PartitionColumn:
    """A column that partitions the Delta table.

    Attributes:
        field: The column.
        places: Where its value stands in the partitions of files, by the number of the spec.
    """

    field: StructField
    places: Mapping[int, int]


def partition_columns(
    table: Any, schema: StructType, written: Iterable[int], leniency: Leniency
) -> tuple[PartitionColumn, ...]:
    """Choose the columns by which all files are partitioned.

    Args:
        table: The `TableMetadata`.
        schema: The columns of the Delta table.
        written: The numbers of the specs that files were written with.
        leniency: What may be lost.

    Raises:
        DeltaUnsupportedOperationError: The table is partitioned by more than values of columns
            (DELTA_ICEBERG_PARTITION_TRANSFORM), or files are partitioned in several ways
            (DELTA_ICEBERG_PARTITION_EVOLUTION).
    """
    specs = {spec.spec_id: spec for spec in table.partition_specs}
    current = specs[table.default_spec_id]
    used = [specs[number] for number in sorted(set(written))] or [current]
    _refuse_evolution(used, leniency)
    for spec in used:
        _refuse_transforms(table, spec, leniency)
    last = current if current in used else used[-1]
    by_id = {field.metadata[ID_KEY]: field for field in schema}
    found = (_column(by_id.get(source), source, used) for source in _sources(last))
    return tuple(column for column in found if column is not None)


def partition_text(value: Any, data_type: DataType) -> str | None:
    """Write a partition value as the log has it.

    Args:
        value: As a manifest has it: days, microseconds, plain values.
        data_type: The type of the column.
    """
    if value is None:
        return None
    if data_type in _COUNTS:
        return _COUNTS[data_type](value)
    # An empty text is one in Iceberg, and none in the log.
    return value if isinstance(value, str) else text_from_value(value, data_type)


def physical_values(
    columns: Iterable[PartitionColumn], spec: int, partition: Sequence[Any]
) -> dict[str, str | None]:
    """Return the partition values of a file, as the log has them.

    Args:
        columns: The partition columns.
        spec: The number of the spec that the file was written with.
        partition: Its partition, as the manifest has it.
    """
    values: dict[str, str | None] = {}
    for column in columns:
        name = str(column.field.metadata[PHYSICAL_NAME_KEY])
        values[name] = partition_text(partition[column.places[spec]], column.field.data_type)
    return values


def _refuse_evolution(used: Sequence[Any], leniency: Leniency) -> None:
    if len({frozenset(_sources(spec)) for spec in used}) > 1 and not leniency.evolution:
        raise DeltaUnsupportedOperationError(
            "DELTA_ICEBERG_PARTITION_EVOLUTION",
            partitionings=" | ".join(_shown(spec) for spec in used),
        )


def _refuse_transforms(table: Any, spec: Any, leniency: Leniency) -> None:
    for field in spec.fields:
        is_bucket = isinstance(field.transform, BucketTransform)
        if (
            isinstance(field.transform, (IdentityTransform, VoidTransform))
            or leniency.leave_out_transforms
            or (is_bucket and leniency.ignore_buckets)
        ):
            continue
        raise DeltaUnsupportedOperationError(
            "DELTA_ICEBERG_PARTITION_TRANSFORM",
            partition=field.name,
            transform=str(field.transform),
            column=table.schema().find_column_name(field.source_id) or field.source_id,
        )


def _shown(spec: Any) -> str:
    fields = (f"{field.transform}({field.name})" for field in spec.fields)
    return ", ".join(fields) or "not partitioned"


def _sources(spec: Any) -> list[int]:
    return [
        field.source_id for field in spec.fields if isinstance(field.transform, IdentityTransform)
    ]


def _column(field: StructField | None, source: int, used: Sequence[Any]) -> PartitionColumn | None:
    """Return a partition column; none for a dropped column, or one inside of a struct."""
    places = {spec.spec_id: _place(spec, source) for spec in used}
    known = {number: place for number, place in places.items() if place is not None}
    if field is None or len(known) < len(places) or field.data_type == BINARY:
        return None
    return PartitionColumn(field, known)


def _place(spec: Any, source: int) -> int | None:
    for place, field in enumerate(spec.fields):
        if field.source_id == source and isinstance(field.transform, IdentityTransform):
            return place
    return None


def _ntz_text(micros: int) -> str:
    text = timestamp_text(micros)
    return text.rstrip("0") if "." in text else text


# Manifests have days and microseconds, which no first and last year of Python bound.
_COUNTS: Mapping[DataType, Callable[[int], str]] = {
    DATE: date_text,
    TIMESTAMP: utc_text,
    TIMESTAMP_NTZ: _ntz_text,
}
