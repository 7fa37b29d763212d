"""Predicates over partition columns, read without Spark: `day >= 2024-05-01 AND country IN (a, b)`.

The grammar is the part of SQL that partition values alone can answer: comparisons with constants,
IN, BETWEEN, IS NULL, and AND, OR, NOT over them. Constants are texts until `typed` gives them the
types of their columns, so that quotes are needed only around texts with blanks or punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from puredelta.errors import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import STRING, StructField
from puredelta.table.partition_values import plain_from_text
from puredelta.table.skipping.predicate import (
    NEGATED,
    And,
    Column,
    Comparison,
    Condition,
    Constant,
    In,
    IsNull,
    Literal,
    Not,
    Or,
)

_PIECES = re.compile(
    r"""(?P<blank>\s+)
    |(?P<text>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
    |(?P<name>`(?:[^`]|``)+`)
    |(?P<sign><=>|<=|>=|<>|!=|==|[=<>(),])
    |(?P<word>[^\s'"`()=<>!,]+)""",
    re.VERBOSE | re.DOTALL,
)
_OPERATORS = {"==": "=", "<>": "!=", "<=>": "<=>", **{sign: sign for sign in NEGATED}}
_ESCAPED = re.compile(r"\\(.)|''|\"\"", re.DOTALL)
_ONLY_A_NAME = re.compile(r"\s*(?:`(?:[^`]|``)+`|[^\s'\"`()=<>!,]+)\s*=\s*")


def parse_predicate(text: str) -> Condition:
    """Read a predicate, whose constants are texts; `COLUMN=` without a value means null.

    Args:
        text: The predicate.

    Raises:
        DeltaAnalysisError: PUREDELTA_PREDICATE_UNREADABLE: it is none; says why.

    Examples:
        >>> parse_predicate("p >= 3")
        Comparison(operator='>=', left=Column(path=('p',)), right=Literal(value='3', ...
    """
    if _ONLY_A_NAME.fullmatch(text):
        text = f"{text[: text.rindex('=')]} IS NULL"
    pieces = _Pieces(text)
    found = _either(pieces)
    if pieces.ahead is not None:
        raise pieces.error(f"{pieces.ahead.text!r} is one word too many")
    return found


def typed(condition: Condition, snapshot: Snapshot) -> Condition:
    """Give the constants of a predicate the types of the partition columns they are compared with.

    Args:
        condition: What `parse_predicate` returned.
        snapshot: The table.

    Raises:
        DeltaAnalysisError: DELTA_NON_PARTITION_COLUMN_REFERENCE.
        DeltaRuntimeError: A text is no value of the column's type.
    """
    match condition:
        case And(parts) | Or(parts):
            return replace(condition, parts=tuple(typed(part, snapshot) for part in parts))
        case Not(below):
            return Not(typed(below, snapshot))
        case IsNull(Column() as column):
            return IsNull(_named(column, snapshot)[0])
        case In(Column() as column, values):
            known, field = _named(column, snapshot)
            plain = tuple(plain_from_text(text, field.data_type) for text in values)
            return replace(condition, operand=known, values=plain, data_type=field.data_type)
        case Comparison(operator, Column() as column, Literal(value)):
            known, field = _named(column, snapshot)
            if value is not None and field.data_type != STRING:
                value = plain_from_text(value, field.data_type)
            return Comparison(operator, known, Literal(value, field.data_type))
        case _:
            return condition


def _named(column: Column, snapshot: Snapshot) -> tuple[Column, StructField]:
    """Return a partition column by its own spelling, and its field."""
    known = {name.lower(): name for name in snapshot.partition_columns}
    name = column.path[0]
    field = snapshot.schema.field(known.get(name.lower(), ""))
    if field is None:
        raise DeltaAnalysisError(
            "DELTA_NON_PARTITION_COLUMN_REFERENCE",
            columnName=name,
            columnList=list(snapshot.partition_columns),
        )
    return Column((field.name,)), field


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
        self._text = text
        self._pieces: list[_Piece] = []
        self._place = place = 0
        while place < len(text):
            found = _PIECES.match(text, place)
            if found is None or found.lastgroup is None:
                raise self.error(f"{text[place:]!r} is no part of one")
            if found.lastgroup != "blank":
                self._pieces.append(_Piece(found.lastgroup, found[0]))
            place = found.end()

    def error(self, reason: str) -> DeltaAnalysisError:
        """Return the error that says why the text is no predicate."""
        condition = "PUREDELTA_PREDICATE_UNREADABLE"
        return DeltaAnalysisError(condition, predicate=self._text, reason=reason)

    @property
    def ahead(self) -> _Piece | None:
        """The next piece; None at the end."""
        return self._pieces[self._place] if self._place < len(self._pieces) else None

    def take(self, wanted: str) -> _Piece:
        """Take the next piece, whatever it is.

        Raises:
            DeltaAnalysisError: There is none; says what was wanted.
        """
        found = self.ahead
        if found is None:
            raise self.error(f"{wanted} is missing at the end")
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
            DeltaAnalysisError: Another piece is ahead.
        """
        if not self.takes(keyword):
            found = "the end" if self.ahead is None else repr(self.ahead.text)
            raise self.error(f"{keyword} is expected before {found}")


# -------------------------------------------------------------------------------------- the grammar


def _either(pieces: _Pieces) -> Condition:
    return _joined(pieces, "OR", _all, Or)


def _all(pieces: _Pieces) -> Condition:
    return _joined(pieces, "AND", _negated, And)


def _joined(
    pieces: _Pieces,
    keyword: str,
    part: Callable[[_Pieces], Condition],
    join: type[And | Or],
) -> Condition:
    parts = [part(pieces)]
    while pieces.takes(keyword):
        parts.append(part(pieces))
    return parts[0] if len(parts) == 1 else join(tuple(parts))


def _negated(pieces: _Pieces) -> Condition:
    if pieces.takes("NOT"):
        return Not(_negated(pieces))
    if pieces.takes("("):
        found = _either(pieces)
        pieces.expect(")")
        return found
    return _test(pieces)


def _test(pieces: _Pieces) -> Condition:
    piece = pieces.take("a column")
    if piece.kind not in ("word", "name"):
        raise pieces.error(f"a column is expected in place of {piece.text!r}")
    column = Column((_plain(piece),))
    if pieces.takes("IS", "NOT", "NULL"):
        return Not(IsNull(column))
    if pieces.takes("IS", "NULL"):
        return IsNull(column)
    is_negated = pieces.takes("NOT")
    if pieces.takes("IN"):
        found = _membership(pieces, column)
    elif pieces.takes("BETWEEN"):
        least = _value(pieces)
        pieces.expect("AND")
        found = And((_compared(">=", column, least), _compared("<=", column, _value(pieces))))
    elif is_negated:
        raise pieces.error("IN or BETWEEN is expected after NOT")
    else:
        sign = pieces.take(f"a comparison of {piece.text}").text
        if sign not in _OPERATORS:
            raise pieces.error(f"a comparison of {piece.text} is expected in place of {sign!r}")
        return _compared(_OPERATORS[sign], column, _value(pieces))
    return Not(found) if is_negated else found


def _membership(pieces: _Pieces, column: Column) -> Condition:
    pieces.expect("(")
    values = [_value(pieces)]
    while pieces.takes(","):
        values.append(_value(pieces))
    pieces.expect(")")
    some = tuple(value for value in values if value is not None)
    return In(column, some, STRING, has_null=len(some) < len(values))


def _compared(operator: str, column: Column, value: str | None) -> Condition:
    if value is not None:
        return Comparison(operator, column, Literal(value, STRING))
    return IsNull(column) if operator == "<=>" else Constant(None)


def _value(pieces: _Pieces) -> str | None:
    # What follows the word is the text of the constant: DATE '2024-05-01'.
    for keyword in ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ"):
        if pieces.takes(keyword):
            break
    piece = pieces.take("a value")
    if piece.kind not in ("word", "text"):
        raise pieces.error(f"a value is expected in place of {piece.text!r}")
    return None if piece.keyword == "NULL" else _plain(piece)


def _plain(piece: _Piece) -> str:
    """Return what a piece means, without its quotes."""
    if piece.kind == "word":
        return piece.text
    if piece.kind == "name":
        return piece.text[1:-1].replace("``", "`")
    return _ESCAPED.sub(lambda found: found[1] or found[0][0], piece.text[1:-1])
