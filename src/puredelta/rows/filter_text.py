"""Filters of rows as SQL text, with the meaning that Spark gives them: three-valued, NaN greatest.

A filter is made twice of its text: as an expression of Arrow, which chooses rows, and as a
condition, by which statistics skip files.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.errors import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.rows.filter_values import (
    is_constant,
    is_number,
    value_for,
)
from puredelta.rows.row_conditions import (
    NULL,
    FilterCondition,
    FoundColumn,
    in_list,
    joined,
    like,
    negated,
    truth,
    with_column,
    with_value,
)
from puredelta.schema.column_path import parse_path
from puredelta.schema.datatypes import (
    BOOLEAN,
    DECLARED_TYPE_KEY,
    StructType,
)
from puredelta.table.columns.char_lengths import char_length, declared_column
from puredelta.table.skipping.predicate import (
    MIRRORED,
    Comparison,
    Constant,
    IsNull,
    Literal,
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
    TruthTest,
    Word,
    parse_test,
)

_UTC = "UTC"
_NAME = re.compile(r"\w+(?:\.\w+)*")


def parse_filter(
    text: str, schema: StructType, zone: str = _UTC
) -> tuple[FilterCondition, tuple[str, ...]]:
    """Read the text of a filter.

    Args:
        text: The text, such as `month = 3 AND name LIKE 'A%'`.
        schema: The schema of the table.
        zone: The time zone of timestamps that name none.

    Returns:
        What it is for rows and for files, and the columns of the table that it is about.

    Raises:
        DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
        DeltaIllegalArgumentError: PUREDELTA_FILTER_TEXT_INVALID.
    """
    reader = _FilterReader(schema, zone)
    try:
        return reader.tested(parse_test(text)), tuple(reader.columns)
    except PredicateTextError as error:
        raise DeltaIllegalArgumentError(
            "PUREDELTA_FILTER_TEXT_INVALID", filter=text, reason=error.reason
        ) from error


class _FilterReader:
    """Finds the columns of a filter, and makes expressions and conditions of its tests.

    Attributes:
        columns: The columns of the table that were found, in order.
    """

    def __init__(self, schema: StructType, zone: str) -> None:
        self._schema = schema
        self._zone = zone
        self.columns: dict[str, None] = {}

    def tested(self, test: Test) -> FilterCondition:
        """Make the expression and the condition of a test."""
        match test:
            case JoinedTests(are_all, parts):
                return joined([self.tested(part) for part in parts], are_all=are_all)
            case NotTest(of):
                return negated(self.tested(of))
            case NullTest(term):
                column = self._column(term)
                return FilterCondition(column.rows.is_null(), IsNull(column.column))
            case TruthTest(of, value):
                return truth(self.tested(of), value=value)
            case BareTest(term):
                return self._bare(term)
            case ListTest(term, values):
                return self._listed(term, values)
            case PatternTest(term, pattern, escape):
                return like(self._column(term), pattern, escape)
            case ComparisonTest(operator, left, right):
                return self._compared(operator, left, right)

    def _column(self, term: Term) -> FoundColumn:
        """Find the column that a word names.

        Raises:
            DeltaAnalysisError: DELTA_COLUMN_NOT_FOUND_IN_SCHEMA.
            PredicateTextError: The word is no name.
        """
        if not isinstance(term, Word) or is_number(term):
            raise PredicateTextError(f"a column is expected in place of {term.text!r}")
        if not term.is_name and not _NAME.fullmatch(term.text):
            raise PredicateTextError(
                f"{term.text!r} is no name of a column: arithmetic is not known, a text or a date "
                f"has to be in quotes, and an unusual name in back quotes"
            )
        found = declared_column(self._schema, parse_path(term.text))
        self.columns[found.path[0]] = None
        declared = str(found.field.metadata.get(DECLARED_TYPE_KEY) or "")
        return FoundColumn(found.path, found.field.data_type, char_length(declared))

    def _value_column(self, term: Term) -> FoundColumn:
        """Find the column that a word in place of a value names."""
        try:
            return self._column(term)
        except DeltaAnalysisError as error:
            reason = (
                f"there is no column {term.text}, and a text has to be in quotes: '{term.text}'"
            )
            raise PredicateTextError(reason) from error

    def _bare(self, term: Term) -> FilterCondition:
        if isinstance(term, Word) and term.keyword in _TRUTHS:
            value = _TRUTHS[term.keyword]
            return FilterCondition(pc.scalar(pa.scalar(value, pa.bool_())), Constant(value))
        column = self._column(term)
        if column.data_type != BOOLEAN:
            raise PredicateTextError(f"{column.said_type}, and needs a comparison")
        return FilterCondition(
            column.rows, Comparison("=", column.column, Literal(_TRUTHS["TRUE"], BOOLEAN))
        )

    def _compared(self, operator: str, left: Term, right: Term) -> FilterCondition:
        if is_constant(left):
            if is_constant(right):
                raise PredicateTextError(f"{left.text} and {right.text} are no columns")
            operator, left, right = MIRRORED[operator], right, left
        column = self._column(left)
        if is_constant(right):
            return self._with_constant(operator, column, right)
        return with_column(operator, column, self._value_column(right))

    def _with_constant(self, operator: str, column: FoundColumn, term: Term) -> FilterCondition:
        base = "=" if operator == "<=>" else operator
        value = value_for(base, term, column.name, column.data_type, self._zone)
        if operator == "<=>":
            if value is None:
                return FilterCondition(column.rows.is_null(), IsNull(column.column))
            return truth(with_value(column, value), value=True)
        return FilterCondition(NULL, Constant(None)) if value is None else with_value(column, value)

    def _listed(self, term: Term, values: Sequence[Term]) -> FilterCondition:
        column = self._column(term)
        if not all(map(is_constant, values)):
            tests = [self._compared("=", term, value) for value in values]
            return joined(tests, are_all=False)
        found = [
            value_for("=", value, column.name, column.data_type, self._zone) for value in values
        ]
        return in_list(
            column, [value for value in found if value is not None], has_null=None in found
        )


_TRUTHS = {"TRUE": True, "FALSE": False, "NULL": None}
