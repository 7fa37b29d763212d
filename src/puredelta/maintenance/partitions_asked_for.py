"""The partitions of a version: those that a predicate selects, and how they are distinguished."""

from __future__ import annotations

import pyarrow as pa

from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.partition_predicate import typed
from puredelta.table.partition_keys import keys_of
from puredelta.table.skipping.columns import columns_of_table
from puredelta.table.skipping.evaluate import evaluate
from puredelta.table.skipping.predicate import Condition


def files_of_partitions(snapshot: Snapshot, wanted: Condition) -> pa.Table:
    """Return the files of the partitions for which a predicate is true.

    Args:
        snapshot: the version.
        wanted: the predicate, from `partition_predicate.parse_predicate`.

    Raises:
        DeltaAnalysisError: DELTA_NON_PARTITION_COLUMN_REFERENCE.
        DeltaRuntimeError: a constant is no value of its column's type.
    """
    # Of a partition column all rows of a file have one value, so that "may be true" is "is true".
    found = evaluate(typed(wanted, snapshot), snapshot.files, columns_of_table(snapshot))
    return snapshot.files.filter(pa.array(found.may_be_true, pa.bool_()))


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
