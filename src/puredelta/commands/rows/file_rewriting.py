"""Files without some of their rows: what DELETE does, and overwrites of some rows."""

from dataclasses import dataclass, replace
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import NullType

from puredelta.commands.rows.file_writing import has_change_feed, write_rows, write_rows_and_changes
from puredelta.commands.rows.layout import spark_schema
from puredelta.commands.rows.target import RemovedFiles, WriteTarget
from puredelta.engine.dml.row_locations import file_positions, with_file
from puredelta.engine.row_checks.null_type_columns import without_null_type
from puredelta.engine.scan.pinned_files import frame_of_files
from puredelta.engine.scan.row_id_columns import kept, row_id_columns, with_row_ids
from puredelta.engine.write.footers import WrittenFiles
from puredelta.log.file_stats import num_records
from puredelta.log.files import add_files, files_table, num_deleted
from puredelta.schema.column_path import quote_name
from puredelta.table.change_columns import CHANGE_TYPE, DELETE, INSERT

_FILE = "__puredelta_file_of_row"


class Matching(Protocol):
    """Which rows go: a condition, or a match with other rows."""

    def matched(self, rows: DataFrame) -> DataFrame:
        """Return the rows that go, with all their columns."""

    def kept(self, rows: DataFrame) -> DataFrame:
        """Return the rows that stay."""


@dataclass(frozen=True, slots=True)
class RowsWhere:
    """The rows for which a condition is true; where it is null, they stay.

    Attributes:
        condition: SQL over the table's columns.
    """

    condition: str

    def matched(self, rows: DataFrame) -> DataFrame:
        """Return the rows for which the condition is true."""
        return rows.where(F.expr(self.condition))

    def kept(self, rows: DataFrame) -> DataFrame:
        """Return the rows for which it is false or null."""
        return rows.where(~F.coalesce(F.expr(self.condition), F.lit(False)))  # a literal of SQL


def without_matches(
    target: WriteTarget, candidates: pa.Table, matching: Matching, new: WrittenFiles
) -> RemovedFiles:
    """Take rows out of files: whole files go, others are written anew without them.

    One job finds the files with matches, and a second one copies what stays in those that have
    other rows too. Files without a match are left alone.

    Args:
        target: the table; new files have the schema that it gets.
        candidates: the files that may have matches, rows of `target.before.files`.
        matching: which rows go.
        new: files that come by the same commit; where change files say it, they say all of it.
    """
    if not candidates.num_rows:
        return RemovedFiles()
    touched, counts = _touched(target, candidates, matching)
    if not touched.num_rows:
        return RemovedFiles()
    # A file without a row count might have other rows: -1 equals no count, so it is copied.
    partly = touched.filter(pc.not_equal(pc.fill_null(_row_counts(touched), -1), counts))
    removed, deleted = add_files(touched), int(pc.sum(counts).as_py())
    # Files that go as a whole need no job; readers derive their deletes from `remove` actions.
    if not partly.num_rows and not _needs_changes(target):
        return RemovedFiles(removed=removed, deleted=deleted)
    stays = in_new_schema(matching.kept(_numbered(target, partly)), target)
    if not _needs_changes(target):
        copied = write_rows(target, stays)
        return RemovedFiles(removed=removed, rewritten=copied, deleted=deleted)
    goes = in_new_schema(matching.matched(_numbered(target, touched)), target)
    # Protocol: Add CDC File. A commit with change data files is read from them alone: rows that
    # the write adds have to be in them as inserts.
    comes = in_new_schema(_new_rows(target, new), target)
    rows = _kind(stays, None).union(_kind(goes, DELETE)).union(_kind(comes, INSERT))
    copied, changes = write_rows_and_changes(target, rows)
    return RemovedFiles(removed=removed, rewritten=copied, deleted=deleted, changes=changes)


def copy_rows(target: WriteTarget, files: pa.Table) -> WrittenFiles:
    """Write all rows of files anew, in the schema that the table gets.

    Args:
        target: the table.
        files: rows of `target.before.files`.
    """
    return write_rows(target, rows_of(target, files))


def rows_of(target: WriteTarget, files: pa.Table) -> DataFrame:
    """Return all rows of files as they go into new ones, with their ids if they have any.

    Args:
        target: the table; the rows have the schema that it gets.
        files: rows of `target.before.files`.
    """
    return in_new_schema(_numbered(target, files), target)


def _needs_changes(target: WriteTarget) -> bool:
    """Say whether change files are needed."""
    return has_change_feed(target) and target.options.data_change


def _kind(rows: DataFrame, change: str | None) -> DataFrame:
    return rows.withColumn(CHANGE_TYPE, F.lit(change).cast("string"))


def _numbered(target: WriteTarget, files: pa.Table) -> DataFrame:
    return with_row_ids(_rows(target, files), target.before.metadata)


def _new_rows(target: WriteTarget, new: WrittenFiles) -> DataFrame:
    """Return the rows of files that come, with the columns that the table gets."""
    table, session = target.table, target.context.session
    after = replace(target.before, metadata=target.metadata)
    rows = frame_of_files(
        session, table.root, after, files_table(new.files), table.options, is_planned=True
    )
    return with_row_ids(rows, target.metadata)


def _rows(target: WriteTarget, files: pa.Table) -> DataFrame:
    table = target.table
    session = target.context.session
    return frame_of_files(session, table.root, target.before, files, table.options)


def _touched(
    target: WriteTarget, candidates: pa.Table, matching: Matching
) -> tuple[pa.Table, pa.Array]:
    """Return the files with matches, and how many each has."""
    rows = _rows(target, candidates)
    found = matching.matched(with_file(rows, _FILE)).groupBy(_FILE).count().collect()
    places = file_positions([row[0] for row in found], candidates, target.table.root)
    order = pc.array_sort_indices(places)
    counts = pa.array([row[1] for row in found], pa.int64())
    return candidates.take(places.take(order)), counts.take(order)


def _row_counts(files: pa.Table) -> pa.ChunkedArray:
    """Return how many rows files have that are not deleted; null where statistics lack it."""
    return pc.subtract(num_records(files), num_deleted(files))


def in_new_schema(rows: DataFrame, target: WriteTarget) -> DataFrame:
    """Give rows that stay the columns that the table gets, of which the new ones are null."""
    there = {field.name: field for field in rows.schema}
    columns: list[Column] = []
    for field in spark_schema(target.metadata):
        # Parquet has no such type; readers fill the column with nulls.
        if isinstance(field.dataType, NullType):
            continue
        if field.name not in there:
            value = F.lit(None).cast(field.dataType)
        else:
            value = F.col(quote_name(field.name))
            # The write may widen the column; a new file has the new type from the start.
            if there[field.name].dataType != field.dataType:
                value = value.cast(field.dataType)
        stored = without_null_type(value, field, field.name)
        columns.append(stored.alias(field.name, metadata=field.metadata or None))
    if set(row_id_columns(target.metadata)) <= there.keys():
        columns += kept(target.metadata)
    return rows.select(*columns)
