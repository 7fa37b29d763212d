"""ALTER TABLE ... ADD, DROP and VALIDATE CONSTRAINT, the same on every Spark."""

from __future__ import annotations

from typing import ClassVar

from puredelta.commands.alter.constraints import (
    AlterTableAddConstraintDeltaCommand,
    AlterTableDropConstraintDeltaCommand,
    AlterTableValidateConstraintDeltaCommand,
)
from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.engine.session.sessions import active_session
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.catalog.lookup import look_up
from puredelta.frontend.sql.lexer import without_comments
from puredelta.frontend.sql.statements.statement import (
    NO_ROWS,
    Rows,
    Statement,
    Target,
    altered_table,
)
from puredelta.frontend.sql.tokens import Tokens


class ConstraintStatement(Statement, frozen=True, kw_only=True):
    """A statement about a constraint. Those of other formats, and other kinds, are Spark's.

    Attributes:
        name: the constraint's.
    """

    begins: ClassVar[tuple[str, ...]] = ("ALTER",)
    name: str

    def resolve(self) -> Statement | None:
        """Leave the statement to Spark for a table of another format."""
        found = look_up(active_session(), self.target.name)
        return None if found is not None and found.provider is not None else self

    def table(self, context: Context) -> TableRef:
        """Look the table up; see `Target.find_table`."""
        name = ".".join(self.target.name)
        others = DeltaAnalysisError("DELTA_MISSING_DELTA_TABLE", tableName=name)
        return self.target.find_table(context, others)


class AddConstraint(ConstraintStatement, frozen=True, kw_only=True, tag="addConstraint"):
    """ALTER TABLE t ADD CONSTRAINT c CHECK (condition) [NOT VALID].

    Attributes:
        expression: the condition as it was written, without comments.
        not_valid: the rows that the table has are not checked.
    """

    expression: str
    not_valid: bool = False

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement; None also for a constraint of another kind, such as PRIMARY KEY."""
        table = altered_table(tokens)
        if not table or not tokens.take("ADD", "CONSTRAINT"):
            return None
        name = tokens.word()
        inside = tokens.parenthesised() if tokens.take("CHECK") else None
        not_valid = tokens.take("NOT", "VALID")
        expression = without_comments(inside or "")
        if name is None or not expression or not tokens.is_at_end():
            return None
        return cls(target=Target(name=table), name=name, expression=expression, not_valid=not_valid)

    def run(self, context: Context) -> Rows:
        """Add the constraint."""
        AlterTableAddConstraintDeltaCommand(
            table=self.table(context),
            name=self.name,
            expr_text=self.expression,
            not_valid=self.not_valid,
        ).run(context)
        return NO_ROWS


class DropConstraint(ConstraintStatement, frozen=True, kw_only=True, tag="dropConstraint"):
    """ALTER TABLE t DROP CONSTRAINT [IF EXISTS] c.

    Attributes:
        if_exists: a constraint that does not exist is no error.
    """

    if_exists: bool = False

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        table = altered_table(tokens)
        if not table or not tokens.take("DROP", "CONSTRAINT"):
            return None
        if_exists = tokens.take("IF", "EXISTS")
        name = tokens.word()
        if name is None or not tokens.is_at_end():
            return None
        return cls(target=Target(name=table), name=name, if_exists=if_exists)

    def run(self, context: Context) -> Rows:
        """Drop the constraint."""
        AlterTableDropConstraintDeltaCommand(
            table=self.table(context), name=self.name, if_exists=self.if_exists
        ).run(context)
        return NO_ROWS


class ValidateConstraint(ConstraintStatement, frozen=True, kw_only=True, tag="validateConstraint"):
    """ALTER TABLE t VALIDATE CONSTRAINT c: check the rows that the table has."""

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        table = altered_table(tokens)
        if not table or not tokens.take("VALIDATE", "CONSTRAINT"):
            return None
        name = tokens.word()
        if name is None or not tokens.is_at_end():
            return None
        return cls(target=Target(name=table), name=name)

    def run(self, context: Context) -> Rows:
        """Check the rows."""
        AlterTableValidateConstraintDeltaCommand(table=self.table(context), name=self.name).run(
            context
        )
        return NO_ROWS
