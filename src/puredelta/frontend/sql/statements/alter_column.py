"""ALTER TABLE ... ALTER COLUMN in two forms: SYNC IDENTITY, and types of nested texts."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from puredelta.commands.alter.change_column import AlterTableChangeColumnsDeltaCommand, ColumnChange
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
from puredelta.schema.column_path import quote_name, quote_path
from puredelta.schema.datatypes import DECLARED_TYPE_KEY, StructType
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


class NestedText(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of a column that is to be a text.

    Attributes:
        column: the path of the column.
        kind: its type, STRING, CHAR(n) or VARCHAR(n).
        comment: its comment; None for the one that it has.
        position: FIRST, or AFTER another column; None for where it is.
    """

    column: tuple[str, ...]
    kind: str
    comment: str | None = None
    position: str | None = None

    def change(self, schema: StructType) -> ColumnChange:
        """Return the change of a table with these columns."""
        wanted = RequestedColumn(kind=self.kind, comment=self.comment, position=self.position)
        return requested_column(schema, quote_path(self.column), wanted)


class NestedTextsStatement(Statement, frozen=True, kw_only=True, tag="nestedTexts"):
    """ALTER TABLE t ALTER COLUMN a.b TYPE VARCHAR(10), of a CHAR or VARCHAR inside a column.

    Spark does not see that a length was declared for a nested column: it would refuse another one,
    and leave STRING out as a type that changes nothing.

    Attributes:
        columns: what becomes of each column.
    """

    begins: ClassVar[tuple[str, ...]] = ("ALTER",)
    columns: tuple[NestedText, ...]

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement; None also for types that are no texts."""
        table, column = _altered_column(tokens)
        columns = _retyped_texts(tokens, column)
        if not columns or not tokens.is_at_end():
            return None
        return cls(target=Target(name=table), columns=tuple(columns))

    def resolve(self) -> Statement | None:
        """Leave the statement to Spark unless a nested column is a text of a declared length."""
        snapshot = newest_version(active_session(), self.target.name)
        if snapshot is None:
            return None
        try:
            found = [declared_column(snapshot.schema, text.column) for text in self.columns]
        except DeltaAnalysisError:
            return None
        is_declared = any(
            len(column.path) > 1 and DECLARED_TYPE_KEY in column.field.metadata for column in found
        )
        return self if is_declared else None

    def run(self, context: Context) -> Rows:
        """Change the types in one commit."""
        others = DeltaAnalysisError("DELTA_ONLY_OPERATION", operation="ALTER TABLE")
        table = self.target.find_table(context, others)
        AlterTableChangeColumnsDeltaCommand(
            table=table, changes=lambda schema: [text.change(schema) for text in self.columns]
        ).run(context)
        return NO_ROWS


def _retyped_texts(tokens: Tokens, first: tuple[str, ...]) -> list[NestedText]:
    """Read the columns with their types, from behind the name of the first one on."""
    if len(first) > 1 and not tokens.sees("TYPE"):
        return _hive_change(tokens, first)
    columns: list[NestedText] = []
    column = first
    while column and tokens.take("TYPE") and (kind := _text_type(tokens)) is not None:
        columns.append(NestedText(column=column, kind=kind))
        if not tokens.take(","):
            return columns
        column = tokens.name()
    return []


def _hive_change(tokens: Tokens, column: tuple[str, ...]) -> list[NestedText]:
    """Read `CHANGE COLUMN a.b b VARCHAR(10) COMMENT 'x' AFTER c`, which repeats the name."""
    name = tokens.word()
    kind = _text_type(tokens)
    # Spark refuses another name with a text of its own.
    if name is None or name.lower() != column[-1].lower() or kind is None:
        return []
    comment = tokens.string() if tokens.take("COMMENT") else None
    position = None
    if tokens.take("FIRST"):
        position = "FIRST"
    elif tokens.take("AFTER") and (sibling := tokens.word()) is not None:
        position = f"AFTER {quote_name(sibling)}"
    return [NestedText(column=column, kind=kind, comment=comment, position=position)]


def _text_type(tokens: Tokens) -> str | None:
    """Read STRING, CHAR(n) or VARCHAR(n); None for other types."""
    if tokens.take("STRING"):
        return "STRING"
    for name in ("CHAR", "CHARACTER", "VARCHAR"):
        if tokens.take(name):
            length = tokens.parenthesised()
            return None if length is None or not length.strip().isdigit() else f"{name}({length})"
    return None


def _altered_column(tokens: Tokens) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read up to the column; a column may have the name COLUMN, too."""
    table = altered_table(tokens)
    if not table or not (tokens.take("ALTER") or tokens.take("CHANGE")):
        return (), ()
    is_name = tokens.sees("COLUMN", ".") or tokens.sees("COLUMN", "SYNC", "IDENTITY")
    if not is_name:
        tokens.take("COLUMN")
    return table, tokens.name()
