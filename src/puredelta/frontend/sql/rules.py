"""Answers the analysis rule: statements that Spark resolved against a table of ours."""

import json
from typing import Any

from pyspark.sql.types import StringType, StructField, StructType

from puredelta.commands.write import APPEND, DYNAMIC, OVERWRITE, Write, resolved_overwrite
from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.context import context_of
from puredelta.engine.spark import frame_of_plan, json_lines, session_of, unqualified_sql
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.catalog import staging
from puredelta.frontend.catalog.description import handle_of
from puredelta.frontend.datasource.options import write_options

# Spark's plan of a write -> what we call it.
_MODES = {
    "AppendData": APPEND,
    "OverwriteByExpression": OVERWRITE,
    "OverwritePartitionsDynamic": DYNAMIC,
}
_COLUMNS = StructType([StructField("col_name", StringType())])

# Spark's plan for the statement -> what the user wrote.
_NOT_YET = {
    "DeleteFromTable": "DELETE",
    "UpdateTable": "UPDATE",
    "MergeIntoTable": "MERGE",
    "TruncateTable": "TRUNCATE TABLE",
}


@serve("table.write")
def write(text: str, jvm_session: Any, command: Any) -> None:
    """Run INSERT, `writeTo` and `saveAsTable`, or stage the query of AS SELECT."""
    told = json.loads(text)
    handle = handle_of(told["handle"])
    session = session_of(jvm_session)
    frame = frame_of_plan(session, command.query())
    if handle.staged is not None:
        staging.add_query(handle.staged, frame, told["options"])
        return
    if handle.version is not None:
        raise DeltaAnalysisError(
            "DELTA_FAILED_SCAN_WITH_HISTORICAL_VERSION", historicalVersion=handle.version
        )
    context = context_of(session)
    wanted = Write(
        table=handle.table,
        frame=frame,
        mode=_MODES[told["statement"]],
        by_name=told["byName"],
        predicate=_condition(told["statement"], command),
        options=write_options(told["options"]),
    )
    resolved_overwrite(wanted, context).run(context)


@serve("table.statement")
def statement(text: str, _first: Any, _second: Any) -> str | None:
    """Say whether a statement is ours to run, and its columns; None leaves it to Spark.

    Raises:
        DeltaAnalysisError: DELTA_OPERATION_NOT_ALLOWED for what is not offered yet.
    """
    kind = json.loads(text)["statement"]
    if kind in _NOT_YET:
        raise DeltaAnalysisError("DELTA_OPERATION_NOT_ALLOWED", operation=_NOT_YET[kind])
    return json.dumps({"schema": _COLUMNS.json()}) if kind == "ShowColumns" else None


@serve("table.run")
def run(text: str, _session: Any, _command: Any) -> str:
    """Run SHOW COLUMNS."""
    table = handle_of(json.loads(text)["handle"]).table
    rows = [{"col_name": name} for name in table.log().latest().schema.names]
    return json_lines(rows)


def _condition(statement: str, command: Any) -> str | None:
    """Return what an overwrite replaces, in SQL; None for everything."""
    if _MODES[statement] != OVERWRITE:
        return None
    replaced = command.expression().deleteExpr()
    return None if replaced.sql() == "true" else unqualified_sql(replaced)
