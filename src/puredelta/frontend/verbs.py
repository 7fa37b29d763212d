"""Everyday verbs of a table, built on the commands: append what is new, replace what matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.table_ref import TableRef
from puredelta.commands.write import APPEND, OVERWRITE, Write
from puredelta.engine.context import context_of
from puredelta.engine.spark import unqualified_sql
from puredelta.frontend.outcome import outcome_of


@dataclass(frozen=True, slots=True)
class Appended:
    """What an append did.

    Attributes:
        version: the version that was made; the one there was when nothing was new.
        rows: how many rows were appended; None when neither history nor statistics tell.
        files: how many files they are in.
        bytes: the size of these files, in bytes.
        changed: whether a version was made.
    """

    version: int
    rows: int | None
    files: int
    bytes: int
    changed: bool


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


def append_new(table: TableRef, frame: DataFrame, key: str | Sequence[str]) -> Appended:
    """Append the rows whose key the table does not have; see `DeltaTable.append_new`."""
    names = [key] if isinstance(key, str) else list(key)
    if not names:
        raise ValueError("key must name at least one column")
    session = frame.sparkSession
    base = table.log().latest()
    # One version is read and built on, so that no other writer's rows are overlooked.
    reader = session.read.format("delta").options(**table.options)
    there = reader.option("versionAsOf", base.version).load(table.root)
    aliases = [f"__key_{number}_of_the_table" for number in range(len(names))]
    keys = there.select([F.col(n).alias(a) for n, a in zip(names, aliases, strict=True)])
    same = [F.col(n).eqNullSafe(F.col(a)) for n, a in zip(names, aliases, strict=True)]
    new = frame.join(keys, reduce(and_, same), "left_anti")
    after = Write(table=table, frame=new, mode=APPEND, base=base).run(context_of(session))
    done = outcome_of(base, after)
    return Appended(done.version, done.rows, done.files, done.bytes, done.changed)


def replace_where(table: TableRef, frame: DataFrame, condition: str | Column) -> Replaced:
    """Replace the rows of a condition; see `DeltaTable.replace_where`."""
    base = table.log().latest()
    there = frame.sparkSession.read.format("delta").options(**table.options).load(table.root)
    predicate = sql_of(there, condition)
    write = Write(table=table, frame=frame, mode=OVERWRITE, predicate=predicate, base=base)
    done = outcome_of(base, write.run(context_of(frame.sparkSession)))
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
