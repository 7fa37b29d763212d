"""Evaluates conditions for files: can they be true, false or null for some row, by the log alone?

An evaluation errs towards "may be": a file without a row for which the condition is true may count
as one that has such a row, never the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.schema.datatypes import STRING
from puredelta.table.skipping.column_bounds import Interval, StatsView, required_stats
from puredelta.table.skipping.columns import StatsColumns
from puredelta.table.skipping.in_list import members
from puredelta.table.skipping.ordering import are_comparable, at_most, below
from puredelta.table.skipping.predicate import (
    MIRRORED,
    NEGATED,
    OPERANDS,
    And,
    Comparison,
    Condition,
    Constant,
    In,
    IsNull,
    IsTrue,
    Not,
    Or,
    Path,
    StartsWith,
    Unknown,
    columns_of,
)
from puredelta.table.skipping.stats_cache import ColumnStats, Mask, column_stats


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The values that a condition can have for some row of a file, a row a file.

    Attributes:
        may_be_true: A query with the condition must read the file.
        may_be_false: Some row may fail the condition.
        may_be_null: For some row the condition may be null.
    """

    may_be_true: Mask
    may_be_false: Mask
    may_be_null: Mask


def evaluate(
    condition: Condition, files: pa.Table, columns: StatsColumns, *, for_sure: bool = False
) -> Evaluation:
    """Evaluate a condition for some files.

    Args:
        condition: On the columns of a table, by their logical names.
        files: Rows of `log.files.FILES`. Parsed statistics are cached for the next condition.
        columns: The columns of the table.
        for_sure: Whether the result has to prove something of all rows: bounds that a NaN can be
            above are not used.

    Raises:
        DeltaRuntimeError: A partition value is none of the column's type.
    """
    stats = _parse([condition], files, columns)
    return _evaluate(condition, StatsView(files, columns, stats, for_sure))


def parse_for(conditions: Sequence[Condition], files: pa.Table, columns: StatsColumns) -> None:
    """Parse the statistics that some conditions need in one pass, and cache them.

    The JSON of each file is then read once, not once for each condition.

    Args:
        conditions: On the columns of a table.
        files: Rows of `log.files.FILES`.
        columns: The columns of the table.
    """
    _parse(conditions, files, columns)


def _parse(
    conditions: Sequence[Condition], files: pa.Table, columns: StatsColumns
) -> dict[Path, ColumnStats]:
    named = [column for condition in conditions for column in columns_of(condition)]
    return column_stats(files, required_stats(columns, named))


def _evaluate(condition: Condition, known: StatsView) -> Evaluation:
    return _EVALUATORS[type(condition)](condition, known)


def _constant(condition: Constant, known: StatsView) -> Evaluation:
    masks = [known.mask(value=condition.value is outcome) for outcome in (True, False, None)]
    return Evaluation(*masks)


def _unknown(_: Condition, known: StatsView) -> Evaluation:
    some = known.mask(value=True)
    return Evaluation(some, some, some)


def _truth(condition: IsTrue, known: StatsView) -> Evaluation:
    found = _evaluate(condition.of, known)
    others = found.may_be_false | found.may_be_null
    return Evaluation(found.may_be_true, others, known.mask(value=False))


def _opposite(condition: Not, known: StatsView) -> Evaluation:
    found = _evaluate(condition.of, known)
    return Evaluation(found.may_be_false, found.may_be_true, found.may_be_null)


def _any(condition: Or, known: StatsView) -> Evaluation:
    # De Morgan holds in the logic of three values, so one table of truth for AND is enough.
    return _opposite(Not(And(tuple(Not(part) for part in condition.parts))), known)


def _all(condition: And, known: StatsView) -> Evaluation:
    parts = (_evaluate(part, known) for part in condition.parts)
    return reduce(_both, parts, _constant(Constant(value=True), known))


def _both(left: Evaluation, right: Evaluation) -> Evaluation:
    # The sides count as independent although they see the same rows. Combinations that no row has
    # cost a file that is read. AND is null where one side is null and the other is not false.
    return Evaluation(
        left.may_be_true & right.may_be_true,
        left.may_be_false | right.may_be_false,
        (left.may_be_null & (right.may_be_null | right.may_be_true))
        | (right.may_be_null & left.may_be_true),
    )


def _nullness(condition: IsNull, known: StatsView) -> Evaluation:
    of, never = condition.of, known.mask(value=False)
    if not isinstance(of, OPERANDS):
        inner = _evaluate(of, known)
        return Evaluation(inner.may_be_null, inner.may_be_true | inner.may_be_false, never)
    found = known.interval(of)
    if found is None:
        return Evaluation(known.mask(value=True), known.mask(value=True), never)
    return Evaluation(found.may_be_null, found.may_be_value, never)


def _comparison(condition: Comparison, known: StatsView) -> Evaluation:
    left, right = known.interval(condition.left), known.interval(condition.right)
    if left is None or right is None:
        return _unknown(condition, known)
    operator = condition.operator
    if operator == "<=>":
        return _null_safe(left, right, known)
    # A file without rows, or with nulls alone, has no values to compare, whatever its bounds.
    values = left.may_be_value & right.may_be_value
    return Evaluation(
        values & _may_hold(operator, left, right),
        values & _may_hold(NEGATED[operator], left, right),
        left.may_be_null | right.may_be_null,
    )


def _null_safe(left: Interval, right: Interval, known: StatsView) -> Evaluation:
    values = left.may_be_value & right.may_be_value
    one_is_null = (left.may_be_null & right.may_be_value) | (right.may_be_null & left.may_be_value)
    return Evaluation(
        (values & _may_hold("=", left, right)) | (left.may_be_null & right.may_be_null),
        (values & _may_hold("!=", left, right)) | one_is_null,
        known.mask(value=False),
    )


def _may_hold(operator: str, left: Interval, right: Interval) -> Mask | bool:
    """Return where two values can compare this way, provided that neither is null."""
    if not are_comparable(left.data_type, right.data_type):
        return True
    if operator in (">", ">="):
        return _may_hold(MIRRORED[operator], right, left)
    if operator == "<":
        return _mask(below, left.minimum, right.maximum)
    if operator == "<=":
        return _mask(at_most, left.minimum, right.maximum)
    # Equal needs both minima at most the other's maximum; unequal fails only if both intervals are
    # the same single value.
    one_way, other_way = (
        _may_hold("<" if operator == "!=" else "<=", *sides)
        for sides in ((left, right), (right, left))
    )
    return one_way | other_way if operator == "!=" else one_way & other_way


def _mask(compare: Callable[[Any, Any], Any], left: Any, right: Any) -> Mask | bool:
    """Compare bounds; a missing bound excludes nothing."""
    if left is None or right is None:
        return True
    found = compare(left, right)
    if isinstance(found, pa.Scalar):
        return bool(found.as_py())
    return np.asarray(pc.fill_null(found, fill_value=True))


def _membership(condition: In, known: StatsView) -> Evaluation:
    found = known.interval(condition.operand)
    if found is None:
        return _unknown(condition, known)
    no_answer = known.mask(value=False)
    some, others = members(found, condition)
    # SQL: a value that is not in a list with a null gives null, not false.
    misses = found.may_be_value & others
    return Evaluation(
        found.may_be_value & some,
        no_answer if condition.has_null else misses,
        found.may_be_null | misses if condition.has_null else found.may_be_null,
    )


def _prefix(condition: StartsWith, known: StatsView) -> Evaluation:
    found = known.interval(condition.operand)
    if found is None or found.data_type != STRING:
        return _unknown(condition, known)
    prefix = condition.prefix
    minimum, maximum = found.minimum, found.maximum
    if minimum is None or maximum is None:
        return Evaluation(found.may_be_value, found.may_be_value, found.may_be_null)
    begins, ends = (pc.starts_with(bound, prefix) for bound in (minimum, maximum))
    # A minimum is cut and may be a part of the prefix, or continue it: both allow the prefix.
    reaches = pc.greater_equal(maximum, prefix)
    starts = pc.or_kleene(pc.less_equal(minimum, prefix), begins)
    inside = _filled(starts, missing=True) & _filled(reaches, missing=True)
    # All strings between two that begin with the prefix begin with it, too.
    all_inside = _filled(begins, missing=False) & _filled(ends, missing=False)
    return Evaluation(
        found.may_be_value & inside, found.may_be_value & ~all_inside, found.may_be_null
    )


def _filled(answers: Any, *, missing: bool) -> Mask:
    return np.asarray(pc.fill_null(answers, fill_value=missing))


_EVALUATORS: dict[type, Callable[[Any, StatsView], Evaluation]] = {
    And: _all,
    Comparison: _comparison,
    Constant: _constant,
    In: _membership,
    IsNull: _nullness,
    IsTrue: _truth,
    Not: _opposite,
    Or: _any,
    StartsWith: _prefix,
    Unknown: _unknown,
}
