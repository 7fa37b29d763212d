"""The smallest pieces of SQL text: gaps, names and strings, as patterns and one after the other."""

import re
from collections.abc import Iterator

GAP = r"(?:\s|--[^\r\n]*(?![^\r\n])|/\*(?:[^*]|\*(?!/))*\*/)"
"""One blank or comment, which can be read in one way only: a failing match must not try others."""

NAME = r"(?:`(?:[^`]|``)+`|\w+)"
"""One part of a name."""

TABLE = rf"{NAME}(?:{GAP}*\.{GAP}*{NAME})*"
"""A name of any number of parts."""

STRING = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
"""A string; Spark reads two in a row as one."""

_LEXEMES = re.compile(rf"(?P<gap>{GAP}+)|[rR]'[^']*'|[rR]\"[^\"]*\"|{STRING}|{NAME}|.", re.DOTALL)


def lexemes(text: str, start: int = 0) -> Iterator[tuple[int, str]]:
    """Take a text apart: strings, names and comments stay whole.

    Yields:
        Where a piece begins, and the piece; one blank for each run of blanks and comments.
    """
    for found in _LEXEMES.finditer(text, start):
        is_comment = found["gap"] is not None and bool(found["gap"].strip())
        yield found.start(), " " if is_comment else found[0]


def closed(text: str, start: int) -> int | None:
    """Return where the parenthesis that opens at `start` closes; None where it does not.

    >>> closed("f((a), ')') + 1", 1)
    10
    """
    depth = 0
    for place, piece in lexemes(text, start):
        depth += (piece == "(") - (piece == ")")
        if depth == 0:
            return place if piece == ")" else None
    return None


def without_comments(text: str) -> str:
    """Return a text with a blank for each comment, and none around it.

    >>> without_comments(" id > 5 -- small ones are lost")
    'id > 5'
    """
    return "".join(piece for _, piece in lexemes(text)).strip()


def unquoted(text: str) -> str:
    """Return a part of a name without its back quotes."""
    return text[1:-1].replace("``", "`") if text.startswith("`") else text


def parts_of(table: str) -> tuple[str, ...]:
    """Split the text of a name into its parts."""
    return tuple(unquoted(part) for part in re.findall(NAME, without_comments(table)))
