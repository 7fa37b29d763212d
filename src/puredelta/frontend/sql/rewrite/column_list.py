"""The list of columns of a CREATE or REPLACE TABLE, and how clauses in it become properties.

Some clauses are known to newer versions of Spark only, and others reach no catalog of the session.
Properties reach our catalog on all versions, which checks their values when it creates the table.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from puredelta.frontend.sql.lexer import (
    GAP,
    NAME,
    STRING,
    TABLE,
    closed,
    lexemes,
    parts_of,
    unquoted,
    without_comments,
)
from puredelta.frontend.sql_text import literal

_HEAD = re.compile(
    rf"{GAP}*(?:CREATE{GAP}+(?:OR{GAP}+REPLACE{GAP}+)?(?:EXTERNAL{GAP}+)?|REPLACE{GAP}+)TABLE{GAP}+"
    rf"(?:IF{GAP}+NOT{GAP}+EXISTS{GAP}+)?"
    rf"(?:IDENTIFIER{GAP}*\({GAP}*(?P<text>{STRING}){GAP}*\)|(?P<table>{TABLE})){GAP}*(?=\()",
    re.IGNORECASE | re.DOTALL,
)
_USING = re.compile(rf"{GAP}*USING{GAP}+(?P<provider>{NAME})", re.IGNORECASE | re.DOTALL)
_BLANK = re.compile(rf"{GAP}*", re.DOTALL)
_COLUMN = re.compile(r"(?P<name>`(?:[^`]|``)+`|\w+(?=\s|--|/\*))", re.DOTALL)
_NAME = re.compile(rf"{GAP}*(?P<name>{NAME})", re.DOTALL)
_NESTS = {"ARRAY", "MAP", "STRUCT"}

Span = tuple[int, int]
"""Where a piece of a text begins and ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RewrittenClauses:
    """Clauses of one kind.

    Attributes:
        spans: where they are, in order; the text there is left out.
        properties: the table properties with the same meaning.
    """

    spans: tuple[Span, ...] = ()
    properties: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A column or a constraint of the table.

    Attributes:
        start: where it begins, behind blanks and comments.
        end: where the comma or parenthesis behind it is.
        column: the name with which it begins.
        past_name: where that name ends; `start` if there is none.
    """

    start: int
    end: int
    column: str
    past_name: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnList:
    """A statement that makes a table and lists its columns.

    Attributes:
        text: the whole statement.
        table: the parts of the table's name.
        provider: its format; None where the statement does not name it.
        start: where the list begins, behind the parenthesis.
        end: where its closing parenthesis is.
        past_format: where the statement goes on behind the list and the format.
    """

    text: str
    table: tuple[str, ...]
    provider: str | None
    start: int
    end: int
    past_format: int

    def items(self) -> Iterator[Item]:
        """Yield columns and constraints."""
        first = self.start
        for position, depth, piece in depths(self.text, self.start, self.end):
            if piece == "," and depth == 0:
                yield self._item(first, position)
                first = position + 1
        yield self._item(first, self.end)

    def _item(self, first: int, last: int) -> Item:
        start = behind_blanks(self.text, first)
        name = _COLUMN.match(self.text, start, last)
        if name is None:
            return Item(start=start, end=last, column="", past_name=start)
        return Item(start=start, end=last, column=unquoted(name["name"]), past_name=name.end())

    def rewritten(self, *clauses: RewrittenClauses) -> str:
        """Return the statement with properties in place of clauses."""
        spans = sorted(span for clause in clauses for span in clause.spans)
        kept = list(self._kept(spans))
        rest = self._with_properties(
            {name: text for clause in clauses for name, text in clause.properties.items()}
        )
        if kept:
            return self.text[: self.start] + ",".join(kept) + rest
        # AS SELECT lists no columns; Spark refuses an empty list.
        return f"{self.text[: self.start - 1].rstrip()} {rest[1:].lstrip()}"

    def _kept(self, spans: list[Span]) -> Iterator[str]:
        first = self.start
        for item in self.items():
            kept, at = "", first
            for start, end in spans:
                if first <= start and end <= item.end:
                    kept += self.text[at:start]
                    at = end
            kept += self.text[at : item.end]
            # An item that was empty before is an error, which Spark reports.
            if at == first or without_comments(kept):
                yield kept
            first = item.end + 1

    def _with_properties(self, columns: Mapping[str, str]) -> str:
        """Return what follows the columns, with more properties."""
        text, end = self.text, self.end
        pairs = ", ".join(f"{literal(name)} = {literal(value)}" for name, value in columns.items())
        last = ""
        for at, depth, piece in depths(text, end + 1, len(text)):
            if piece == "(" and depth == 0 and last == "TBLPROPERTIES":
                return f"{text[end : at + 1]}{pairs}, {text[at + 1 :]}"
            last = piece.upper() if piece.strip() else last
        rest = text[self.past_format :]
        return f"{text[end : self.past_format]} TBLPROPERTIES ({pairs}) {rest}"


def column_list(text: str) -> ColumnList | None:
    """Read CREATE or REPLACE TABLE with a list of columns; None for any other text."""
    head = _HEAD.match(text)
    end = None if head is None else closed(text, head.end())
    if head is None or end is None:
        return None
    using = _USING.match(text, end + 1)
    return ColumnList(
        text=text,
        table=parts_of(head["table"] or head["text"][1:-1]),
        provider=None if using is None else unquoted(using["provider"]),
        start=head.end() + 1,
        end=end,
        past_format=end + 1 if using is None else using.end(),
    )


def behind_blanks(text: str, start: int) -> int:
    """Return where the next piece begins that is no blank and no comment."""
    found = _BLANK.match(text, start)
    return start if found is None else found.end()


def name_at(text: str, start: int) -> str:
    """Return the next name; an empty string if something else follows."""
    found = _NAME.match(text, start)
    return "" if found is None else unquoted(found["name"])


def depths(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield pieces with how many parentheses and nested types they are in."""
    depth, word = 0, ""
    types: list[int] = []
    for position, piece in lexemes(text, start):
        if position >= end:
            return
        # `<` and `>` are comparisons, unless `<` follows the word of a nested type and `>` is as
        # deep as the innermost of these types.
        if piece == "<" and word in _NESTS:
            types.append(depth)
            depth += 1
        elif (piece == ">" and types and types[-1] == depth - 1) or piece == ")":
            depth -= 1
            if piece == ">":
                types.pop()
        yield position, depth, piece
        depth += piece == "("
        word = piece.upper() if piece.strip() else word
