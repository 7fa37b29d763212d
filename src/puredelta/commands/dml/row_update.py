"""Rows that get other values: written to new files, alone or with the other rows of their files."""

from contextlib import suppress
from dataclasses import replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import StructField, StructType

from puredelta.commands.dml.row_change import RowChange, RowCounts
from puredelta.commands.dml.row_removal import (
    keep_rows,
    mark_rows,
    typed,
    with_rows_left,
)
from puredelta.commands.dml.row_search import FoundRows
from puredelta.commands.dml.updated_values import OLD, NewValues
from puredelta.commands.rows.driver_rewriting import (
    MOST_NEW_ROWS,
    SparkNeededError,
    collected,
    driver_rewrite,
)
from puredelta.commands.rows.file_writing import has_change_feed, write_rows, write_rows_and_changes
from puredelta.engine.catalyst.plan_rebinding import names_metadata
from puredelta.engine.catalyst.sql_conditions import has_subquery
from puredelta.engine.dml.affected_rows import FILE, AffectedRows
from puredelta.engine.dml.row_locations import with_file
from puredelta.engine.row_checks.null_type_columns import without_null_type
from puredelta.engine.write.footers import WrittenFiles
from puredelta.log.files import add_files
from puredelta.schema.column_path import quote_name
from puredelta.table.change_columns import CHANGE_TYPE, UPDATE_POSTIMAGE, UPDATE_PREIMAGE

_PARTS = "__puredelta_parts"


def update_rows(found: FoundRows, new: NewValues, *, by_vectors: bool) -> RowChange:
    """Give rows other values, and write what a commit needs for it.

    Args:
        found: the rows.
        new: what they get.
        by_vectors: mark the rows as they were; else the other rows of their files move too.
    """
    subject, touched = found.subject, found.touched
    writes_changes = has_change_feed(subject.target)
    if touched is not None and not by_vectors:
        with suppress(SparkNeededError):
            written = _written_on_driver(found, touched, new)
            return _counted(found, RowChange(removed=add_files(found.files), written=written))
    rows = new.rows(_as_they_were(found), with_old=writes_changes)
    if writes_changes:
        rows = _with_images(rows, new.schema)
    # The new rows alone are written; the old ones stay in their files, where vectors hide them.
    if touched is not None and by_vectors:
        change = _written(found, rows, writes_changes=writes_changes)
        return replace(change, marked=mark_rows(subject, touched))
    rest = None if touched is None else with_rows_left(subject, touched)
    if rest is not None and rest.files.num_rows:
        kept = keep_rows(subject, rest)
        # The new rows join the files that those make which stay, or there would be ever more files.
        tasks = kept._jdf.rdd().getNumPartitions()
        rows = (
            (typed(kept, None) if writes_changes else kept).unionAll(rows).coalesce(max(1, tasks))
        )
    return replace(
        _written(found, rows, writes_changes=writes_changes), removed=add_files(found.files)
    )


def _written_on_driver(found: FoundRows, touched: AffectedRows, new: NewValues) -> WrittenFiles:
    """Write the files anew in the driver.

    Raises:
        SparkNeededError: Spark has to write them.
    """
    if touched.count > MOST_NEW_ROWS:
        raise SparkNeededError
    copying = driver_rewrite(found.subject.target, touched.files, touched.rows)
    with copying.changing_rows() as files:
        named = with_file(found.subject.named(files), FILE)
        rows = collected(new.rows(named, carried=[FILE]))
        return copying.write(rows, files)


def _as_they_were(found: FoundRows) -> DataFrame:
    """Return the rows that were found, read anew; their numbers in the files identify them."""
    subject, touched = found.subject, found.touched
    # All rows of these files change: nothing has to be hidden from the scan.
    if touched is None or found.condition is None:
        return subject.named(found.files)
    counts = subject.counts(touched.files)
    rows = subject.named(subject.vectors.showing(touched.files, touched.rows, counts))
    condition = found.condition
    asked = condition.resolved.expression
    if has_subquery(asked) or names_metadata(asked) or condition.resolved.needs_job:
        return rows
    # True for all of them; but Spark passes over parts of files that have none. Functions in
    # Python are not asked twice: their answer may be another, and costs more than it saves.
    return rows.where(condition.column)


def _with_images(rows: DataFrame, schema: StructType) -> DataFrame:
    """Turn each row into three: itself, and how it was and is for the change data feed.

    They come out of one row, so that they agree in values that are not the same each time.

    Args:
        rows: the new rows as files hold them, with the column `OLD`.
        schema: the table's columns.
    """
    fields = {field.name: field for field in schema}
    names = [name for name in rows.columns if name != OLD]
    new = [F.col(quote_name(name)).alias(name) for name in names]
    old = [_old_value(name, fields.get(name)).alias(name) for name in names]
    parts = F.array(
        *(
            F.struct(*columns, F.lit(kind).cast("string").alias(CHANGE_TYPE))
            for columns, kind in ((new, None), (old, UPDATE_PREIMAGE), (new, UPDATE_POSTIMAGE))
        )
    )
    exploded = rows.select(F.explode(parts).alias(_PARTS))
    return exploded.select(
        *(F.col(_PARTS).getField(name).alias(name) for name in [*names, CHANGE_TYPE])
    )


def _old_value(name: str, field: StructField | None) -> Column:
    """Return the old value of a column as files hold it; `field` is None for row ids."""
    value = F.col(OLD).getField(name)
    return value if field is None else without_null_type(value, field, name)


def _written(found: FoundRows, rows: DataFrame, *, writes_changes: bool) -> RowChange:
    target = found.subject.target
    if writes_changes:
        written, changes = write_rows_and_changes(target, rows)
        change = RowChange(written=written, changes=changes)
    else:
        change = RowChange(written=write_rows(target, rows))
    return _counted(found, change)


def _counted(found: FoundRows, change: RowChange) -> RowChange:
    """Add how many rows changed."""
    # Without affected rows every row of the files changes, so each row that is written is one.
    total = change.written.rows
    count = total if found.touched is None else found.touched.count
    return replace(change, rows=RowCounts(updated=count, copied=total - count))
