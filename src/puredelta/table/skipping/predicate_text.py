"""The text of a predicate, as SQL has it, as a tree: comparisons, IN, BETWEEN, LIKE, IS NULL.

What a word means is left to the reader of the tree: over partition values a word may be a constant
without quotes, in a filter of rows it is a number or a column.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from puredelta._util.sql_strings import string_value
from puredelta.table.skipping.predicate import NEGATED

_PIECES = re.compile(
    r"""(?P<blank>\s+)
    |(?P<text>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
    |(?P<name>(?:\w+\.)*`(?:[^`]|``)+`(?:\.(?:\w+|`(?:[^`]|``)+`))*)
    |(?P<sign><=>|<=|>=|<>|!=|==|[=<>(),])
    |(?P<word>[^\s'"`()=<>!,]+)""",
    re.VERBOSE | re.DOTALL,
)
_OPERATORS = {"==": "=", "<>": "!=", "<=>": "<=>", **{sign: sign for sign in NEGATED}}
_TYPES = ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ")
# What a test without a comparison, such as a column of booleans, is followed by.
_AFTER_TESTS = frozenset({"AND", "OR", ")", "IS"})


class PredicateTextError(Exception):
    """A text is no predicate.

    Attributes:
        reason: Why not.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Word:
    """A word without quotes: a name, a number, TRUE, FALSE or NULL.

    Attributes:
        text: The word.
        is_name: Whether back quotes make it a name: `a.`b c`` or `` `2024` ``.
    """

    text: str
    is_name: bool = False

    @property
    def keyword(self) -> str:
        """The word in upper case; nothing for what can only be a name."""
        return "" if self.is_name else self.text.upper()


@dataclass(frozen=True, slots=True)
class TextConstant:
    """A text in quotes.

    Attributes:
        text: What it means, without the quotes.
        type_name: The word before it, in upper case: `DATE '2024-05-01'`; None without one.
    """

    text: str
    type_name: str | None = None


Term: TypeAlias = Word | TextConstant


@dataclass(frozen=True, slots=True)
class ComparisonTest:
    """Two terms, and the operator between them, of `predicate.OPERATORS`."""

    operator: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class ListTest:
    """`term IN (values)`."""

    term: Term
    values: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class PatternTest:
    r"""`term LIKE pattern ESCAPE escape`; the character that escapes is a backslash by default."""

    term: Term
    pattern: str
    escape: str = "\\"


@dataclass(frozen=True, slots=True)
class NullTest:
    """`term IS NULL`."""

    term: Term


@dataclass(frozen=True, slots=True)
class TruthTest:
    """`test IS TRUE`, or FALSE, or UNKNOWN (None)."""

    of: Test
    value: bool | None


@dataclass(frozen=True, slots=True)
class BareTest:
    """A term that stands for itself, such as a column of booleans."""

    term: Term


@dataclass(frozen=True, slots=True)
class NotTest:
    """`NOT test`."""

    of: Test


@dataclass(frozen=True, slots=True)
class JoinedTests:
    """Tests of which all hold, or any.

    Attributes:
        are_all: Whether AND joins them; OR otherwise.
        parts: The tests, at least two.
    """

    are_all: bool
    parts: tuple[Test, ...]


Test: TypeAlias = (
    ComparisonTest
    | ListTest
    | PatternTest
    | NullTest
    | TruthTest
    | BareTest
    | NotTest
    | JoinedTests
)


def parse_test(text: str) -> Test:
    """Read the text of a predicate.

    >>> parse_test("p >= 3")
    ComparisonTest(operator='>=', left=Word(text='p', is_name=False), right=Word(text='3', ...

    Args:
        text: The text.

    Raises:
        PredicateTextError: It is no predicate.
    """
    pieces = _Pieces(text)
    try:
        found = _any(pieces)
    except RecursionError as error:
        raise PredicateTextError("it is nested too deeply") from error
    if pieces.ahead is not None:
        raise PredicateTextError(f"{pieces.ahead.text!r} is one word too many")
    return found


# --------------------------------------------------------------------------------------- the pieces


@dataclass(frozen=True, slots=True)
class _Piece:
    kind: str
    text: str

    @property
    def keyword(self) -> str:
        """The word in upper case; nothing for what was quoted, which is no keyword."""
        return self.text.upper() if self.kind in ("word", "sign") else ""


class _Pieces:
    """The pieces of a predicate, taken from the left to the right."""

    def __init__(self, text: str) -> None:
        self._pieces: list[_Piece] = []
        self._place = place = 0
        while place < len(text):
            found = _PIECES.match(text, place)
            if found is None or found.lastgroup is None:
                raise PredicateTextError(f"{text[place:]!r} is no part of one")
            if found.lastgroup != "blank":
                self._pieces.append(_Piece(found.lastgroup, found[0]))
            place = found.end()

    @property
    def ahead(self) -> _Piece | None:
        """The next piece; None at the end."""
        return self._pieces[self._place] if self._place < len(self._pieces) else None

    def take(self, wanted: str) -> _Piece:
        """Take the next piece, whatever it is.

        Raises:
            PredicateTextError: There is none; says what was wanted.
        """
        found = self.ahead
        if found is None:
            raise PredicateTextError(f"{wanted} is missing at the end")
        self._place += 1
        return found

    def takes(self, *keywords: str) -> bool:
        """Take some keywords, or nothing where others are ahead."""
        ahead = self._pieces[self._place : self._place + len(keywords)]
        if [piece.keyword for piece in ahead] != list(keywords):
            return False
        self._place += len(keywords)
        return True

    def expect(self, keyword: str) -> None:
        """Take a keyword.

        Raises:
            PredicateTextError: Another piece is ahead.
        """
        if not self.takes(keyword):
            found = "the end" if self.ahead is None else repr(self.ahead.text)
            raise PredicateTextError(f"{keyword} is expected before {found}")


# -------------------------------------------------------------------------------------- the grammar


def _any(pieces: _Pieces) -> Test:
    return _joined(pieces, "OR", _all)


def _all(pieces: _Pieces) -> Test:
    return _joined(pieces, "AND", _negated)


def _joined(pieces: _Pieces, keyword: str, part: Callable[[_Pieces], Test]) -> Test:
    parts = [part(pieces)]
    while pieces.takes(keyword):
        parts.append(part(pieces))
    return parts[0] if len(parts) == 1 else JoinedTests(keyword == "AND", tuple(parts))


def _negated(pieces: _Pieces) -> Test:
    return NotTest(_negated(pieces)) if pieces.takes("NOT") else _with_truth(pieces)


def _with_truth(pieces: _Pieces) -> Test:
    if pieces.takes("("):
        found = _any(pieces)
        pieces.expect(")")
    else:
        found = _test(pieces)
    while pieces.takes("IS"):
        is_negated = pieces.takes("NOT")
        word = pieces.take("TRUE, FALSE or UNKNOWN").keyword
        if word not in _TRUTHS:
            raise PredicateTextError(f"TRUE, FALSE or UNKNOWN is expected in place of {word!r}")
        found = TruthTest(found, _TRUTHS[word])
        found = NotTest(found) if is_negated else found
    return found


# A condition that is null is unknown.
_TRUTHS = {"TRUE": True, "FALSE": False, "UNKNOWN": None, "NULL": None}


def _test(pieces: _Pieces) -> Test:
    term = _term(pieces, "a column")
    if pieces.takes("IS", "NOT", "NULL"):
        return NotTest(NullTest(term))
    if pieces.takes("IS", "NULL"):
        return NullTest(term)
    if pieces.takes("NOT"):
        return NotTest(_after_not(pieces, term))
    found = _membership(pieces, term)
    if found is not None:
        return found
    ahead = pieces.ahead
    if ahead is None or ahead.keyword in _AFTER_TESTS:
        return BareTest(term)
    sign = pieces.take("a comparison").text
    if sign not in _OPERATORS:
        raise PredicateTextError(f"a comparison of {term.text} is expected in place of {sign!r}")
    return ComparisonTest(_OPERATORS[sign], term, _term(pieces, "a value"))


def _after_not(pieces: _Pieces, term: Term) -> Test:
    found = _membership(pieces, term)
    if found is None:
        raise PredicateTextError("IN, BETWEEN or LIKE is expected after NOT")
    return found


def _membership(pieces: _Pieces, term: Term) -> Test | None:
    """Read IN, BETWEEN or LIKE, where one of them is ahead."""
    if pieces.takes("IN"):
        return ListTest(term, _values(pieces))
    if pieces.takes("BETWEEN"):
        least = ComparisonTest(">=", term, _term(pieces, "a value"))
        pieces.expect("AND")
        most = ComparisonTest("<=", term, _term(pieces, "a value"))
        return JoinedTests(are_all=True, parts=(least, most))
    if pieces.takes("LIKE"):
        pattern = _string(pieces, "a pattern")
        return PatternTest(term, pattern, _escape(pieces))
    return None


def _values(pieces: _Pieces) -> tuple[Term, ...]:
    pieces.expect("(")
    values = [_term(pieces, "a value")]
    while pieces.takes(","):
        values.append(_term(pieces, "a value"))
    pieces.expect(")")
    return tuple(values)


def _escape(pieces: _Pieces) -> str:
    if not pieces.takes("ESCAPE"):
        return "\\"
    found = _string(pieces, "a character")
    if len(found) != 1:
        raise PredicateTextError(f"ESCAPE has one character in place of {found!r}")
    return found


def _string(pieces: _Pieces, wanted: str) -> str:
    piece = pieces.take(wanted)
    if piece.kind != "text":
        raise PredicateTextError(f"{wanted} in quotes is expected in place of {piece.text!r}")
    return _meant(piece.text)


def _term(pieces: _Pieces, wanted: str) -> Term:
    piece = pieces.take(wanted)
    if piece.kind == "text":
        return TextConstant(_meant(piece.text))
    if piece.kind == "sign":
        raise PredicateTextError(f"{wanted} is expected in place of {piece.text!r}")
    ahead = pieces.ahead
    if piece.keyword in _TYPES and ahead is not None and ahead.kind == "text":
        return TextConstant(_meant(pieces.take(wanted).text), piece.keyword)
    if ahead is not None and ahead.text == "(":
        raise PredicateTextError(f"{piece.text}(...) is a function, and functions are not known")
    return Word(piece.text, is_name=piece.kind == "name")


def _meant(quoted: str) -> str:
    """Return what a text in quotes means; the quote twice is the quote."""
    quote = quoted[0]
    return string_value(f"{quote}{quoted[1:-1].replace(quote * 2, quote)}{quote}")
