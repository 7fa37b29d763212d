"""DESCRIBE HISTORY and DESCRIBE DETAIL."""

from __future__ import annotations

import re
from typing import ClassVar

from pyspark.sql.types import StructType

from puredelta.commands.describe import (
    DETAIL,
    HISTORY,
    DescribeDetail,
    DescribeHistory,
    DescribeOther,
)
from puredelta.engine.session.context import Context
from puredelta.engine.session.paths import hadoop_path, path_exists
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaFileNotFoundError,
    DeltaParseError,
    DeltaTableNotFoundError,
)
from puredelta.frontend.sql.statements.statement import Rows, Statement, Target, target_of
from puredelta.frontend.sql.tokens import Tokens, syntax_error

_DESCRIBE = ("DESCRIBE", "DESC")
_INTEGER = re.compile(r"[0-9]+(?!\w)")
_FORM = "a table's name, delta.`/path` or '/path'"


class HistoryStatement(Statement, frozen=True, kw_only=True, tag="history"):
    """DESCRIBE HISTORY target [LIMIT n].

    Attributes:
        limit: how many versions are shown, the newest first; None for all.
    """

    begins: ClassVar[tuple[str, ...]] = _DESCRIBE
    schema: ClassVar[StructType] = HISTORY
    limit: int | None = None

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        if not _begins(tokens, "HISTORY"):
            return None
        target = _target(tokens, "HISTORY")
        number = tokens.match(_INTEGER) if tokens.take("LIMIT") else ""
        if number is None or not tokens.is_at_end():
            raise _not_read(tokens, "HISTORY")
        return cls(target=target, limit=int(number) if number else None)

    def run(self, context: Context) -> Rows:
        """Return a row a version.

        Raises:
            DeltaAnalysisError: DELTA_CANNOT_DESCRIBE_VIEW_HISTORY, DELTA_ONLY_OPERATION,
                DELTA_TABLE_ONLY_OPERATION.
        """
        found = self.target.find(context)
        if found.is_view:
            raise DeltaAnalysisError("DELTA_CANNOT_DESCRIBE_VIEW_HISTORY")
        if found.provider is not None:
            raise DeltaAnalysisError("DELTA_ONLY_OPERATION", operation="DESCRIBE HISTORY")
        if found.table is None:
            raise DeltaTableNotFoundError(
                "DELTA_TABLE_ONLY_OPERATION", tableName=found.name, operation="DESCRIBE HISTORY"
            )
        return DescribeHistory(table=found.table, limit=self.limit).rows()


class DetailStatement(Statement, frozen=True, kw_only=True, tag="detail"):
    """DESCRIBE DETAIL target."""

    begins: ClassVar[tuple[str, ...]] = _DESCRIBE
    schema: ClassVar[StructType] = DETAIL

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement."""
        if not _begins(tokens, "DETAIL"):
            return None
        target = _target(tokens, "DETAIL")
        if not tokens.is_at_end():
            raise _not_read(tokens, "DETAIL")
        return cls(target=target)

    def run(self, context: Context) -> Rows:
        """Return what the table is, in one row.

        Raises:
            DeltaAnalysisError: DELTA_UNSUPPORTED_DESCRIBE_DETAIL_VIEW, DELTA_MISSING_DELTA_TABLE.
            DeltaFileNotFoundError: DELTA_FILE_NOT_FOUND.
        """
        found = self.target.find(context)
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
        if self.target.path is None:
            raise DeltaTableNotFoundError("DELTA_MISSING_DELTA_TABLE", tableName=found.name)
        if not path_exists(context.session, hadoop_path(context.session, found.name)):
            raise DeltaFileNotFoundError("DELTA_FILE_NOT_FOUND", path=found.name)
        return DescribeOther(location=found.name).rows()


def _begins(tokens: Tokens, what: str) -> bool:
    """Read up to the target. A table may have the name HISTORY, and a schema, too."""
    begins = any(tokens.take(word, what) for word in _DESCRIBE)
    return begins and not tokens.is_at_end() and not tokens.sees(".")


def _target(tokens: Tokens, what: str) -> Target:
    name = tokens.name()
    if name:
        return target_of(name)
    # Spark reads two strings in a row as one.
    pieces = list(iter(tokens.string, None))
    if not pieces:
        raise _not_read(tokens, what)
    return Target(path="".join(pieces))


def _not_read(tokens: Tokens, what: str) -> DeltaParseError:
    return syntax_error(tokens.text, tokens.place, statement=f"DESCRIBE {what}", form=_FORM)
