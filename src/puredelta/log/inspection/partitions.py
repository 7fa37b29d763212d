"""The partitions of a version, a row each: how many files, bytes and rows lie in them."""

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.log.file_stats import num_records
from puredelta.log.files import num_deleted
from puredelta.log.inspection.files import TIME
from puredelta.log.inspection.partition_values import (
    Reading,
    as_arrow_reads,
    partition_struct,
    partition_texts,
)
from puredelta.log.snapshot import Snapshot

# A sum in which one file does not say its part is not known.
_ALL = pc.ScalarAggregateOptions(skip_nulls=False)
_EACH = pc.CountOptions(mode="all")

_SUMS = (
    ("size", "count", _EACH),
    ("size", "sum", _ALL),
    ("num_records", "sum", _ALL),
    ("num_deleted", "sum", _ALL),
    ("size", "min", _ALL),
    ("size", "max", _ALL),
    ("modification_time", "max", _ALL),
)


def list_partitions(snapshot: Snapshot, reading: Reading = as_arrow_reads) -> pa.Table:
    """List the partitions of a version that have files, ordered by their values.

    Args:
        snapshot: The version.
        reading: How strings of partition values are read.

    Returns:
        A row a partition: `partition`, a struct with a typed field a partition column;
        `num_files`; `size` in bytes; `num_records`, the rows in the files, null where one of them
        does not say; `num_deleted`, those of them that deletion vectors hide; `smallest_file`
        and `largest_file` in bytes; `modification_time` of the newest file. A table without
        partition columns is one row, without the column `partition`.
    """
    files = snapshot.files
    texts = partition_texts(snapshot, files)
    keys = [f"key{number}" for number in range(len(texts))]
    facts = {
        "size": files["size"],
        "num_records": num_records(files),
        "num_deleted": num_deleted(files),
        "modification_time": files["modification_time"],
    }
    table = pa.table({**dict(zip(keys, texts, strict=True)), **facts})
    grouped = table.group_by(keys, use_threads=False).aggregate(list(_SUMS))
    # Without keys, an aggregate has a row even where there are no files.
    grouped = grouped.filter(pc.greater(grouped["size_count"], 0)).combine_chunks()
    found = pa.table(
        {
            "num_files": grouped["size_count"],
            "size": grouped["size_sum"],
            "num_records": grouped["num_records_sum"],
            "num_deleted": grouped["num_deleted_sum"],
            "smallest_file": grouped["size_min"],
            "largest_file": grouped["size_max"],
            "modification_time": grouped["modification_time_max"].cast(TIME),
        }
    )
    if not keys:
        return found
    values = partition_struct(snapshot, [_array(grouped[key]) for key in keys], reading)
    return found.add_column(0, "partition", values).take(_by_value(values))


def _by_value(values: pa.StructArray) -> pa.Array:
    names = [f"key{number}" for number in range(len(values.type))]
    columns = pa.Table.from_arrays(values.flatten(), names)
    return pc.sort_indices(columns, sort_keys=[(name, "ascending") for name in names])


def _array(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
