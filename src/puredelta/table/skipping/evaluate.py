"""What a condition may be for the rows of each file: true, false or null, judged by the log alone.

A verdict errs on the side of "may be": a file without a row for which the condition is true may
still be said to have one, never the other way round.
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
from puredelta.table.skipping.column_bounds import Interval, StatsView, wanted_places
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
    """What a condition may be for some row of a file, a row a file.

    Attributes:
        may_be_true: The file is to be read when it is wanted that the condition holds.
        may_be_false: Some row may fail the condition.
        may_be_null: For some row the condition may be null.
    """

    may_be_true: Mask
    may_be_false: Mask
    may_be_null: Mask


def evaluate(
    condition: Condition, files: pa.Table, columns: StatsColumns, *, for_sure: bool = False
) -> Evaluation:
    """Judge a condition for some files.

    Args:
        condition: On the columns of a table, by the names that users have for them.
        files: Rows of `log.files.FILES`. What is parsed of them is kept for the next condition.
        columns: The columns of the table.
        for_sure: Judge to prove something of the rows: with no bound that a NaN may be above.

    Raises:
        DeltaRuntimeError: A partition value is none of the column's type.
    """
    known = StatsView(files, columns, _told([condition], files, columns), for_sure)
    return _judged(condition, known)


def parse_for(conditions: Sequence[Condition], files: pa.Table, columns: StatsColumns) -> None:
    """Parse all that some conditions need in one go, which is kept for when they are judged.

    Args:
        conditions: On the columns of a table.
        files: Rows of `log.files.FILES`.
        columns: The columns of the table.
    """
    _told(conditions, files, columns)


def _told(
    conditions: Sequence[Condition], files: pa.Table, columns: StatsColumns
) -> dict[Path, ColumnStats]:
    named = [column for condition in conditions for column in columns_of(condition)]
    return column_stats(files, wanted_places(columns, named))


def _judged(condition: Condition, known: StatsView) -> Evaluation:
    return _JUDGES[type(condition)](condition, known)


def _constant(condition: Constant, known: StatsView) -> Evaluation:
    masks = [known.mask(value=condition.value is outcome) for outcome in (True, False, None)]
    return Evaluation(*masks)


def _unknown(_: Condition, known: StatsView) -> Evaluation:
    some = known.mask(value=True)
    return Evaluation(some, some, some)


def _truth(condition: IsTrue, known: StatsView) -> Evaluation:
    found = _judged(condition.of, known)
    others = found.may_be_false | found.may_be_null
    return Evaluation(found.may_be_true, others, known.mask(value=False))


def _opposite(condition: Not, known: StatsView) -> Evaluation:
    found = _judged(condition.of, known)
    return Evaluation(found.may_be_false, found.may_be_true, found.may_be_null)


def _any(condition: Or, known: StatsView) -> Evaluation:
    return _opposite(Not(And(tuple(Not(part) for part in condition.parts))), known)


def _all(condition: And, known: StatsView) -> Evaluation:
    judged = (_judged(part, known) for part in condition.parts)
    return reduce(_both, judged, _constant(Constant(value=True), known))


def _both(left: Evaluation, right: Evaluation) -> Evaluation:
    return Evaluation(
        left.may_be_true & right.may_be_true,
        left.may_be_false | right.may_be_false,
        (left.may_be_null & (right.may_be_null | right.may_be_true))
        | (right.may_be_null & left.may_be_true),
    )


def _nullness(condition: IsNull, known: StatsView) -> Evaluation:
    of, never = condition.of, known.mask(value=False)
    if not isinstance(of, OPERANDS):
        judged = _judged(of, known)
        return Evaluation(judged.may_be_null, judged.may_be_true | judged.may_be_false, never)
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
    """Return where two values may compare so, given that neither is null."""
    if not are_comparable(left.data_type, right.data_type):
        return True
    if operator in (">", ">="):
        return _may_hold(MIRRORED[operator], right, left)
    if operator == "<":
        return _mask(below, left.least, right.greatest)
    if operator == "<=":
        return _mask(at_most, left.least, right.greatest)
    one_way, other_way = (
        _may_hold("<" if operator == "!=" else "<=", *sides)
        for sides in ((left, right), (right, left))
    )
    return one_way | other_way if operator == "!=" else one_way & other_way


def _mask(compare: Callable[[Any, Any], Any], left: Any, right: Any) -> Mask | bool:
    """Compare bounds; where one is missing the answer is yes."""
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
    least, greatest = found.least, found.greatest
    if least is None or greatest is None:
        return Evaluation(found.may_be_value, found.may_be_value, found.may_be_null)
    begins, ends = (pc.starts_with(bound, prefix) for bound in (least, greatest))
    # A bound that begins with the prefix is in the range of texts that do.
    reaches = pc.greater_equal(greatest, prefix)
    starts = pc.or_kleene(pc.less_equal(least, prefix), begins)
    inside = _filled(starts, missing=True) & _filled(reaches, missing=True)
    all_inside = _filled(begins, missing=False) & _filled(ends, missing=False)
    return Evaluation(
        found.may_be_value & inside, found.may_be_value & ~all_inside, found.may_be_null
    )


def _filled(answers: Any, *, missing: bool) -> Mask:
    return np.asarray(pc.fill_null(answers, fill_value=missing))


_JUDGES: dict[type, Callable[[Any, StatsView], Evaluation]] = {
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
