"""GENERATED clauses in ALTER TABLE, for which Spark's syntax error does not name the cause."""

import re

from puredelta.frontend.sql.lexer import (
    GAP,
    TABLE,
    lexemes,
    parts_of,
)
from puredelta.frontend.sql.rewrite.generated_clauses import CLAUSE

_HEAD = re.compile(
    rf"{GAP}*ALTER{GAP}+TABLE{GAP}+(?P<table>{TABLE}){GAP}+"
    rf"(?P<verb>ADD{GAP}+COLUMNS?|REPLACE{GAP}+COLUMNS|(?:ALTER|CHANGE)(?:{GAP}+COLUMN)?)\b",
    re.IGNORECASE | re.DOTALL,
)
_MENTIONED = re.compile(r"\bGENERATED\b", re.IGNORECASE)


def generated_by_alter(text: str) -> tuple[tuple[str, ...], str] | None:
    """Read ALTER TABLE with a GENERATED clause.

    Returns:
        The parts of the table's name, and what the statement does, such as ADD COLUMN; None for
        all other texts.
    """
    # Every statement of a session comes here, so that the cheap search for the word comes first.
    head = _HEAD.match(text) if _MENTIONED.search(text) else None
    if head is None or not any(CLAUSE.match(text, at) for at, _ in lexemes(text, head.end())):
        return None
    verb = " ".join(piece for _, piece in lexemes(head["verb"].upper()) if piece.strip())
    return parts_of(head["table"]), verb
