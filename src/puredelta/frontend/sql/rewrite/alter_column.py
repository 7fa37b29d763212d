"""Columns in ALTER TABLE, read from the text: GENERATED clauses, and nested texts of any length.

GENERATED cannot be there, and is told from Spark's syntax errors. Of a nested text that becomes a
STRING, Spark does not see that a length was declared for it, and leaves the statement out.
"""

import re

from puredelta.frontend.sql.lexer import (
    GAP,
    NAME,
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
STRING_COLUMN = "stringColumn"

_TO_STRING = re.compile(
    rf"{GAP}*ALTER{GAP}+TABLE{GAP}+(?P<table>{TABLE}){GAP}+(?:ALTER|CHANGE){GAP}+"
    rf"(?:COLUMN{GAP}+)?(?P<column>{NAME}(?:{GAP}*\.{GAP}*{NAME})+){GAP}+TYPE{GAP}+STRING"
    rf"{GAP}*;?{GAP}*\Z",
    re.IGNORECASE | re.DOTALL,
)
_MENTIONED = re.compile(r"\bGENERATED\b", re.IGNORECASE)


def generated_by_alter(text: str) -> tuple[tuple[str, ...], str] | None:
    """Read ALTER TABLE with a GENERATED clause.

    Returns:
        The parts of the table's name, and what the statement does, such as ADD COLUMN; None for
        all other texts.
    """
    head = _HEAD.match(text) if _MENTIONED.search(text) else None
    if head is None or not any(CLAUSE.match(text, at) for at, _ in lexemes(text, head.end())):
        return None
    verb = " ".join(piece for _, piece in lexemes(head["verb"].upper()) if piece.strip())
    return parts_of(head["table"]), verb


def nested_string(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Read ALTER TABLE ... ALTER COLUMN a.b TYPE STRING.

    Returns:
        The text of the table's name, and the path of the column; None for all other texts.
    """
    found = _TO_STRING.match(text)
    return None if found is None else (found["table"], parts_of(found["column"]))
