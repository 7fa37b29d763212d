"""EXPLAIN in front of a statement: which text it is, and in which mode the plan is shown."""

import re

from puredelta.frontend.sql.lexer import GAP

SIMPLE = "simple"

_HEAD = re.compile(
    rf"{GAP}*EXPLAIN{GAP}+(?:(?P<mode>EXTENDED|CODEGEN|COST|FORMATTED){GAP}+)?(?!LOGICAL\b)",
    re.IGNORECASE | re.DOTALL,
)


def explain_head(text: str) -> tuple[str, str | None]:
    """Return the text of EXPLAIN up to the statement, and the mode.

    Returns:
        An empty text and None for a statement without it, and for EXPLAIN LOGICAL, which Spark
        refuses.

    >>> explain_head("EXPLAIN COST DELETE FROM t")
    ('EXPLAIN COST ', 'cost')
    >>> explain_head("DELETE FROM t")
    ('', None)
    """
    found = _HEAD.match(text)
    if found is None:
        return "", None
    return found[0], (found["mode"] or SIMPLE).lower()
