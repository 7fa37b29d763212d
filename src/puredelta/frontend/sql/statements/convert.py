"""CONVERT TO DELTA."""

from __future__ import annotations

from typing import ClassVar

from puredelta.commands.convert.command import ConvertToDeltaCommand
from puredelta.conversion.partitions.clause import partition_columns
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaParseError
from puredelta.frontend.convert import partitions_of_clause
from puredelta.frontend.sql.statements.statement import NO_ROWS, Rows, Statement, target_of
from puredelta.frontend.sql.tokens import Tokens, syntax_error

_NO_LIST = "DELTA_CONVERT_PARTITION_CLAUSE"
_FORM = (
    "the name of a table or parquet.`/path`; behind it may stand NO STATISTICS, and behind that"
    " PARTITIONED BY (column type, ...)"
)


class ConvertStatement(Statement, frozen=True, kw_only=True, tag="convert"):
    """CONVERT TO DELTA name [NO STATISTICS] [PARTITIONED BY (column type, ...)].

    Attributes:
        statistics: the table gets statistics.
        partitions: what stands between the parentheses of PARTITIONED BY; None without it.
    """

    begins: ClassVar[tuple[str, ...]] = ("CONVERT",)
    statistics: bool = True
    partitions: str | None = None

    @classmethod
    def read(cls, tokens: Tokens) -> Statement | None:
        """Read the statement.

        Raises:
            DeltaParseError: as `Statement.read`; DELTA_PARSING_UNSUPPORTED_DATA_TYPE for partition
                columns of other than simple types.
        """
        if not tokens.take("CONVERT", "TO", "DELTA"):
            return None
        name = tokens.name()
        if not name:
            raise _not_read(tokens)
        bare = tokens.take("NO", "STATISTICS")
        partitions = _partitions(tokens) if tokens.take("PARTITIONED", "BY") else None
        if not tokens.is_at_end():
            raise _not_read(tokens)
        return cls(target=target_of(name), statistics=not bare, partitions=partitions)

    def run(self, context: Context) -> Rows:
        """Convert."""
        partitions = partitions_of_clause(context, self.partitions)
        ConvertToDeltaCommand(self.target.name, partitions, self.statistics).run(context)
        return NO_ROWS


def _partitions(tokens: Tokens) -> str:
    begin = tokens.place
    inside = tokens.parenthesised()
    if inside is None:
        raise _not_read(tokens)
    try:
        partition_columns(inside)
    except DeltaParseError as error:
        if error.condition != _NO_LIST:
            raise
        end = begin + 1 + len(inside)
        raise _not_read(tokens, end - len(error.parameters["rest"])) from None
    return inside


def _not_read(tokens: Tokens, place: int | None = None) -> DeltaParseError:
    place = tokens.place if place is None else place
    return syntax_error(tokens.text, place, statement="CONVERT TO DELTA", form=_FORM)
