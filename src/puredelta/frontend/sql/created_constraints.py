"""CHECK clauses of CREATE and REPLACE TABLE, said as table properties that every Spark can read.

Spark has the clauses in its grammar from 4.1 on and gives them to no catalog of the session; the
properties come to us on all of them, and what they say is checked when the table is made.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.sql.lexemes import (
    GAP,
    NAME,
    TABLE,
    closed,
    lexemes,
    parts_of,
    unquoted,
    without_comments,
)
from puredelta.frontend.sql_text import literal
from puredelta.table.feature_use import CONSTRAINT_PREFIX

_HEAD = re.compile(
    rf"{GAP}*(?:CREATE{GAP}+(?:OR{GAP}+REPLACE{GAP}+)?|REPLACE{GAP}+)TABLE{GAP}+"
    rf"(?:IF{GAP}+NOT{GAP}+EXISTS{GAP}+)?(?P<table>{TABLE}){GAP}*(?=\()",
    re.IGNORECASE | re.DOTALL,
)
_MENTIONED = re.compile(r"\bCHECK\b", re.IGNORECASE)
_CLAUSE = re.compile(
    rf"(?:CONSTRAINT{GAP}+(?P<name>{NAME}){GAP}+)?CHECK{GAP}*(?=\()", re.IGNORECASE | re.DOTALL
)
_COLUMN = re.compile(rf"{GAP}*(?P<name>{NAME}){GAP}", re.DOTALL)
_BLANK = re.compile(rf"{GAP}*", re.DOTALL)
_USING = re.compile(rf"{GAP}*USING{GAP}+(?P<provider>{NAME})", re.IGNORECASE | re.DOTALL)
_CHARACTERISTIC = re.compile(
    rf"{GAP}*(?:NOT{GAP}+(?:ENFORCED|VALID)|ENFORCED|NORELY|RELY)\b", re.IGNORECASE | re.DOTALL
)
_NESTS = {"ARRAY", "MAP", "STRUCT"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatedConstraints:
    """A statement that makes a table with CHECK clauses.

    Attributes:
        table: the parts of the table's name.
        provider: its format; None where the statement does not say it.
        text: the statement with properties in place of the clauses.
    """

    table: tuple[str, ...]
    provider: str | None
    text: str


@dataclass(frozen=True, slots=True)
class _Clause:
    start: int
    end: int
    name: str | None
    column: str | None
    expression: str


def created_constraints(text: str) -> CreatedConstraints | None:
    """Read CREATE or REPLACE TABLE with CHECK clauses; None for any other text.

    Clauses that say more than Delta knows, such as RELY, are left to Spark.

    Raises:
        DeltaAnalysisError: DELTA_CONSTRAINT_ALREADY_EXISTS for a name given twice.
    """
    head = _HEAD.match(text) if _MENTIONED.search(text) else None
    end = None if head is None else closed(text, head.end())
    if head is None or end is None:
        return None
    clauses = list(_clauses(text, head.end() + 1, end))
    if not clauses or any(_CHARACTERISTIC.match(text, one.end) for one in clauses):
        return None
    table = parts_of(head["table"])
    using = _USING.match(text, end + 1)
    columns = text[: head.end() + 1] + _kept(text, head.end() + 1, end, clauses)
    told = _named(clauses, table[-1].rstrip("/").rpartition("/")[2])
    rest = _with_properties(text, end, end + 1 if using is None else using.end(), told)
    provider = None if using is None else unquoted(using["provider"])
    return CreatedConstraints(table=table, provider=provider, text=columns + rest)


def _clauses(text: str, start: int, end: int) -> Iterator[_Clause]:
    for first, last in _items(text, start, end):
        begin = _BLANK.match(text, first)
        at = first if begin is None else begin.end()
        whole = _clause(text, at, None)
        if whole is not None and whole.end <= last:
            yield whole
            continue
        column = _COLUMN.match(text, first)
        if column is not None:
            yield from _of_column(text, column.end(), last, unquoted(column["name"]))


def _of_column(text: str, start: int, end: int, column: str) -> Iterator[_Clause]:
    past = start
    for place, depth, _ in _depths(text, start, end):
        found = _clause(text, place, column) if place >= past and depth == 0 else None
        if found is not None:
            yield found
            past = found.end


def _clause(text: str, start: int, column: str | None) -> _Clause | None:
    """Read a clause that begins here; a word must not run into it."""
    found = _CLAUSE.match(text, start)
    end = None if found is None else closed(text, found.end())
    if found is None or end is None:
        return None
    name = None if found["name"] is None else unquoted(found["name"])
    expression = without_comments(text[found.end() + 1 : end])
    return _Clause(start, end + 1, name, column, expression)


def _items(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where each column and table constraint begins and ends."""
    first = start
    for place, depth, piece in _depths(text, start, end):
        if piece == "," and depth == 0:
            yield first, place
            first = place + 1
    yield first, end


def _depths(text: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """Yield pieces with how many parentheses and nested types they are in."""
    depth, word = 0, ""
    types: list[int] = []
    for place, piece in lexemes(text, start):
        if place >= end:
            return
        if piece == "<" and word in _NESTS:
            types.append(depth)
            depth += 1
        elif (piece == ">" and types and types[-1] == depth - 1) or piece == ")":
            depth -= 1
            if piece == ">":
                types.pop()
        yield place, depth, piece
        depth += piece == "("
        word = piece.upper() if piece.strip() else word


def _kept(text: str, start: int, end: int, clauses: list[_Clause]) -> str:
    """Return the list of columns without the clauses."""
    items = []
    for first, last in _items(text, start, end):
        kept, at = "", first
        for one in clauses:
            if first <= one.start and one.end <= last:
                kept += text[at : one.start]
                at = one.end
        items.append(kept + text[at:last])
    return ",".join(item for item in items if without_comments(item))


def _named(clauses: list[_Clause], table: str) -> dict[str, str]:
    """Give a name to each clause that has none; return the conditions by name.

    Raises:
        DeltaAnalysisError: DELTA_CONSTRAINT_ALREADY_EXISTS.
    """
    told: dict[str, str] = {}
    for one in sorted(clauses, key=lambda one: one.name is None):
        name = one.name or _free(told, [table, *([one.column] if one.column else []), "check"])
        if name.lower() in told:
            raise DeltaAnalysisError(
                "DELTA_CONSTRAINT_ALREADY_EXISTS",
                constraintName=name,
                oldConstraint=told[name.lower()],
            )
        told[name.lower()] = one.expression
    return told


def _free(taken: dict[str, str], words: list[str]) -> str:
    base = "_".join(words).lower()
    number, name = 1, base
    while name in taken:
        number += 1
        name = f"{base}{number}"
    return name


def _with_properties(text: str, end: int, place: int, told: dict[str, str]) -> str:
    """Return what follows the columns, with the conditions among the properties."""
    pairs = [f"{literal(CONSTRAINT_PREFIX + name)} = {literal(one)}" for name, one in told.items()]
    last = ""
    for at, depth, piece in _depths(text, end + 1, len(text)):
        if piece == "(" and depth == 0 and last == "TBLPROPERTIES":
            return f"{text[end : at + 1]}{', '.join(pairs)}, {text[at + 1 :]}"
        last = piece.upper() if piece.strip() else last
    return f"{text[end:place]} TBLPROPERTIES ({', '.join(pairs)}) {text[place:]}"
