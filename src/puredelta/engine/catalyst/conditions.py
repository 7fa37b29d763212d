"""What Spark's expressions mean as conditions on the columns of a table.

Parts that statistics cannot decide become unknown; so do subqueries and functions that are not
deterministic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from puredelta.engine.catalyst.expression_json import (
    Exact,
    ExpressionNode,
    NotExactError,
    is_plain,
    node_text,
)
from puredelta.engine.catalyst.operands import (
    CASTS,
    WRAPPERS,
    Typed,
    Values,
)
from puredelta.schema.datatypes import BOOLEAN, STRING, VOID
from puredelta.table.skipping.predicate import (
    And,
    Comparison,
    Condition,
    Constant,
    In,
    IsNull,
    IsTrue,
    Literal,
    Not,
    Operand,
    Or,
    StartsWith,
    Unknown,
)

_OPERATORS = {
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
}


def condition_from(node: ExpressionNode, exact: Exact) -> Condition:
    """Say what an expression means.

    Args:
        node: A boolean expression over the columns of one table.
        exact: What the JSON leaves out.
    """
    return _Reading(Values(exact)).condition(node)


@dataclass(frozen=True, slots=True)
class _Reading:
    values: Values

    def condition(self, node: ExpressionNode) -> Condition:
        read = _READERS.get(node.name)
        try:
            found = None if read is None else read(self, node)
        except NotExactError:
            found = None
        return Unknown(node_text(node)) if found is None else found


def _comparison(reading: _Reading, node: ExpressionNode) -> Condition | None:
    operator = _OPERATORS[node.name]
    left, right = (reading.values.operand(child) for child in node.children)
    if left is None or right is None:
        return _of_conditions(reading, operator, node.children, (left, right))
    # A comparison with null is null for each row; `<=>` asks whether the other side is null.
    null = next((side for side in (left, right) if _is_null_literal(side)), None)
    if null is not None:
        other = right if null is left else left
        return IsNull(other[0]) if operator == "<=>" else Constant(None)
    if not (is_plain(left[1]) and is_plain(right[1])) or _has_nan((left[0], right[0])):
        return None
    return Comparison(operator, left[0], right[0])


def _of_conditions(
    reading: _Reading, operator: str, nodes: Sequence[ExpressionNode], sides: Sequence[Typed | None]
) -> Condition | None:
    """Compare a condition with true, false or null."""
    known = next((side for side in sides if side is not None), None)
    if known is None or not isinstance(known[0], Literal) or operator not in ("=", "<=>"):
        return None
    if known[1] not in (BOOLEAN, VOID):
        return None
    condition = reading.condition(nodes[0 if sides[0] is None else 1])
    value = known[0].value
    if value is None:
        return IsNull(condition) if operator == "<=>" else Constant(None)
    wanted = condition if value else Not(condition)
    return wanted if operator == "=" else IsTrue(wanted)


def _has_nan(operands: Iterable[Operand]) -> bool:
    """Return whether NaN is compared: deltalake leaves it out of the bounds of a file."""
    found = (operand.value for operand in operands if isinstance(operand, Literal))
    return any(isinstance(value, float) and math.isnan(value) for value in found)


def _is_null_literal(side: Typed) -> bool:
    return isinstance(side[0], Literal) and side[0].value is None


def _in(reading: _Reading, node: ExpressionNode) -> Condition | None:
    found = reading.values.plain_operand(node.children[0])
    listed = [reading.values.operand(child) for child in node.children[1:]]
    constants = [info[0] for info in listed if info and isinstance(info[0], Literal)]
    if found is None or len(constants) < len(listed) or not listed or _has_nan(constants):
        return None
    # A null in a list makes no row true, but turns false into null, which matters below a NOT.
    present = [constant for constant in constants if constant.value is not None]
    if not present:
        return Constant(None)
    types = {literal.data_type for literal in present}
    if len(types) > 1 or not is_plain(present[0].data_type):
        return None
    values = tuple(literal.value for literal in present)
    return In(found[0], values, present[0].data_type, len(present) < len(constants))


def _in_set(reading: _Reading, node: ExpressionNode) -> Condition | None:
    found = reading.values.plain_operand(node.children[0])
    if found is None:
        return None
    values, has_null = reading.values.exact.members(node.place, found[1])
    if _has_nan(Literal(value, found[1]) for value in values):
        return None
    if not values:
        return Constant(None) if has_null else None
    return In(found[0], values, found[1], has_null)


def _starts_with(reading: _Reading, node: ExpressionNode) -> Condition | None:
    column, prefix = (reading.values.plain_operand(child) for child in node.children)
    if column is None or prefix is None or not isinstance(prefix[0], Literal):
        return None
    if prefix[0].value is None:
        return Constant(None)
    return StartsWith(column[0], prefix[0].value) if prefix[1] == STRING else None


def _like(reading: _Reading, node: ExpressionNode) -> Condition | None:
    column, pattern = (reading.values.plain_operand(child) for child in node.children[:2])
    if column is None or pattern is None or not isinstance(pattern[0], Literal):
        return None
    if pattern[1] != STRING or pattern[0].value is None:
        return None
    prefix, rest = _plain_start(pattern[0].value, reading.values.exact.escape(node.place))
    if not rest:
        return Comparison("=", column[0], Literal(prefix, STRING))
    # The prefix alone proves that no row of a file matches, never that all do: what follows it is
    # unknown.
    starts = StartsWith(column[0], prefix)
    return starts if rest == "%" else And((starts, Unknown(node_text(node))))


def _plain_start(pattern: str, escape: str) -> tuple[str, str]:
    """Take the text before the first wildcard of a pattern, and what follows."""
    prefix = ""
    at = 0
    while at < len(pattern) and pattern[at] not in "%_":
        if pattern[at] == escape:
            at += 1
        prefix += pattern[at : at + 1]
        at += 1
    return prefix, pattern[at:]


def _null_check(reading: _Reading, node: ExpressionNode) -> Condition | None:
    found = reading.values.operand(node.children[0])
    if found is not None:
        return IsNull(found[0])
    inner = reading.condition(node.children[0])
    return None if isinstance(inner, Unknown) else IsNull(inner)


def _not_null_check(reading: _Reading, node: ExpressionNode) -> Condition | None:
    found = _null_check(reading, node)
    return None if found is None else Not(found)


def _truth(reading: _Reading, node: ExpressionNode) -> Condition | None:
    """Read a boolean column or constant that stands for a condition."""
    found = reading.values.operand(node)
    if found is None or found[1] not in (BOOLEAN, VOID):
        return None
    if isinstance(found[0], Literal):
        return Constant(found[0].value)
    return Comparison("=", found[0], Literal(value=True, data_type=BOOLEAN))


def _is_nan(reading: _Reading, node: ExpressionNode) -> Condition | None:
    found = reading.values.operand(node.children[0])
    # A null is not NaN: false, where a comparison would be null.
    return None if found is None else And((Not(IsNull(found[0])), Unknown(node_text(node))))


def _coalesce(reading: _Reading, node: ExpressionNode) -> Condition | None:
    """Read a condition that counts as false, or as true, where it is null."""
    if len(node.children) != 2 or node.children[1].name != "Literal":
        return None
    default = reading.values.operand(node.children[1])
    if default is None or default[1] != BOOLEAN or not isinstance(default[0], Literal):
        return None
    condition = reading.condition(node.children[0])
    return Not(IsTrue(Not(condition))) if default[0].value else IsTrue(condition)


def _with(reading: _Reading, node: ExpressionNode) -> Condition | None:
    # A reference stands for the one common expression that `Values` knows.
    if len(node.children) != 2 or reading.values.common is not None:
        return None
    values = Values(reading.values.exact, node.children[1].children[0])
    return _Reading(values).condition(node.children[0])


def _same(reading: _Reading, node: ExpressionNode) -> Condition:
    return reading.condition(node.children[0])


def _parts(reading: _Reading, node: ExpressionNode) -> tuple[Condition, ...]:
    return tuple(reading.condition(child) for child in node.children)


_READERS: dict[str, Callable[[_Reading, ExpressionNode], Any]] = {
    **dict.fromkeys(_OPERATORS, _comparison),
    **dict.fromkeys(WRAPPERS, _same),
    **dict.fromkeys(("AttributeReference", "GetStructField", "Literal", *CASTS), _truth),
    "And": lambda reading, node: And(_parts(reading, node)),
    "Or": lambda reading, node: Or(_parts(reading, node)),
    "Not": lambda reading, node: Not(reading.condition(node.children[0])),
    "In": _in,
    "InSet": _in_set,
    "StartsWith": _starts_with,
    "Like": _like,
    "IsNull": _null_check,
    "IsNotNull": _not_null_check,
    "IsNaN": _is_nan,
    "Coalesce": _coalesce,
    "With": _with,
}
