"""Which files of a table a write takes away, and the records that say so."""

from collections.abc import Callable, Iterable

from puredelta._util.clock import now_ms
from puredelta.engine.partition_filter import Partition, partition_key
from puredelta.log.actions import AddFile, RemoveFile
from puredelta.log.files import add_files
from puredelta.log.snapshot import Snapshot
from puredelta.storage.location import decode_path


def live_files(
    snapshot: Snapshot, wanted: Callable[[Partition], bool] | None = None
) -> list[AddFile]:
    """Return the files of a version, of the partitions wanted or all."""
    files = add_files(snapshot.files)
    if wanted is None:
        return files
    columns = snapshot.partition_columns
    return [file for file in files if wanted(partition_key(file.partition_values, columns))]


def partitions_of(files: Iterable[AddFile], columns: list[str]) -> list[Partition]:
    """Return the distinct partitions of files, in order of first appearance."""
    return list(dict.fromkeys(partition_key(file.partition_values, columns) for file in files))


def shown(files: Iterable[AddFile]) -> list[str]:
    """Return the paths of files as a snapshot shows them: decoded."""
    return [decode_path(file.path) for file in files]


def removal(file: AddFile) -> RemoveFile:
    """Return the record that takes a file out of the table."""
    return RemoveFile(
        path=file.path,
        deletion_timestamp=now_ms(),
        data_change=True,
        extended_file_metadata=True,
        # A null is said by leaving the column out, as delta-spark does.
        partition_values={k: v for k, v in file.partition_values.items() if v is not None},
        size=file.size,
        tags=file.tags,
        deletion_vector=file.deletion_vector,
        base_row_id=file.base_row_id,
        default_row_commit_version=file.default_row_commit_version,
    )
