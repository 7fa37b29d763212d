"""The partitions of a version that values of partition columns name, without any SQL."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

from puredelta.errors import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.table.partition_keys import keys_of, with_keys


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
    keys = keys_of(snapshot, columns=[known[name.lower()] for name in wanted])
    values = dict(zip(keys.names, wanted.values(), strict=True))
    return with_keys(snapshot.files, keys.of_files(snapshot.files), [keys.of_values(values)])


def partition_texts(snapshot: Snapshot, files: pa.Table, zone: str = "UTC") -> list[str]:
    """Return for each file a text that is the same for all files of its partition.

    Args:
        snapshot: the version.
        files: rows of `snapshot.files`.
        zone: where timestamps without zone were written.
    """
    if not snapshot.partition_columns:
        return [""] * files.num_rows
    found: list[str] = keys_of(snapshot, zone).of_files(files).to_pylist()
    return found
