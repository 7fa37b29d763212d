"""`DeltaTable.replace_where`: rows that match a condition leave, others come."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame

from puredelta.commands.commit_stats import commit_stats_of
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write.write import OVERWRITE, Write
from puredelta.engine.session.context import context_of
from puredelta.engine.session.spark_objects import unqualified_sql


@dataclass(frozen=True, slots=True)
class Replaced:
    """What a replacement did.

    Attributes:
        version: the version that was made; the one there was when there was nothing to do.
        rows: how many rows came in; None when neither history nor statistics tell.
        files: how many files were written; rows that stay may have moved to them.
        bytes: the size of these files, in bytes.
        removed_files: how many files left the table.
        removed_bytes: the size of these files, in bytes.
        changed: whether a version was made.
    """

    version: int
    rows: int | None
    files: int
    bytes: int
    removed_files: int
    removed_bytes: int
    changed: bool


def replace_where(table: TableRef, frame: DataFrame, condition: str | Column) -> Replaced:
    """Replace the rows of a condition; see `DeltaTable.replace_where`."""
    base = table.log().latest()
    there = frame.sparkSession.read.format("delta").options(**table.options).load(table.root)
    predicate = sql_of(there, condition)
    write = Write(table=table, frame=frame, mode=OVERWRITE, predicate=predicate, base=base)
    done = commit_stats_of(base, write.run(context_of(frame.sparkSession)))
    return Replaced(
        version=done.version,
        rows=done.rows,
        files=done.files,
        bytes=done.bytes,
        removed_files=done.removed_files,
        removed_bytes=done.removed_bytes,
        changed=done.changed,
    )


def sql_of(frame: DataFrame, condition: str | Column) -> str:
    """Return a condition over the columns of a DataFrame in SQL."""
    if isinstance(condition, str):
        return condition
    return unqualified_sql(frame.where(condition)._jdf.queryExecution().analyzed().condition())
