"""Strings of SQL text, as Spark reads them."""

import re

_CODE_DIGITS = 3
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[01][0-7]{2}|.)", re.DOTALL)
# As Spark reads strings; a pattern of LIKE keeps the backslash of what it escapes.
_MEANT = {
    "0": "\0",
    "b": "\b",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "Z": "\x1a",
    "%": r"\%",
    "_": r"\_",
}


def string_value(text: str) -> str:
    r"""Return what a string between quotes means.

    >>> string_value(r"'it\'s'")
    "it's"
    """
    return _ESCAPED.sub(lambda found: _character(found[1]), text[1:-1])


def _character(escape: str) -> str:
    """Return what stands for the text after a backslash."""
    if escape[0] in "uU" and len(escape) > 1:
        return chr(int(escape[1:], 16))
    if len(escape) == _CODE_DIGITS:
        return chr(int(escape, 8))
    return _MEANT.get(escape, escape)
