"""The partitions of a version that values of partition columns name, without any SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from puredelta.errors import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import STRING
from puredelta.table.columns.column_mapping import mapping_mode, physical_names
from puredelta.table.partition_keys import PartitionKeys, with_keys


def partition_keys(snapshot: Snapshot, columns: Sequence[str], zone: str = "UTC") -> PartitionKeys:
    """Return how partitions of a version are told apart by some of its columns.

    Args:
        snapshot: the version.
        columns: partition columns, as users name them.
        zone: where timestamps without zone were written.
    """
    fields = [snapshot.schema.field(name) for name in columns]
    types = tuple(STRING if field is None else field.data_type for field in fields)
    mode = mapping_mode(snapshot.configuration)
    return PartitionKeys(tuple(physical_names(snapshot.schema, columns, mode)), types, zone)


def files_of_partitions(snapshot: Snapshot, wanted: Mapping[str, str]) -> pa.Table:
    """Return the files of the partitions that have certain values, compared by their type.

    Args:
        snapshot: the version.
        wanted: a value of each partition column that counts, as text; empty for null.

    Raises:
        DeltaAnalysisError: DELTA_NON_PARTITION_COLUMN_REFERENCE.
    """
    if not wanted:
        return snapshot.files
    known = {name.lower(): name for name in snapshot.partition_columns}
    for name in wanted:
        if name.lower() not in known:
            raise DeltaAnalysisError(
                "DELTA_NON_PARTITION_COLUMN_REFERENCE",
                columnName=name,
                columnList=list(snapshot.partition_columns),
            )
    keys = partition_keys(snapshot, [known[name.lower()] for name in wanted])
    values = dict(zip(keys.names, wanted.values(), strict=True))
    return with_keys(snapshot.files, keys.of_files(snapshot.files), [keys.of_values(values)])


def partition_texts(snapshot: Snapshot, files: pa.Table) -> list[str]:
    """Return for each file a text that tells its partition from others."""
    if not snapshot.partition_columns:
        return [""] * files.num_rows
    found: list[str] = (
        partition_keys(snapshot, snapshot.partition_columns).of_files(files).to_pylist()
    )
    return found
