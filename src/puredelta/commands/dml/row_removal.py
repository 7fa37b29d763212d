"""Rows taken out of files: marked in deletion vectors, or left behind when the others move."""

from contextlib import suppress
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.dml.dml_target import DmlTarget
from puredelta.commands.dml.row_change import RowChange, RowCounts
from puredelta.commands.rows.driver_rewriting import SparkNeededError, driver_rewrite
from puredelta.commands.rows.file_rewriting import in_new_schema
from puredelta.commands.rows.file_writing import has_change_feed, write_rows, write_rows_and_changes
from puredelta.engine.dml.affected_rows import AffectedRows
from puredelta.engine.scan.row_id_columns import with_row_ids
from puredelta.log.files import add_files, num_deleted
from puredelta.table.change_columns import CHANGE_TYPE, DELETE
from puredelta.table.deletion_vectors.writing import MarkedFiles


def remove_rows(subject: DmlTarget, touched: AffectedRows, *, by_vectors: bool) -> RowChange:
    """Take rows out of a table's files, and write what a commit needs for it.

    Args:
        subject: the table.
        touched: the rows.
        by_vectors: mark them; else the other rows of their files move to new files.
    """
    rows = RowCounts(deleted=touched.count)
    if by_vectors:
        return RowChange(marked=mark_rows(subject, touched), rows=rows)
    change = RowChange(removed=add_files(touched.files), rows=rows)
    rest = with_rows_left(subject, touched)
    # All rows of all files go, and readers of the feed derive the deletes from `remove` actions.
    # Protocol: Change Data Files.
    if not rest.files.num_rows:
        return change
    with suppress(SparkNeededError):
        written = driver_rewrite(subject.target, rest.files, rest.rows).write()
        return replace(change, written=written, rows=replace(rows, copied=written.rows))
    kept = keep_rows(subject, rest)
    if not has_change_feed(subject.target):
        change = replace(change, written=write_rows(subject.target, kept))
    else:
        # Protocol: Add CDC File. Readers take such a commit from its change data files alone, so
        # these have the rows of files that go as a whole, too.
        counts = subject.counts(touched.files)
        gone = _stored(subject, subject.vectors.showing(touched.files, touched.rows, counts))
        both = typed(kept, None).unionAll(typed(gone, DELETE))
        written, changes = write_rows_and_changes(subject.target, both)
        change = replace(change, written=written, changes=changes)
    return replace(change, rows=replace(rows, copied=change.written.rows))


def mark_rows(subject: DmlTarget, touched: AffectedRows) -> MarkedFiles:
    """Take rows away by deletion vectors, which are all that is written."""
    counts = subject.counts(touched.files)
    return subject.vectors.mark(add_files(touched.files), touched.rows, counts)


def with_rows_left(subject: DmlTarget, touched: AffectedRows) -> AffectedRows:
    """Return those of the files that have other rows too."""
    # Vectors that a file has already hide rows which `touched` never contains; so live rows count.
    live = pc.subtract(pa.array(subject.counts(touched.files)), num_deleted(touched.files))
    taken = pa.array(map(len, touched.rows), pa.int64())
    places = pc.indices_nonzero(pc.greater(live, taken))
    rows = tuple(touched.rows[place] for place in places.to_pylist())
    return AffectedRows(touched.files.take(places), rows)


def keep_rows(subject: DmlTarget, touched: AffectedRows) -> DataFrame:
    """Return the other rows of files as they go into new files, with their ids if they have any."""
    return _stored(subject, subject.vectors.hiding(touched.files, touched.rows))


def typed(rows: DataFrame, kind: str | None) -> DataFrame:
    """Add the type of change that rows record; None for rows of the table."""
    return rows.withColumn(CHANGE_TYPE, F.lit(kind).cast("string"))


def _stored(subject: DmlTarget, files: pa.Table) -> DataFrame:
    rows = with_row_ids(subject.scan(files), subject.before.metadata)
    return in_new_schema(rows, subject.target)
