"""Runs ADD, DROP and VALIDATE CONSTRAINT on the table that a statement names."""

from typing import Any

from puredelta.commands.alter.constraints import (
    AlterTableAddConstraintDeltaCommand,
    AlterTableDropConstraintDeltaCommand,
    AlterTableValidateConstraintDeltaCommand,
)
from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.catalog.lookup import ResolvedName
from puredelta.frontend.sql.constraint_clause import ADD, DROP, ConstraintClause
from puredelta.frontend.sql.parser import Statement

_Command = (
    AlterTableAddConstraintDeltaCommand
    | AlterTableDropConstraintDeltaCommand
    | AlterTableValidateConstraintDeltaCommand
)


def change_constraint(
    context: Context, statement: Statement, found: ResolvedName
) -> list[dict[str, Any]]:
    """Run a statement about a constraint; it has no rows.

    Raises:
        DeltaAnalysisError: EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE, DELTA_MISSING_DELTA_TABLE, and
            what the command raises.
    """
    if found.is_view:
        raise DeltaAnalysisError("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", viewName=found.name)
    if found.table is None:
        raise DeltaAnalysisError("DELTA_MISSING_DELTA_TABLE", tableName=found.name)
    if statement.constraint is not None:
        _command(found.table, statement.constraint).run(context)
    return []


def _command(table: TableRef, clause: ConstraintClause) -> _Command:
    if clause.kind == ADD:
        return AlterTableAddConstraintDeltaCommand(
            table=table,
            name=clause.name,
            expr_text=clause.expression,
            not_valid=clause.not_valid,
        )
    if clause.kind == DROP:
        return AlterTableDropConstraintDeltaCommand(
            table=table, name=clause.name, if_exists=clause.if_exists
        )
    return AlterTableValidateConstraintDeltaCommand(table=table, name=clause.name)
