"""`DeltaTable.replace_where`: the rows that match a condition are replaced by others."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame

from puredelta.commands.commit_stats import CommitStats, commit_stats_of
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write.preview import WritePreview
from puredelta.commands.write.write import OVERWRITE, Write
from puredelta.engine.session.context import context_of
from puredelta.engine.session.spark_objects import unqualified_sql


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced(CommitStats):
    """What `replace_where` did.

    Attributes:
        version: the version that was made; the newest one when nothing had to be done.
        changed: whether a version was made.
        rows: how many rows came in; None when neither history nor statistics say.
        files: how many files were written; rows that stay may have moved to them.
        bytes: the size of these files, in bytes.
        removed_files: how many files left the table.
        removed_bytes: the size of these files, in bytes.
    """


def replace_where(
    table: TableRef, frame: DataFrame, condition: str | Column, *, dry_run: bool
) -> Replaced | WritePreview:
    """Replace the rows of a condition; see `DeltaTable.replace_where`."""
    # The commit is checked against all commits after this version, so that nothing is read before.
    base = table.log().latest()
    rows = frame.sparkSession.read.format("delta").options(**table.options).load(table.root)
    predicate = sql_of(rows, condition)
    write = Write(table=table, frame=frame, mode=OVERWRITE, predicate=predicate, base=base)
    context = context_of(frame.sparkSession)
    if dry_run:
        return write.preview(context)
    return commit_stats_of(base, write.run(context), Replaced)


def sql_of(frame: DataFrame, condition: str | Column) -> str:
    """Return a condition over the columns of a DataFrame in SQL."""
    if isinstance(condition, str):
        return condition
    # Names of a Column are qualified with its DataFrame, which the command does not know.
    return unqualified_sql(frame.where(condition)._jdf.queryExecution().analyzed().condition())
