"""ALTER TABLE ... ADD, DROP and VALIDATE CONSTRAINT, the same on every Spark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from puredelta.commands.alter.constraints import (
    AlterTableAddConstraintDeltaCommand,
    AlterTableDropConstraintDeltaCommand,
    AlterTableValidateConstraintDeltaCommand,
)
from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.engine.session.sessions import active_session
from puredelta.errors.classes import DeltaTableNotFoundError
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
from puredelta.table.expressions.constraints import check_characteristics


class ConstraintStatement(Statement, frozen=True, kw_only=True):
    """A statement about a constraint. Those of other formats, and other kinds, are Spark's."""

    begins: ClassVar[tuple[str, ...]] = ("ALTER",)

    def resolve(self) -> Statement | None:
        """Leave the statement to Spark for a table of another format."""
        found = look_up(active_session(), self.target.name)
        return None if found is not None and found.provider is not None else self

    def table(self, context: Context) -> TableRef:
        """Look the table up; see `Target.find_table`."""
        name = ".".join(self.target.name)
        others = DeltaTableNotFoundError("DELTA_MISSING_DELTA_TABLE", tableName=name)
        return self.target.find_table(context, others)


class AddConstraint(ConstraintStatement, frozen=True, kw_only=True, tag="addConstraint"):
    """ALTER TABLE t ADD [CONSTRAINT c] CHECK (condition) [NOT VALID] [ENFORCED] [NORELY].

    Attributes:
        name: the constraint's; None for one without.
        expression: the condition as it was written, without comments.
        characteristics: what else it is said to be, in capital letters.
        not_valid: the rows that the table has are not checked.
    """

    name: str | None = None
    expression: str
    characteristics: tuple[str, ...] = ()
    not_valid: bool = False

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement; None also for a constraint of another kind, such as PRIMARY KEY."""
        table = altered_table(tokens)
        if not table or not tokens.take("ADD"):
            return None
        name = tokens.word() if tokens.take("CONSTRAINT") else None
        inside = tokens.parenthesised() if tokens.take("CHECK") else None
        not_valid = tokens.take("NOT", "VALID")
        characteristics = tuple(_characteristics(tokens))
        expression = without_comments(inside or "")
        if not expression or not tokens.is_at_end():
            return None
        return cls(
            target=Target(name=table),
            name=name,
            expression=expression,
            characteristics=characteristics,
            not_valid=not_valid,
        )

    def resolve(self) -> Statement | None:
        """Leave the statement to Spark for a table of another format.

        Raises:
            DeltaParseError: UNSUPPORTED_CONSTRAINT_CHARACTERISTIC.
        """
        found = super().resolve()
        if found is not None:
            check_characteristics(self.characteristics)
        return found

    def run(self, context: Context) -> Rows:
        """Add the constraint."""
        AlterTableAddConstraintDeltaCommand(
            table=self.table(context),
            name=self.name,
            expr_text=self.expression,
            not_valid=self.not_valid,
        ).run(context)
        return NO_ROWS


def _characteristics(tokens: Tokens) -> Iterator[str]:
    """Read what a constraint is said to be, one or two of these in any order."""
    while True:
        if tokens.take("NOT", "ENFORCED"):
            yield from ("NOT", "ENFORCED")
        elif any(tokens.sees(word) for word in ("ENFORCED", "RELY", "NORELY")):
            yield tokens.next_word
            tokens.skip()
        else:
            return


class DropConstraint(ConstraintStatement, frozen=True, kw_only=True, tag="dropConstraint"):
    """ALTER TABLE t DROP CONSTRAINT [IF EXISTS] c [RESTRICT | CASCADE].

    Attributes:
        name: the constraint's.
        if_exists: a constraint that does not exist is no error.
    """

    name: str
    if_exists: bool = False

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        table = altered_table(tokens)
        if not table or not tokens.take("DROP", "CONSTRAINT"):
            return None
        if_exists = tokens.take("IF", "EXISTS")
        name = tokens.word()
        # Nothing depends on a CHECK constraint, so both words change nothing.
        tokens.take("RESTRICT") or tokens.take("CASCADE")
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
    """ALTER TABLE t VALIDATE CONSTRAINT c: check the rows that the table has.

    Attributes:
        name: the constraint's.
    """

    name: str

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
