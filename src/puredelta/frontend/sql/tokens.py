"""The tokens of a SQL text, read from left to right: every statement of ours is parsed with it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from puredelta._util.sql_strings import string_value
from puredelta.errors.classes import DeltaParseError
from puredelta.frontend.sql.lexer import (
    GAP,
    TABLE,
    closed,
    lexemes,
    parts_of,
    unquoted,
)

_SHOWN = 40
_WORD = re.compile(r"\w+\Z")
_NAME = re.compile(rf"{GAP}*{TABLE}{GAP}*", re.DOTALL)


class Tokens:
    r"""A place in a text, and the tokens from there on; blanks and comments are passed over.

    Tokens are made when they are looked at, so that the beginning of a long text costs little.

    Args:
        text: The text.

    >>> tokens = Tokens("ALTER TABLE a.`b c` -- why\n DROP FEATURE x")
    >>> tokens.take("ALTER", "TABLE"), tokens.name(), tokens.take("ADD")
    (True, ('a', 'b c'), False)
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._made: list[tuple[int, str]] = []
        self._rest: Iterator[tuple[int, str]] = (
            (place, piece) for place, piece in lexemes(text) if piece.strip()
        )
        self._at = 0

    def restart(self) -> None:
        """Go back to the beginning."""
        self._at = 0

    def sees(self, *tokens: str) -> bool:
        """Say whether these words and symbols come next; the case of words does not matter."""
        return all(
            self._piece(self._at + ahead).upper() == token for ahead, token in enumerate(tokens)
        )

    def take(self, *tokens: str) -> bool:
        """Pass over these words and symbols if all of them come next."""
        found = self.sees(*tokens)
        if found:
            self._at += len(tokens)
        return found

    def word(self) -> str | None:
        """Take one part of a name, without its back quotes; None where none comes next."""
        piece = self._piece(self._at)
        if not (piece.startswith("`") or _WORD.match(piece)):
            return None
        self._at += 1
        return unquoted(piece)

    def name(self) -> tuple[str, ...]:
        """Take a name of any number of parts; no parts where none comes next.

        `IDENTIFIER('a.b')` is the name in the string. Of any other expression only Spark knows it.
        """
        if self.sees("IDENTIFIER", "("):
            return self._identifier()
        first = self.word()
        if first is None:
            return ()
        parts = [first]
        while self.sees("."):
            begun = self._at
            self._at += 1
            part = self.word()
            if part is None:
                self._at = begun
                break
            parts.append(part)
        return tuple(parts)

    def _identifier(self) -> tuple[str, ...]:
        begun = self._at
        self._at += 2
        text = self.string()
        if text is not None and self.take(")") and _NAME.fullmatch(text):
            return parts_of(text)
        self._at = begun
        return ()

    def string(self) -> str | None:
        """Take a string and return what it means; None where none comes next."""
        piece = self._piece(self._at)
        if len(piece) <= 1 or piece[0] not in "'\"":
            return None
        self._at += 1
        return string_value(piece)

    def match(self, pattern: re.Pattern[str]) -> str | None:
        """Take a text that matches from here on, which ends where a token does."""
        found = pattern.match(self.text, self.place)
        if found is None:
            return None
        while self._piece(self._at) and self.place < found.end():
            self._at += 1
        return found[0]

    def parenthesised(self) -> str | None:
        """Take parentheses and return the text between them; None where none open or close."""
        end = closed(self.text, self.place) if self.sees("(") else None
        if end is None:
            return None
        inside = self.text[self.place + 1 : end]
        self.go_to(end)
        self.skip()
        return inside

    def skip(self) -> None:
        """Pass over one token."""
        self._at += 1

    def go_to(self, place: int) -> None:
        """Go back, or on, to the token that begins at a place."""
        while self._at and self._made[self._at - 1][0] >= place:
            self._at -= 1
        while self._piece(self._at) and self.place < place:
            self._at += 1

    def is_at_end(self) -> bool:
        """Say whether nothing comes but semicolons."""
        ahead = self._at
        while self._piece(ahead) == ";":
            ahead += 1
        return not self._piece(ahead)

    @property
    def next_word(self) -> str:
        """The word or symbol that comes next, in capitals; empty at the end."""
        return self._piece(self._at).upper()

    @property
    def place(self) -> int:
        """Where the next token begins, in characters of the text."""
        return self._made[self._at][0] if self._piece(self._at) else len(self.text)

    @property
    def end_of_last(self) -> int:
        """Where the token before this place ends."""
        place, piece = self._made[self._at - 1]
        return place + len(piece)

    def _piece(self, index: int) -> str:
        while len(self._made) <= index:
            made = next(self._rest, None)
            if made is None:
                return ""
            self._made.append(made)
        return self._made[index][1]


def syntax_error(text: str, place: int, *, statement: str, form: str) -> DeltaParseError:
    """Return the error for a statement of ours that begins as it should and goes on otherwise.

    Args:
        text: All of it.
        place: From where on it cannot be read.
        statement: The words that it begins with.
        form: What may follow them.
    """
    rest = text[place:]
    place += len(rest) - len(rest.lstrip())
    before = text[:place]
    return DeltaParseError(
        "PARSE_SYNTAX_ERROR",
        statement=statement,
        line=before.count("\n") + 1,
        column=place - before.rfind("\n"),
        context=text[place : place + _SHOWN].rstrip() or "(the end)",
        form=form,
    )
