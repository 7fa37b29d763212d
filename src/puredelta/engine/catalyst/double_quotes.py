"""Double quotes in expressions: strings, or names in a session whose settings say so.

Tables hold expressions as most sessions read them, so that a session of the other kind neither
stores what they cannot read nor takes their strings for names.
"""

import re
from collections.abc import Callable

from puredelta.engine.session.sessions import active_session, setting
from puredelta.schema.column_path import quoted

_QUOTE = '"'
_SETTINGS = ("spark.sql.ansi.enabled", "spark.sql.ansi.doubleQuotedIdentifiers")
# What may hold a double quote that opens nothing is matched first: strings, names and comments.
_PIECES = re.compile(
    r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|--[^\r\n]*|/\*.*?\*/"
    r'|(?P<raw>\b[rR])?"(?P<inside>(?:[^"\\]|\\.|"")*)"',
    re.DOTALL,
)


def portable(text: str) -> str:
    """Return an expression of a user as a table holds it: no session takes its names for strings.

    Args:
        text: the expression, in SQL, as the active session reads it.
    """
    return names_in_back_quotes(text) if _has_quoted_names(text) else text


def readable(text: str) -> str:
    """Return an expression of a table as the active session reads it: no string becomes a name.

    Args:
        text: the expression, in SQL.
    """
    return strings_in_single_quotes(text) if _has_quoted_names(text) else text


def _has_quoted_names(text: str) -> bool:
    # Few expressions have a double quote, and the others need no look at the settings.
    if _QUOTE not in text:
        return False
    session = active_session()
    return all((setting(session, key) or "").lower() == "true" for key in _SETTINGS)


def names_in_back_quotes(text: str) -> str:
    """Put names in back quotes that are in double quotes.

    >>> names_in_back_quotes('"a b" > 0')
    '`a b` > 0'
    """
    return _replaced(text, lambda found: quoted(found["inside"].replace('""', '"')))


def strings_in_single_quotes(text: str) -> str:
    """Put strings in single quotes that are in double quotes.

    >>> strings_in_single_quotes('s <> "x"')
    "s <> 'x'"
    """
    return _replaced(text, _single_quoted)


def _single_quoted(found: re.Match[str]) -> str:
    inside = found["inside"]
    if found["raw"] is not None:
        # A raw string has no way to write the quote that ends it.
        return found[0] if "'" in inside else f"{found['raw']}'{inside}'"
    return "'" + re.sub(r"\\.|'", _escaped, inside, flags=re.DOTALL) + "'"


def _escaped(found: re.Match[str]) -> str:
    return "\\'" if found[0] == "'" else found[0]


def _replaced(text: str, replacement: Callable[[re.Match[str]], str]) -> str:
    return _PIECES.sub(
        lambda found: found[0] if found["inside"] is None else replacement(found), text
    )
