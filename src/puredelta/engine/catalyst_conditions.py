"""What Spark's expressions mean as conditions on the columns of a table.

What statistics say nothing about becomes unknown; so does what is not the same for each row:
subqueries, and functions that are not deterministic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from puredelta.engine.catalyst_json import (
    Exact,
    Node,
    NotExactError,
    is_plain,
    is_without_columns,
    node_text,
    plain_value,
    type_below,
)
from puredelta.schema.datatypes import BOOLEAN, DOUBLE, FLOAT, STRING, VOID, DataType
from puredelta.table.skipping.condition import (
    And,
    Column,
    Comparison,
    Condition,
    Constant,
    Converted,
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
from puredelta.table.skipping.conversions import keeps_order

Typed: TypeAlias = tuple[Operand, DataType]

_OPERATORS = {
    "EqualTo": "=",
    "EqualNullSafe": "<=>",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
}
# Around a value that they do not change, or not so that a comparison would notice.
_WRAPPERS = frozenset(
    {
        "Alias",
        "Between",
        "CommonExpressionDef",
        "KnownFloatingPointNormalized",
        "KnownNotNull",
        "KnownNullable",
        "PromotePrecision",
    }
)
_CASTS = frozenset({"Cast", "AnsiCast", "UpCast"})
_PADDING = "readSidePadding"
_UTC = frozenset({"UTC", "Etc/UTC", "GMT", "Z", "+00:00", "UTC+00:00"})


def condition_from(node: Node, exact: Exact) -> Condition:
    """Say what an expression means.

    Args:
        node: A boolean expression over the columns of one table.
        exact: Tells what the JSON does not.
    """
    return _Reading(exact).condition(node)


@dataclass(frozen=True, slots=True)
class _Reading:
    exact: Exact
    # What a reference to the common expression of a `With` stands for.
    common: Node | None = None

    def condition(self, node: Node) -> Condition:
        read = _READERS.get(node.name)
        try:
            found = None if read is None else read(self, node)
        except NotExactError:
            found = None
        return Unknown(node_text(node)) if found is None else found

    def operand(self, node: Node) -> Typed | None:
        """Read a value: a column, perhaps cast, or a constant; None for all others."""
        if node.name in _WRAPPERS:
            return self.operand(node.children[0])
        read = _OPERANDS.get(node.name)
        if read is not None:
            return read(self, node)
        if is_without_columns(node):
            value, data_type = self.exact.constant(node.place)
            return Literal(value, data_type), data_type
        return None

    def plain_operand(self, node: Node) -> Typed | None:
        """Read a value that compares in the usual way."""
        found = self.operand(node)
        return found if found is not None and (is_plain(found[1])) else None


def _attribute(_: _Reading, node: Node) -> Typed:
    return Column((node.fields["name"],)), node.data_type


def _struct_field(reading: _Reading, node: Node) -> Typed | None:
    found = reading.operand(node.children[0])
    if found is None or not isinstance(found[0], Column):
        return None
    # A name of its own, which the node may have, is not that of the column.
    name, data_type = type_below(found[1], node.fields["ordinal"])
    return Column((*found[0].path, name)), data_type


def _literal(reading: _Reading, node: Node) -> Typed:
    data_type = node.data_type
    text = node.fields.get("value")
    try:
        return Literal(plain_value(text, data_type), data_type), data_type
    except NotExactError:
        value, data_type = reading.exact.constant(node.place)
        return Literal(value, data_type), data_type


def _cast(reading: _Reading, node: Node) -> Typed | None:
    target = node.data_type
    if is_without_columns(node):
        if _is_null(node):
            return Literal(None, target), target
        value, data_type = reading.exact.constant(node.place)
        return Literal(value, data_type), data_type
    found = reading.operand(node.children[0])
    if found is None or not keeps_order(found[1], target):
        return None
    if found[1] == target:
        return found
    in_utc = node.fields.get("timeZoneId") in _UTC
    return Converted(found[0], target, in_utc), target


def _is_null(node: Node) -> bool:
    """Tell a null literal, through casts."""
    while node.name in _CASTS:
        node = node.children[0]
    return node.name == "Literal" and node.fields.get("value") is None


def _padded(reading: _Reading, node: Node) -> Typed | None:
    # The table knows its char(n) columns, and judges them with blanks and without.
    return (
        reading.operand(node.children[0]) if node.fields.get("functionName") == _PADDING else None
    )


def _common(reading: _Reading, _: Node) -> Typed | None:
    return None if reading.common is None else reading.operand(reading.common)


def _comparison(reading: _Reading, node: Node) -> Condition | None:
    operator = _OPERATORS[node.name]
    left, right = (reading.operand(child) for child in node.children)
    if left is None or right is None:
        return _of_conditions(reading, operator, node.children, (left, right))
    null = next((side for side in (left, right) if _is_null_literal(side)), None)
    if null is not None:
        other = right if null is left else left
        return IsNull(other[0]) if operator == "<=>" else Constant(None)
    if not (is_plain(left[1]) and is_plain(right[1])):
        return None
    return Comparison(operator, left[0], right[0])


def _of_conditions(
    reading: _Reading, operator: str, nodes: Sequence[Node], sides: Sequence[Typed | None]
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


def _is_null_literal(side: Typed) -> bool:
    return isinstance(side[0], Literal) and side[0].value is None


def _in(reading: _Reading, node: Node) -> Condition | None:
    found = reading.plain_operand(node.children[0])
    listed = [reading.operand(child) for child in node.children[1:]]
    values = [one[0].value for one in listed if one and isinstance(one[0], Literal)]
    if found is None or len(values) < len(listed) or not listed:
        return None
    types = {one[1] for one in listed if one and not _is_null_literal(one)}
    present = tuple(value for value in values if value is not None)
    if not types:
        return Constant(None)
    if len(types) > 1 or not is_plain(next(iter(types))):
        return None
    return In(found[0], present, next(iter(types)), len(present) < len(values))


def _in_set(reading: _Reading, node: Node) -> Condition | None:
    found = reading.plain_operand(node.children[0])
    if found is None:
        return None
    values, has_null = reading.exact.members(node.place, found[1])
    if not values:
        return Constant(None) if has_null else None
    return In(found[0], values, found[1], has_null)


def _starts_with(reading: _Reading, node: Node) -> Condition | None:
    column, prefix = (reading.plain_operand(child) for child in node.children)
    if column is None or prefix is None or not isinstance(prefix[0], Literal):
        return None
    if prefix[0].value is None:
        return Constant(None)
    return StartsWith(column[0], prefix[0].value) if prefix[1] == STRING else None


def _like(reading: _Reading, node: Node) -> Condition | None:
    column, pattern = (reading.plain_operand(child) for child in node.children[:2])
    if column is None or pattern is None or not isinstance(pattern[0], Literal):
        return None
    if pattern[1] != STRING or pattern[0].value is None:
        return None
    prefix, rest = _plain_start(pattern[0].value, reading.exact.escape(node.place))
    if not rest:
        return Comparison("=", column[0], Literal(prefix, STRING))
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


def _null_check(reading: _Reading, node: Node) -> Condition | None:
    found = reading.operand(node.children[0])
    if found is not None:
        return IsNull(found[0])
    inner = reading.condition(node.children[0])
    return None if isinstance(inner, Unknown) else IsNull(inner)


def _not_null_check(reading: _Reading, node: Node) -> Condition | None:
    found = _null_check(reading, node)
    return None if found is None else Not(found)


def _truth(reading: _Reading, node: Node) -> Condition | None:
    """Read a boolean column or constant that stands for a condition."""
    found = reading.operand(node)
    if found is None or found[1] not in (BOOLEAN, VOID):
        return None
    if isinstance(found[0], Literal):
        return Constant(found[0].value)
    return Comparison("=", found[0], Literal(value=True, data_type=BOOLEAN))


def _is_nan(reading: _Reading, node: Node) -> Condition | None:
    found = reading.operand(node.children[0])
    if found is None or found[1] not in (FLOAT, DOUBLE):
        return None
    # A null is not NaN: false, where a comparison would be null.
    is_number = Not(IsNull(found[0]))
    return And((is_number, Comparison("=", found[0], Literal(math.nan, found[1]))))


def _coalesce(reading: _Reading, node: Node) -> Condition | None:
    """Read a condition that counts as false, or as true, where it is null."""
    if len(node.children) != 2 or node.children[1].name != "Literal":
        return None
    default = reading.operand(node.children[1])
    if default is None or default[1] != BOOLEAN or not isinstance(default[0], Literal):
        return None
    condition = reading.condition(node.children[0])
    return Not(IsTrue(Not(condition))) if default[0].value else IsTrue(condition)


def _with(reading: _Reading, node: Node) -> Condition | None:
    if len(node.children) != 2 or reading.common is not None:
        return None
    return _Reading(reading.exact, node.children[1].children[0]).condition(node.children[0])


def _same(reading: _Reading, node: Node) -> Condition:
    return reading.condition(node.children[0])


def _parts(reading: _Reading, node: Node) -> tuple[Condition, ...]:
    return tuple(reading.condition(child) for child in node.children)


_OPERANDS: dict[str, Callable[[_Reading, Node], Typed | None]] = {
    "AttributeReference": _attribute,
    "GetStructField": _struct_field,
    "Literal": _literal,
    "objects.StaticInvoke": _padded,
    "CommonExpressionRef": _common,
    **dict.fromkeys(_CASTS, _cast),
}

_READERS: dict[str, Callable[[_Reading, Node], Any]] = {
    **dict.fromkeys(_OPERATORS, _comparison),
    **dict.fromkeys(_WRAPPERS, _same),
    **dict.fromkeys(("AttributeReference", "GetStructField", "Literal", *_CASTS), _truth),
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
