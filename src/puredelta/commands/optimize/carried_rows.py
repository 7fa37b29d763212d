"""Rows that others deleted while they moved: found in the new files by their values.

Two writers that take rows out of one file by deletion vectors can follow each other (`txn`). A
rewrite has given up the file by then, so its new files get the vectors. Where a row went is proven
by its values: a row with the same ones, ids of tracked rows included, is equal to it.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc
from pyroaring import BitMap64
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import ArrayType, DataType, MapType, StructType, VariantType

from puredelta.commands.optimize.moved_rows import MovedRows
from puredelta.commands.rows.file_rewriting import rows_of
from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.dml.affected_rows import FILE, PLACE, with_row_positions
from puredelta.engine.dml.row_locations import file_positions
from puredelta.engine.scan.pinned_files import frame_of_files
from puredelta.engine.scan.row_id_columns import with_row_ids
from puredelta.errors.classes import DeltaConcurrentModificationError
from puredelta.log.actions import AddFile
from puredelta.log.files import add_files, canonical_path, file_key, files_table
from puredelta.log.snapshot import Snapshot
from puredelta.table.columns.later_schemas import are_files_valid
from puredelta.table.deletion_vectors.writing import TableVectors
from puredelta.table.protocol.protocol import check_writable
from puredelta.table.protocol.row_tracking import stored_columns
from puredelta.table.statistics.row_counts import row_counts

MOST_ROWS = 100_000
"""So many rows are looked for in new files; who deletes more while they move wins instead."""

_KEY = "__puredelta_hash_of_row"


@dataclass(frozen=True, slots=True)
class _LostRows:
    """A file that rows moved from, and the rows that another writer deleted in it meanwhile."""

    file: AddFile
    rows: BitMap64


def live_records(snapshot: Snapshot, files: Sequence[AddFile]) -> list[AddFile | None]:
    """Return what a version says of some files; None for those that are not in it.

    Args:
        snapshot: the version.
        files: records of the files in another version.
    """
    wanted = [canonical_path(file.path) for file in files]
    found = pc.is_in(snapshot.files["path"], value_set=pa.array(wanted, pa.string()))
    by_path = {canonical_path(file.path): file for file in add_files(snapshot.files.filter(found))}
    return [by_path.get(path) for path in wanted]


def carried_over(
    target: WriteTarget,
    latest: Snapshot,
    moved: MovedRows,
    conflict: DeltaConcurrentModificationError,
) -> MovedRows:
    """Return rows that moved as they follow a later version.

    Args:
        target: the table.
        latest: the version that others made.
        moved: the files, as they were to be committed.
        conflict: raised where the rows cannot follow.

    Raises:
        DeltaConcurrentModificationError: the conflict.
        DeltaError: the version is not writable, or a vector or a file cannot be read.
    """
    check_writable(latest.protocol, latest.metadata, target.table.label)
    if not _same_rows(target.before, latest):
        raise conflict
    records = [found for found in live_records(latest, moved.removed) if found is not None]
    if len(records) < len(moved.removed):
        raise conflict
    lost = _lost_rows(TableVectors(latest.store), moved.removed, records)
    if lost is None:
        raise conflict
    if not lost:
        return moved
    hidden = _found_again(target, moved, lost)
    if hidden is None:
        raise conflict
    written = replace(moved.written, files=_with_vectors(latest, moved, hidden))
    return replace(moved, removed=tuple(records), written=written)


def _same_rows(before: Snapshot, latest: Snapshot) -> bool:
    """Say whether files that were written for a version are still what the table wants."""
    old, new = before.metadata, latest.metadata
    return (
        old.id == new.id
        and old.partition_columns == new.partition_columns
        and (old.schema_string == new.schema_string or are_files_valid(old, new))
        # Rows get ids by which they are known from the version on that tracks them.
        and stored_columns(old.configuration) == stored_columns(new.configuration)
    )


def _lost_rows(
    vectors: TableVectors, before: Sequence[AddFile], after: Sequence[AddFile]
) -> list[_LostRows] | None:
    """Return the rows that are deleted in later records; None where some came back."""
    lost = []
    for old, new in zip(before, after, strict=True):
        if file_key(old) == file_key(new):
            continue
        were, are = vectors.deleted(old), vectors.deleted(new)
        if were - are:
            return None
        lost.append(_LostRows(old, are - were))
    return lost


def _found_again(
    target: WriteTarget, moved: MovedRows, lost: Sequence[_LostRows]
) -> dict[str, BitMap64] | None:
    """Return where rows are in the new files, by path; None where that is not certain."""
    count = sum(len(found.rows) for found in lost)
    if count > MOST_ROWS:
        return None
    gone = _with_hash(_rows_lost(target, lost))
    new = files_table(moved.written.files)
    columns = [name for name in gone.columns if name != _KEY]
    keys = gone.select(_KEY).distinct()
    there = _with_hash(_rows_written(target, new)).join(F.broadcast(keys), _KEY, "left_semi")
    places: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for row in there.select(*columns, FILE, PLACE).collect():
        places[repr(tuple(row)[:-2])].append((row[FILE], row[PLACE]))
    hidden: dict[str, BitMap64] = defaultdict(BitMap64)
    for row in gone.select(*columns).collect():
        candidates = places[repr(tuple(row))]
        if not candidates:
            return None
        file, place = candidates.pop()
        hidden[file].add(place)
    names = list(hidden)
    found = file_positions(names, new, target.table.root).to_pylist()
    paths = new["path"].to_pylist()
    result = {paths[at]: hidden[name] for at, name in zip(found, names, strict=True)}
    return result if sum(map(len, result.values())) == count else None


def _rows_lost(target: WriteTarget, lost: Sequence[_LostRows]) -> DataFrame:
    store = target.before.store
    files = [found.file for found in lost]
    shown = TableVectors(store).showing(
        files_table(files), [found.rows for found in lost], row_counts(files, store)
    )
    return rows_of(target, shown)


def _rows_written(target: WriteTarget, new: pa.Table) -> DataFrame:
    """Return the rows of new files, with the columns of old ones and their places."""
    table = target.table
    after = replace(target.before, metadata=target.metadata)
    rows = frame_of_files(
        target.context.session, table.root, after, new, table.options, is_planned=True
    )
    return with_row_ids(with_row_positions(rows), target.metadata)


def _with_hash(rows: DataFrame) -> DataFrame:
    """Add a number that equal rows have in common, so that few rows are compared in full."""
    hashed = [
        F.col(f"`{field.name}`")
        for field in rows.schema
        if field.name not in (FILE, PLACE) and _has_hash(field.dataType)
    ]
    key: Column = F.xxhash64(*hashed) if hashed else F.lit(0).cast("bigint")
    return rows.withColumn(_KEY, key)


def _has_hash(kind: DataType) -> bool:
    match kind:
        case MapType() | VariantType():
            return False
        case ArrayType():
            return _has_hash(kind.elementType)
        case StructType():
            return all(_has_hash(field.dataType) for field in kind)
        case _:
            return True


def _with_vectors(
    latest: Snapshot, moved: MovedRows, hidden: dict[str, BitMap64]
) -> tuple[AddFile, ...]:
    """Return the new files without the rows that others deleted."""
    vectors = TableVectors(latest.store)
    files = moved.written.files
    marked = [file for file in files if canonical_path(file.path) in hidden]
    rows = [hidden[canonical_path(file.path)] for file in marked]
    # Rows that an earlier round has hidden were deleted before these, and are no longer found.
    after = vectors.mark(marked, rows, row_counts(marked, latest.store)).after
    others = [file for file in files if canonical_path(file.path) not in hidden]
    return (*others, *after)
