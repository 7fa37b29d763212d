"""REORG TABLE ... APPLY (PURGE), read from its text: Spark does not have it."""

import re

from puredelta.errors.classes import DeltaParseError
from puredelta.frontend.sql.lexer import (
    GAP,
    TABLE,
    lexemes,
    without_comments,
)
from puredelta.frontend.sql.syntax_error import syntax_error

REORG = "reorg"

_HEAD = re.compile(rf"{GAP}*REORG{GAP}+TABLE\b", re.IGNORECASE)
_TARGET = re.compile(rf"{GAP}*(?P<table>{TABLE})", re.DOTALL)
_WHERE = re.compile(rf"{GAP}*\bWHERE\b", re.IGNORECASE)
_APPLY = re.compile(
    rf"{GAP}*\bAPPLY{GAP}*\({GAP}*PURGE{GAP}*\){GAP}*;?{GAP}*\Z", re.IGNORECASE | re.DOTALL
)
_FORM = "the name of a table, WHERE with a condition on partition columns if need be, APPLY (PURGE)"


def reorg_clause(text: str) -> tuple[str, str | None] | None:
    """Read the statement.

    Returns:
        The text of the table's name, and the condition of WHERE; None for all other texts.

    Raises:
        DeltaParseError: PARSE_SYNTAX_ERROR for what begins so and goes on in another way.
    """
    head = _HEAD.match(text)
    if head is None:
        return None
    target = _TARGET.match(text, head.end())
    if target is None:
        raise _not_read(text, head.end())
    where = _WHERE.match(text, target.end())
    if where is None:
        if not _APPLY.match(text, target.end()):
            raise _not_read(text, target.end())
        return target["table"], None
    end = _end_of_condition(text, where.end())
    condition = "" if end is None else without_comments(text[where.end() : end])
    if not condition:
        raise _not_read(text, where.end())
    return target["table"], condition


def _end_of_condition(text: str, start: int) -> int | None:
    """Return where APPLY stands that ends the statement; a column may have that name, too."""
    words = (place for place, piece in lexemes(text, start) if piece.upper() == "APPLY")
    return next((place for place in words if _APPLY.match(text, place)), None)


def _not_read(text: str, place: int) -> DeltaParseError:
    return syntax_error(text, place, statement="REORG TABLE", form=_FORM)
