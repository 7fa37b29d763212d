"""ALTER TABLE ... ALTER COLUMN ... SYNC IDENTITY, read from its text: Spark does not have it."""

import re

from puredelta.frontend.sql.lexer import GAP, TABLE, parts_of

SYNC = "syncIdentity"

_SYNC = re.compile(
    rf"{GAP}*ALTER{GAP}+TABLE{GAP}+(?P<table>{TABLE}){GAP}+(?:ALTER|CHANGE){GAP}+"
    rf"(?:COLUMN{GAP}+)?(?P<column>{TABLE}){GAP}+SYNC{GAP}+IDENTITY{GAP}*;?{GAP}*\Z",
    re.IGNORECASE | re.DOTALL,
)


def synced_identity(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Read the statement.

    Returns:
        The text of the table's name, and the path of the column; None for all other texts.
    """
    found = _SYNC.match(text)
    return None if found is None else (found["table"], parts_of(found["column"]))
