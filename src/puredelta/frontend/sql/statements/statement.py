"""What every statement of ours is: how it is read from its text, its result, how it runs."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec
from pyspark.sql.types import StructType

from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError, DeltaParseError, DeltaTableNotFoundError
from puredelta.frontend.catalog.lookup import ResolvedName, find_by_name, find_by_path
from puredelta.frontend.sql.tokens import Tokens

Rows = list[dict[str, Any]]
"""The rows that a statement answers with, by the columns of its schema."""

NO_ROWS: Rows = []
_PARTS_AT_MOST = 3


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """What a statement is about: a name of one to three parts, or a path."""

    name: tuple[str, ...] = ()
    path: str | None = None

    def find(self, context: Context) -> ResolvedName:
        """Look the target up.

        Raises:
            AnalysisException: Spark's TABLE_OR_VIEW_NOT_FOUND.
        """
        if self.path is not None:
            return find_by_path(context.session, self.path)
        return find_by_name(context.session, self.name)

    def find_table(self, context: Context, otherwise: DeltaAnalysisError) -> TableRef:
        """Look a Delta table up.

        Args:
            context: the session.
            otherwise: the error for a table of another format.

        Raises:
            DeltaAnalysisError: EXPECT_TABLE_NOT_VIEW, DELTA_MISSING_DELTA_TABLE, or `otherwise`.
        """
        found = self.find(context)
        if found.is_view:
            raise DeltaAnalysisError("EXPECT_TABLE_NOT_VIEW.NO_ALTERNATIVE", viewName=found.name)
        if found.provider is not None:
            raise otherwise
        if found.table is None:
            raise DeltaTableNotFoundError("DELTA_MISSING_DELTA_TABLE", tableName=found.name)
        return found.table


class Statement(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """A statement of ours. Between parsing and running it crosses the adapters as JSON.

    Attributes:
        target: its table.
        begins: the words with one of which it begins.
        schema: the columns of its result.
    """

    target: Target
    begins: ClassVar[tuple[str, ...]]
    schema: ClassVar[StructType] = StructType([])

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement from its text; None when the text is another statement.

        Raises:
            DeltaParseError: PARSE_SYNTAX_ERROR for a text that begins as this statement does and
                goes on otherwise, DELTA_PARSING_ILLEGAL_TABLE_NAME.
        """
        raise NotImplementedError

    def resolve(self) -> Statement | str | None:
        """Return the statement to run, or the text for Spark to read in its place.

        None leaves the statement to Spark's own parser.
        """
        return self

    def run(self, context: Context) -> Rows:
        """Run the statement.

        Returns:
            Its rows.
        """
        raise NotImplementedError


def target_of(name: tuple[str, ...]) -> Target:
    """Return the target that a name stands for.

    Raises:
        DeltaParseError: DELTA_PARSING_ILLEGAL_TABLE_NAME for a name of too many parts.
    """
    if len(name) > _PARTS_AT_MOST:
        raise DeltaParseError("DELTA_PARSING_ILLEGAL_TABLE_NAME", tableName=".".join(name))
    return Target(name=name)


def altered_table(tokens: Tokens) -> tuple[str, ...]:
    """Read ALTER TABLE and the name of a table; no parts where the text begins otherwise."""
    return tokens.name() if tokens.take("ALTER", "TABLE") else ()
