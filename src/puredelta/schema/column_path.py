"""Paths to nested columns: `a.b`, with back quotes around names that hold dots."""

import re
from collections.abc import Iterable

from puredelta.errors import DeltaIllegalArgumentError

_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")
_NEEDS_NO_QUOTES = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def parse_path(text: str) -> tuple[str, ...]:
    """Split a path into the names it is made of.

    >>> parse_path("a.`b c`.d")
    ('a', 'b c', 'd')

    Raises:
        DeltaIllegalArgumentError: A name is empty, or a quote is not closed.
    """
    parts: list[str] = []
    position = 0
    while True:
        found = _PART.match(text, position)
        if found is None:
            raise _malformed(text, f"a name is missing at position {position + 1}")
        quoted, plain = found.groups()
        # Blanks count between back quotes only.
        parts.append(plain.strip() if quoted is None else quoted.replace("``", "`"))
        position = found.end()
        if position == len(text):
            return tuple(parts)
        if text[position] != ".":
            raise _malformed(text, f"a dot is missing at position {position + 1}")
        position += 1


def quote_name(name: str) -> str:
    """Put back quotes around a name if it cannot stand without."""
    if _NEEDS_NO_QUOTES.fullmatch(name):
        return name
    return quoted(name)


def quoted(name: str) -> str:
    """Put back quotes around a name.

    >>> quoted("a`b")
    '`a``b`'
    """
    return "`" + name.replace("`", "``") + "`"


def lowered(names: Iterable[str]) -> tuple[str, ...]:
    """Return a path as it is compared: the case of names does not matter."""
    return tuple(name.lower() for name in names)


def quote_path(names: Iterable[str]) -> str:
    """Join names to a path, each quoted where it must be.

    >>> quote_path(["a", "b c"])
    'a.`b c`'
    """
    return ".".join(quote_name(name) for name in names)


def _malformed(path: str, reason: str) -> DeltaIllegalArgumentError:
    return DeltaIllegalArgumentError("DELTA_COLUMN_PATH_MALFORMED", path=path, reason=reason)
