"""Predicates over partition columns, read without Spark: `day >= 2024-05-01 AND country IN (a, b)`.

The grammar is the part of SQL that partition values alone can answer: comparisons with constants,
IN, BETWEEN, IS NULL, and AND, OR, NOT over them. Constants are texts until `typed` gives them the
types of their columns, so that quotes are needed only around texts with blanks or punctuation.
"""

from __future__ import annotations

import re
from dataclasses import replace

from puredelta.errors import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.column_path import parse_path
from puredelta.schema.datatypes import STRING, StructField
from puredelta.table.partition_values import plain_from_text
from puredelta.table.skipping.predicate import (
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
from puredelta.table.skipping.predicate_text import (
    BareTest,
    ComparisonTest,
    JoinedTests,
    ListTest,
    NotTest,
    NullTest,
    PatternTest,
    PredicateTextError,
    Term,
    Test,
    TextConstant,
    TruthTest,
    Word,
    parse_test,
)

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
    is_null = _ONLY_A_NAME.fullmatch(text) is not None
    try:
        return _condition(parse_test(f"{text[: text.rindex('=')]} IS NULL" if is_null else text))
    except PredicateTextError as error:
        raise DeltaAnalysisError(
            "PUREDELTA_PREDICATE_UNREADABLE", predicate=text, reason=error.reason
        ) from error


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


def _condition(test: Test) -> Condition:
    """Make the condition of a test, whose constants are texts."""
    match test:
        case JoinedTests(are_all, parts):
            return (And if are_all else Or)(tuple(map(_condition, parts)))
        case NotTest(of):
            return Not(_condition(of))
        case NullTest(term):
            return IsNull(_column(term))
        case ListTest(term, values):
            texts = [_constant(value) for value in values]
            some = tuple(text for text in texts if text is not None)
            return In(_column(term), some, STRING, has_null=len(some) < len(texts))
        case ComparisonTest(operator, left, right):
            return _compared(operator, _column(left), _constant(right))
        case BareTest(term):
            raise PredicateTextError(f"a comparison of {_column(term).path[0]} is missing")
        case PatternTest():
            raise PredicateTextError("LIKE is not known for partitions")
        case TruthTest():
            raise PredicateTextError("IS is followed by NULL or NOT NULL")


def _compared(operator: str, column: Column, value: str | None) -> Condition:
    if value is not None:
        return Comparison(operator, column, Literal(value, STRING))
    return IsNull(column) if operator == "<=>" else Constant(None)


def _column(term: Term) -> Column:
    if isinstance(term, TextConstant):
        raise PredicateTextError(f"a column is expected in place of {term.text!r}")
    # Partition columns are at the top, so a dot is a part of the name.
    path = parse_path(term.text) if term.is_name else (term.text,)
    if len(path) > 1:
        raise PredicateTextError(f"{term.text} is inside of a column, as no partition column is")
    return Column(path)


def _constant(term: Term) -> str | None:
    """Return the text of a constant; None for null."""
    if isinstance(term, Word) and term.is_name:
        raise PredicateTextError(f"a value is expected in place of {term.text!r}")
    return None if isinstance(term, Word) and term.keyword == "NULL" else term.text
