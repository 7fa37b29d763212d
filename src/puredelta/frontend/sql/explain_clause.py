"""EXPLAIN in front of a statement: which text it is, and in which mode the plan is shown."""

from puredelta.frontend.sql.tokens import Tokens

SIMPLE = "simple"
_MODES = ("EXTENDED", "CODEGEN", "COST", "FORMATTED")


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
    tokens = Tokens(text)
    if not tokens.take("EXPLAIN"):
        return "", None
    mode = next((mode for mode in _MODES if tokens.take(mode)), SIMPLE)
    if tokens.sees("LOGICAL"):
        return "", None
    return text[: tokens.place], mode.lower()
