"""CONVERT TO DELTA, read from its text: Spark does not have it."""

import re
from dataclasses import dataclass

from puredelta.conversion.partitions.clause import partition_columns
from puredelta.errors.classes import DeltaParseError
from puredelta.frontend.sql.lexer import GAP, TABLE, closed
from puredelta.frontend.sql.syntax_error import syntax_error

CONVERT = "convert"

_HEAD = re.compile(rf"{GAP}*CONVERT{GAP}+TO{GAP}+DELTA\b", re.IGNORECASE | re.DOTALL)
_TARGET = re.compile(rf"{GAP}*(?P<table>{TABLE})", re.DOTALL)
_NO_STATISTICS = re.compile(rf"{GAP}*\bNO{GAP}+STATISTICS\b", re.IGNORECASE | re.DOTALL)
_PARTITIONED = re.compile(rf"{GAP}*\bPARTITIONED{GAP}+BY{GAP}*(?=\()", re.IGNORECASE | re.DOTALL)
_END = re.compile(rf"(?:;|{GAP})*\Z", re.DOTALL)
_NO_LIST = "DELTA_CONVERT_PARTITION_CLAUSE"
_FORM = (
    "the name of a table or parquet.`/path`; behind it may stand NO STATISTICS, and behind that"
    " PARTITIONED BY (column type, ...)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertClause:
    """What a statement says besides what is converted.

    Attributes:
        statistics: unless NO STATISTICS is said.
        partitions: what stands between the parentheses of PARTITIONED BY; None without it.
    """

    statistics: bool = True
    partitions: str | None = None


def convert_clause(text: str) -> tuple[str, ConvertClause] | None:
    """Read the statement.

    Returns:
        The text of the name or path, and the clauses; None for all other texts.

    Raises:
        DeltaParseError: PARSE_SYNTAX_ERROR for what begins so and goes on in another way,
            DELTA_PARSING_UNSUPPORTED_DATA_TYPE for partition columns of other than simple types.
    """
    head = _HEAD.match(text)
    if head is None:
        return None
    target = _TARGET.match(text, head.end())
    if target is None:
        raise _not_read(text, head.end())
    bare = _NO_STATISTICS.match(text, target.end())
    place = target.end() if bare is None else bare.end()
    partitions, place = _partitions(text, place)
    if not _END.match(text, place):
        raise _not_read(text, place)
    return target["table"], ConvertClause(statistics=bare is None, partitions=partitions)


def _partitions(text: str, place: int) -> tuple[str | None, int]:
    """Return what PARTITIONED BY says, and where the text goes on."""
    clause = _PARTITIONED.match(text, place)
    if clause is None:
        return None, place
    end = closed(text, clause.end())
    if end is None:
        raise _not_read(text, clause.end())
    inside = text[clause.end() + 1 : end]
    try:
        partition_columns(inside)
    except DeltaParseError as error:
        if error.condition != _NO_LIST:
            raise
        raise _not_read(text, end - len(error.parameters["rest"])) from None
    return inside, end + 1


def _not_read(text: str, place: int) -> DeltaParseError:
    return syntax_error(text, place, statement="CONVERT TO DELTA", form=_FORM)
