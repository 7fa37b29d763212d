"""Answers the analysis rule: statements that Spark resolved against a table of ours."""

import json
from typing import Any

import msgspec
from pyspark import __version__ as pyspark_version
from pyspark.sql import DataFrame

from puredelta.commands.table_ref import TableRef
from puredelta.commands.write.overwrite_mode import resolve_overwrite
from puredelta.commands.write.write import (
    APPEND,
    DYNAMIC,
    OVERWRITE,
    Write,
)
from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.catalyst.sql_conditions import fold_constants
from puredelta.engine.scan.handle import ScanHandle
from puredelta.engine.session.context import context_of
from puredelta.engine.session.sessions import session_of
from puredelta.engine.session.spark_objects import frame_of_plan, json_lines, unqualified_sql
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.catalog import staging
from puredelta.frontend.catalog.table_description import table_of, whole_table_of
from puredelta.frontend.options import write_options
from puredelta.frontend.sql.rewrite.rewrites import MERGE_SCHEMA
from puredelta.frontend.sql.spark_statements import STATEMENTS, TableStatement

# Spark's plan of a write -> what we call it.
_MODES = {
    "AppendData": APPEND,
    "OverwriteByExpression": OVERWRITE,
    "OverwritePartitionsDynamic": DYNAMIC,
}

# From 4.2 on Spark's own grammar has INSERT WITH SCHEMA EVOLUTION.
_HAS_EVOLUTION_CLAUSE = tuple(map(int, pyspark_version.split(".")[:2])) >= (4, 2)


class _Statement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `puredelta.AnalysisRule` says of a statement.

    Attributes:
        statement: the class of Spark's plan.
        handle: of the table that it is about.
    """

    statement: str
    handle: ScanHandle


class _Write(_Statement, frozen=True, kw_only=True, rename="camel"):
    """What it says of a write.

    Attributes:
        by_name: columns go by their names, not by their order.
        from_sql: the write is a statement, not a method of a DataFrame.
        options: of the writer.
        table_options: those of `INSERT INTO t WITH (option = value)`.
    """

    by_name: bool
    from_sql: bool = True
    # msgspec copies them.
    options: dict[str, Any] = {}
    table_options: dict[str, str] = {}


_STATEMENTS = msgspec.json.Decoder(_Statement)
_WRITES = msgspec.json.Decoder(_Write)


@serve("table.write")
def write(text: str, jvm_session: Any, command: Any) -> None:
    """Run INSERT, `writeTo` and `saveAsTable`, or stage the query of AS SELECT."""
    asked = _WRITES.decode(text)
    handle = asked.handle
    session = session_of(jvm_session)
    frame = frame_of_plan(session, command.query())
    if handle.staged is not None:
        staging.add_query(handle.staged, frame, asked.options)
        return
    _check_newest(handle)
    context = context_of(session)
    if asked.statement == "InsertIntoStatement":
        inserted = _insert_into_view(command.expression(), handle, frame)
        resolve_overwrite(inserted, context).run(context)
        return
    mode = _MODES[asked.statement]
    options = write_options({**_said_with(asked, command), **asked.options})
    predicate = _condition(asked.statement, command)
    if mode == OVERWRITE and options.matches_data:
        # `overwrite(condition)` says what is replaced, also when it says everything.
        predicate = predicate or "true"
    wanted = Write(
        table=whole_table_of(handle),
        frame=frame,
        mode=mode,
        by_name=asked.by_name,
        from_sql=asked.from_sql,
        predicate=predicate,
        options=options,
    )
    resolve_overwrite(wanted, context).run(context)


def _insert_into_view(plan: Any, handle: ScanHandle, frame: DataFrame) -> Write:
    """Return the write of an INSERT into a temporary view that is a whole table.

    Raises:
        DeltaAnalysisError: DELTA_OPERATION_NOT_ALLOWED with a PARTITION clause.
    """
    if not plan.partitionSpec().isEmpty():
        raise DeltaAnalysisError(
            "DELTA_OPERATION_NOT_ALLOWED", operation="INSERT ... PARTITION into a view"
        )
    columns = list(plan.userSpecifiedCols().mkString("\n").splitlines())
    return Write(
        table=whole_table_of(handle),
        frame=frame.toDF(*columns) if columns else frame,
        mode=OVERWRITE if plan.overwrite() else APPEND,
        by_name=bool(columns) or plan.byName(),
        from_sql=True,
    )


@serve("table.statement")
def statement(text: str, plan: Any, _second: Any) -> str | None:
    """Say whether a statement is ours to run, and its columns; None leaves it to Spark.

    Raises:
        DeltaAnalysisError: DELTA_TRUNCATE_TABLE_PARTITION_NOT_SUPPORTED, and what the statement
            raises.
    """
    asked = _STATEMENTS.decode(text)
    kind = asked.statement
    if kind == "TruncatePartition":
        raise DeltaAnalysisError("DELTA_TRUNCATE_TABLE_PARTITION_NOT_SUPPORTED")
    found = STATEMENTS.get(kind)
    if found is None:
        return None
    table = _target(asked.handle, found)
    if not found.takes(table, plan):
        return None
    return json.dumps({"schema": found.columns(table, plan).json()})


@serve("table.run")
def run(text: str, jvm_session: Any, command: Any) -> str:
    """Run a statement; answer with its rows."""
    asked = _STATEMENTS.decode(text)
    context = context_of(session_of(jvm_session))
    found = STATEMENTS[asked.statement]
    table = _target(asked.handle, found)
    return json_lines(found.rows(context, table, command.expression()))


def _target(handle: ScanHandle, statement: TableStatement) -> TableRef:
    if statement.describes:
        return table_of(handle)
    _check_newest(handle)
    return whole_table_of(handle)


def _check_newest(handle: ScanHandle) -> None:
    """Refuse to change what a view shows of an old version.

    Raises:
        DeltaAnalysisError: DELTA_FAILED_SCAN_WITH_HISTORICAL_VERSION.
    """
    if handle.version is not None:
        raise DeltaAnalysisError(
            "DELTA_FAILED_SCAN_WITH_HISTORICAL_VERSION", historicalVersion=handle.version
        )


def _said_with(asked: _Write, command: Any) -> dict[str, str]:
    """Return the options that the clauses of an INSERT say."""
    if _HAS_EVOLUTION_CLAUSE and command.expression().withSchemaEvolution():
        return {MERGE_SCHEMA: "true", **asked.table_options}
    return asked.table_options


def _condition(statement: str, command: Any) -> str | None:
    """Return what an overwrite replaces, in SQL; None for everything."""
    if _MODES[statement] != OVERWRITE:
        return None
    plan = command.expression()
    replaced = fold_constants(plan.deleteExpr(), plan.table())
    return None if replaced.sql() == "true" else unqualified_sql(replaced)
