"""ADD and DROP CONSTRAINT as Spark 4.1 and later parse them.

Our parser reads these statements first. Spark reads those whose table it has to evaluate, such as
`IDENTIFIER(:name)`.
"""

from collections.abc import Iterator
from typing import Any

from puredelta.commands.alter.constraints import (
    AlterTableAddConstraintDeltaCommand,
    AlterTableDropConstraintDeltaCommand,
)
from puredelta.commands.table_ref import TableRef
from puredelta.engine.bridge.handles import each_of, sequence
from puredelta.engine.session.context import Context
from puredelta.frontend.sql.lexer import without_comments
from puredelta.table.expressions.constraints import check_characteristics


def add_constraint(context: Context, table: TableRef, plan: Any) -> list[dict[str, Any]]:
    """Run ADD CONSTRAINT ... CHECK."""
    given = plan.checkConstraint()
    # Most plans have an expression by this name, and such a call waits; this one has a text.
    [condition] = each_of(sequence([given]), "condition")
    check_characteristics(_characteristics(given.userProvidedCharacteristic()))
    AlterTableAddConstraintDeltaCommand(
        table=table,
        name=given.userProvidedName(),
        expr_text=without_comments(str(condition)),
    ).run(context)
    return []


def drop_constraint(context: Context, table: TableRef, plan: Any) -> list[dict[str, Any]]:
    """Run DROP CONSTRAINT."""
    AlterTableDropConstraintDeltaCommand(
        table=table, name=str(plan.name()), if_exists=bool(plan.ifExists())
    ).run(context)
    return []


def _characteristics(given: Any) -> Iterator[str]:
    if given.enforced().isDefined() and not given.enforced().get():
        yield "NOT"
    if given.rely().isDefined() and given.rely().get():
        yield "RELY"
