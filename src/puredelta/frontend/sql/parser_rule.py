"""Answers the parser adapter: says which texts are ours, and runs them."""

import json
from typing import Any

from puredelta.commands.alter.change_column import AlterTableChangeColumnsDeltaCommand
from puredelta.commands.alter.drop_feature import DropFeature
from puredelta.commands.alter.sync_identity import SyncIdentity
from puredelta.commands.convert.command import ConvertToDeltaCommand
from puredelta.commands.describe import DescribeDetail, DescribeHistory, DescribeOther
from puredelta.commands.reorg.purge import Purge
from puredelta.commands.table_ref import TableRef
from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.session.context import Context, context_of
from puredelta.engine.session.paths import hadoop_path, path_exists
from puredelta.engine.session.spark_objects import (
    active_session,
    json_lines,
    session_of,
    with_variables,
)
from puredelta.errors.classes import DeltaAnalysisError, DeltaFileNotFoundError
from puredelta.frontend.catalog.lookup import ResolvedName, find_by_name, find_by_path
from puredelta.frontend.column_arguments import RequestedColumn, requested_column
from puredelta.frontend.convert import partitions_of_clause
from puredelta.frontend.sql import parser
from puredelta.frontend.sql.constraint_clause import ADD, DROP, VALIDATE
from puredelta.frontend.sql.constraint_commands import change_constraint
from puredelta.frontend.sql.convert_clause import ConvertClause
from puredelta.frontend.sql.explain_clause import explain_head
from puredelta.frontend.sql.identity_clause import SYNC
from puredelta.frontend.sql.not_offered import refuse_statement
from puredelta.frontend.sql.parser import Statement, Target
from puredelta.frontend.sql.reorg_clause import REORG
from puredelta.frontend.sql.rewrite.alter_column import STRING_COLUMN
from puredelta.frontend.sql.rewrite.rewrites import (
    has_declared_length,
    insert_of_computed,
    refuse_generation,
    rewritten_create,
    rewritten_insert,
    rewritten_like,
    update_of_computed,
    with_looked_up_names,
)
from puredelta.schema.column_path import quote_path


@serve("sql.parse")
def parse(text: str, _first: Any, _second: Any) -> str | None:
    """Read a statement; None when it is Spark's, or a text that Spark is to read in its place.

    Raises:
        DeltaAnalysisError: DELTA_OPERATION_NOT_ALLOWED for INSERT OVERWRITE DIRECTORY,
            PUREDELTA_GENERATED_COLUMN_IN_ALTER_TABLE, and what the statement raises.
        DeltaUnsupportedOperationError: PUREDELTA_NOT_OFFERED for OPTIMIZE, VACUUM and the like.
    """
    text = with_variables(text)
    head, mode = explain_head(text)
    parsed = _parsed(text[len(head) :])
    if parsed is None or mode is None:
        return None if parsed is None else json.dumps(parsed)
    if "text" in parsed:
        return json.dumps({"text": head + parsed["text"]})
    return json.dumps({**parsed, "explain": mode})


def _parsed(text: str) -> dict[str, Any] | None:
    """Read a statement without EXPLAIN: what it says, or the text that Spark is to read."""
    statement = parser.parse(text)
    if statement is None:
        if parser.writes_a_directory(text):
            raise DeltaAnalysisError(
                "DELTA_OPERATION_NOT_ALLOWED", operation="INSERT OVERWRITE DIRECTORY"
            )
        refuse_statement(text)
        refuse_generation(text)
        evolving = rewritten_insert(text)
        computed = insert_of_computed(evolving or text) or update_of_computed(text)
        return _told(computed or evolving or rewritten_create(text))
    if statement.like is not None:
        return _told(rewritten_like(statement, statement.like))
    if statement.kind == STRING_COLUMN and not has_declared_length(
        statement.target, statement.column
    ):
        return None
    if statement.constraint is not None and _is_of_another_format(statement.target):
        return None
    message = {**statement.to_json(), "text": " ".join(text.split())}
    return {"statement": message, "schema": statement.schema.json()}


def _is_of_another_format(target: Target) -> bool:
    found = with_looked_up_names(active_session(), target.name)
    return found is not None and found.provider is not None


def _told(text: str | None) -> dict[str, Any] | None:
    return None if text is None else {"text": text}


@serve("sql.run")
def run(text: str, jvm_session: Any, _second: Any) -> str:
    """Run a statement; answer with its rows."""
    statement = parser.statement_of(json.loads(text))
    context = context_of(session_of(jvm_session))
    if statement.convert is not None:
        _convert(context, statement.target, statement.convert)
        return ""
    found = _find(context, statement.target)
    return json_lines(_ANSWERS[statement.kind](context, statement, found))


def _convert(context: Context, target: Target, clause: ConvertClause) -> None:
    partitions = partitions_of_clause(context, clause.partitions)
    ConvertToDeltaCommand(target.name, partitions, clause.statistics).run(context)


def _find(context: Context, target: Target) -> ResolvedName:
    if target.path is not None:
        return find_by_path(context.session, target.path)
    return find_by_name(context.session, target.name)


def _history(_context: Context, statement: Statement, found: ResolvedName) -> list[dict[str, Any]]:
    if found.is_view:
        raise DeltaAnalysisError("DELTA_CANNOT_DESCRIBE_VIEW_HISTORY")
    if found.provider is not None:
        raise DeltaAnalysisError("DELTA_ONLY_OPERATION", operation="DESCRIBE HISTORY")
    if found.table is None:
        raise DeltaAnalysisError(
            "DELTA_TABLE_ONLY_OPERATION", tableName=found.name, operation="DESCRIBE HISTORY"
        )
    return DescribeHistory(table=found.table, limit=statement.limit).rows()


def _detail(context: Context, statement: Statement, found: ResolvedName) -> list[dict[str, Any]]:
    if found.is_view:
        raise DeltaAnalysisError("DELTA_UNSUPPORTED_DESCRIBE_DETAIL_VIEW", view=found.name)
    if found.table is not None:
        return DescribeDetail(table=found.table).rows()
    if found.provider is not None:
        return DescribeOther(
            location=found.location or "",
            name=found.name,
            provider=found.provider,
            description="",
            partition_columns=found.partition_columns,
            created_ms=found.created_ms,
        ).rows()
    if statement.target.path is None:
        raise DeltaAnalysisError("DELTA_MISSING_DELTA_TABLE", tableName=found.name)
    if not path_exists(context.session, hadoop_path(context.session, found.name)):
        raise DeltaFileNotFoundError("DELTA_FILE_NOT_FOUND", path=found.name)
    return DescribeOther(location=found.name).rows()


def _table_of(found: ResolvedName, of_others: DeltaAnalysisError) -> TableRef:
    """Return the Delta table that a name stands for.

    Args:
        found: what has the name.
        of_others: the error for tables of other formats.

    Raises:
        DeltaAnalysisError: EXPECT_TABLE_NOT_VIEW, DELTA_MISSING_DELTA_TABLE, or the one given.
    """
    if found.is_view:
        raise DeltaAnalysisError("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", viewName=found.name)
    if found.provider is not None:
        raise of_others
    if found.table is None:
        raise DeltaAnalysisError("DELTA_MISSING_DELTA_TABLE", tableName=found.name)
    return found.table


def _drop_feature(
    context: Context, statement: Statement, found: ResolvedName
) -> list[dict[str, Any]]:
    others = DeltaAnalysisError("DELTA_ONLY_OPERATION", operation="ALTER TABLE ... DROP FEATURE")
    table = _table_of(found, others)
    DropFeature(table=table, feature=statement.feature, truncates_history=statement.truncates).run(
        context
    )
    return []


def _sync_identity(
    context: Context, statement: Statement, found: ResolvedName
) -> list[dict[str, Any]]:
    others = DeltaAnalysisError("DELTA_IDENTITY_COLUMNS_ALTER_NON_DELTA_FORMAT")
    table = _table_of(found, others)
    SyncIdentity(table=table, column=statement.column).run(context)
    return []


def _string_column(
    context: Context, statement: Statement, found: ResolvedName
) -> list[dict[str, Any]]:
    table = _table_of(found, DeltaAnalysisError("DELTA_ONLY_OPERATION", operation="ALTER TABLE"))
    change = requested_column(
        table.log().latest().schema, quote_path(statement.column), RequestedColumn(kind="STRING")
    )
    AlterTableChangeColumnsDeltaCommand(table=table, changes=(change,)).run(context)
    return []


def _reorg(context: Context, statement: Statement, found: ResolvedName) -> list[dict[str, Any]]:
    others = DeltaAnalysisError("DELTA_ONLY_OPERATION", operation="REORG TABLE")
    table = _table_of(found, others)
    metrics = Purge(table=table, condition=statement.condition).run(context)
    return [metrics.row(table.root)]


_ANSWERS = {
    "history": _history,
    "detail": _detail,
    "dropFeature": _drop_feature,
    ADD: change_constraint,
    DROP: change_constraint,
    VALIDATE: change_constraint,
    SYNC: _sync_identity,
    STRING_COLUMN: _string_column,
    REORG: _reorg,
}
