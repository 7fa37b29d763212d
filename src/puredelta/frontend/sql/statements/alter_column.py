"""ALTER TABLE ... ALTER COLUMN in two forms: SYNC IDENTITY, and a nested text of any length."""

from __future__ import annotations

from typing import ClassVar

from puredelta.commands.alter.change_column import AlterTableChangeColumnsDeltaCommand
from puredelta.commands.alter.sync_identity import SyncIdentity
from puredelta.engine.session.context import Context
from puredelta.engine.session.sessions import active_session
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.catalog.lookup import newest_version
from puredelta.frontend.column_arguments import RequestedColumn, requested_column
from puredelta.frontend.sql.statements.statement import (
    NO_ROWS,
    Rows,
    Statement,
    Target,
    altered_table,
)
from puredelta.frontend.sql.tokens import Tokens
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import DECLARED_TYPE_KEY
from puredelta.table.columns.char_lengths import declared_column


class SyncIdentityStatement(Statement, frozen=True, kw_only=True, tag="syncIdentity"):
    """ALTER TABLE t ALTER COLUMN c SYNC IDENTITY.

    Attributes:
        column: the path of the column.
    """

    begins: ClassVar[tuple[str, ...]] = ("ALTER",)
    column: tuple[str, ...]

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        table, column = _altered_column(tokens)
        if not column or not tokens.take("SYNC", "IDENTITY") or not tokens.is_at_end():
            return None
        return cls(target=Target(name=table), column=column)

    def run(self, context: Context) -> Rows:
        """Move the high-water mark past the numbers in the files."""
        others = DeltaAnalysisError("DELTA_IDENTITY_COLUMNS_ALTER_NON_DELTA_FORMAT")
        table = self.target.find_table(context, others)
        SyncIdentity(table=table, column=self.column).run(context)
        return NO_ROWS


class StringColumnStatement(Statement, frozen=True, kw_only=True, tag="stringColumn"):
    """ALTER TABLE t ALTER COLUMN a.b TYPE STRING, of a CHAR or VARCHAR inside a struct.

    Spark does not see that a length was declared for a nested column, and would leave the statement
    out as one that changes nothing.

    Attributes:
        column: the path of the column.
    """

    begins: ClassVar[tuple[str, ...]] = ("ALTER",)
    column: tuple[str, ...]

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        table, column = _altered_column(tokens)
        if len(column) <= 1 or not tokens.take("TYPE", "STRING") or not tokens.is_at_end():
            return None
        return cls(target=Target(name=table), column=column)

    def resolve(self) -> Statement | None:
        """Leave the statement to Spark unless the column is a text of a declared length."""
        snapshot = newest_version(active_session(), self.target.name)
        if snapshot is None:
            return None
        try:
            found = declared_column(snapshot.schema, self.column)
        except DeltaAnalysisError:
            return None
        is_declared = len(found.path) > 1 and DECLARED_TYPE_KEY in found.field.metadata
        return self if is_declared else None

    def run(self, context: Context) -> Rows:
        """Change the type."""
        others = DeltaAnalysisError("DELTA_ONLY_OPERATION", operation="ALTER TABLE")
        table = self.target.find_table(context, others)
        schema = table.log().latest().schema
        change = requested_column(schema, quote_path(self.column), RequestedColumn(kind="STRING"))
        AlterTableChangeColumnsDeltaCommand(table=table, changes=(change,)).run(context)
        return NO_ROWS


def _altered_column(tokens: Tokens) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read up to the column; a column may have the name COLUMN, too."""
    table = altered_table(tokens)
    if not table or not (tokens.take("ALTER") or tokens.take("CHANGE")):
        return (), ()
    is_name = tokens.sees("COLUMN", ".") or tokens.sees("COLUMN", "SYNC", "IDENTITY")
    if not is_name:
        tokens.take("COLUMN")
    return table, tokens.name()
