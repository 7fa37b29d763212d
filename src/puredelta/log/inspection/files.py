"""The data files of a version, a row each."""

import pyarrow as pa

from puredelta.log.file_stats import num_records
from puredelta.log.files import num_deleted
from puredelta.log.inspection.partition_values import (
    Reading,
    as_arrow_reads,
    partition_struct,
    partition_texts,
)
from puredelta.log.snapshot import Snapshot

TIME = pa.timestamp("ms", "UTC")

# What the log keeps with a file besides what most callers need.
_KEPT_AS_THEY_ARE = ("tags", "base_row_id", "default_row_commit_version", "clustering_provider")


def list_files(snapshot: Snapshot, reading: Reading = as_arrow_reads) -> pa.Table:
    """List the data files of a version.

    Args:
        snapshot: The version.
        reading: How strings of partition values are read.

    Returns:
        A row a file: `path` below the table; `size` in bytes; `modification_time`; `partition`, a
        struct with a typed field a partition column, only in partitioned tables; `num_records`,
        the rows in the file, null where statistics do not say; `num_deleted`, those of them that
        a deletion vector hides; `tags`; with row tracking `base_row_id`, the id of the first row,
        and `default_row_commit_version`, the version that the rows came with;
        `clustering_provider`; `stats` as the JSON of the log.
    """
    files = snapshot.files
    columns = {
        "path": files["path"],
        "size": files["size"],
        "modification_time": files["modification_time"].cast(TIME),
    }
    if snapshot.partition_columns:
        texts = partition_texts(snapshot, files)
        columns["partition"] = partition_struct(snapshot, texts, reading)
    columns["num_records"] = num_records(files)
    columns["num_deleted"] = num_deleted(files)
    columns |= {name: files[name] for name in _KEPT_AS_THEY_ARE}
    return pa.table({**columns, "stats": files["stats"]})
