"""CHECK clauses of CREATE and REPLACE TABLE, expressed as table properties."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from puredelta.errors.classes import DeltaAnalysisError
from puredelta.frontend.sql.lexer import (
    GAP,
    NAME,
    closed,
    unquoted,
    without_comments,
)
from puredelta.frontend.sql.rewrite.column_list import (
    ColumnList,
    Item,
    RewrittenClauses,
    depths,
)
from puredelta.table.expressions.constraints import check_characteristics, free_name
from puredelta.table.protocol.feature_activation import CONSTRAINT_PREFIX

_CLAUSE = re.compile(
    rf"(?:CONSTRAINT{GAP}+(?P<name>{NAME}){GAP}+)?CHECK{GAP}*(?=\()", re.IGNORECASE | re.DOTALL
)
_CHARACTERISTICS = re.compile(
    rf"(?:{GAP}*(?:NOT{GAP}+ENFORCED|ENFORCED|NORELY|RELY)\b)+", re.IGNORECASE | re.DOTALL
)
_NOT_VALID = re.compile(rf"{GAP}*NOT{GAP}+VALID\b", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class _CheckClause:
    start: int
    end: int
    name: str | None
    column: str | None
    expression: str


def created_constraints(listed: ColumnList) -> RewrittenClauses | None:
    """Read the CHECK clauses of a list of columns.

    Returns:
        The clauses; None for one with NOT VALID, which is for old rows: Spark reports it.

    Raises:
        DeltaAnalysisError: DELTA_CONSTRAINT_ALREADY_EXISTS for a name given twice.
        DeltaParseError: UNSUPPORTED_CONSTRAINT_CHARACTERISTIC.
    """
    clauses = [clause for item in listed.items() for clause in _of_item(listed.text, item)]
    if any(_NOT_VALID.match(listed.text, clause.end) for clause in clauses):
        return None
    # A table that is addressed by its location is named by the last folder of the path.
    named_clauses = _named(clauses, listed.table[-1].rstrip("/").rpartition("/")[2])
    return RewrittenClauses(
        spans=tuple((clause.start, clause.end) for clause in clauses),
        properties={CONSTRAINT_PREFIX + name: text for name, text in named_clauses.items()},
    )


def _of_item(text: str, item: Item) -> Iterator[_CheckClause]:
    whole = _clause(text, item.start, None)
    if whole is not None and whole.end <= item.end:
        yield whole
    elif item.column:
        yield from _of_column(text, item)


def _of_column(text: str, item: Item) -> Iterator[_CheckClause]:
    past = item.past_name
    for position, depth, _ in depths(text, item.past_name, item.end):
        # A word CHECK inside the condition of a clause, or in a nested type, starts no clause.
        is_outside = position >= past and depth == 0
        found = _clause(text, position, item.column) if is_outside else None
        if found is not None:
            yield found
            past = found.end


def _clause(text: str, start: int, column: str | None) -> _CheckClause | None:
    """Read a clause that begins at a position.

    Raises:
        DeltaParseError: UNSUPPORTED_CONSTRAINT_CHARACTERISTIC.
    """
    found = _CLAUSE.match(text, start)
    end = None if found is None else closed(text, found.end())
    if found is None or end is None:
        return None
    name = None if found["name"] is None else unquoted(found["name"])
    expression = without_comments(text[found.end() + 1 : end])
    characteristics = _CHARACTERISTICS.match(text, end + 1)
    if characteristics is None:
        return _CheckClause(start, end + 1, name, column, expression)
    check_characteristics(without_comments(characteristics[0]).upper().split())
    return _CheckClause(start, characteristics.end(), name, column, expression)


def _named(clauses: Sequence[_CheckClause], table: str) -> dict[str, str]:
    """Give a name to each clause that has none; return the conditions by name.

    Raises:
        DeltaAnalysisError: DELTA_CONSTRAINT_ALREADY_EXISTS.
    """
    named_clauses: dict[str, str] = {}
    # Names of the statement come first, so that a name made here avoids those further down too.
    for clause in sorted(clauses, key=lambda clause: clause.name is None):
        column = [clause.column] if clause.column else []
        name = clause.name or free_name(named_clauses, table, *column, "check")
        if name.lower() in named_clauses:
            raise DeltaAnalysisError(
                "DELTA_CONSTRAINT_ALREADY_EXISTS",
                constraintName=name,
                oldConstraint=named_clauses[name.lower()],
            )
        named_clauses[name.lower()] = clause.expression
    return named_clauses
