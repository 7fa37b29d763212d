"""Values in Spark's expressions, as far as the log knows them: columns, casts and constants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from puredelta.engine.catalyst.expression_json import (
    Exact,
    ExpressionNode,
    NotExactError,
    is_plain,
    is_without_columns,
    plain_value,
    type_below,
)
from puredelta.schema.datatypes import DATE, INTEGER, DataType
from puredelta.table.skipping.bound_casts import keeps_order
from puredelta.table.skipping.predicate import (
    CastValue,
    Column,
    Literal,
    Operand,
    YearValue,
)

Typed: TypeAlias = tuple[Operand, DataType]
"""A value and its type."""

# Around a value that they do not change, or not so that a comparison would notice.
WRAPPERS = frozenset(
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
CASTS = frozenset({"Cast", "AnsiCast", "UpCast"})
_HIDDEN = "metadata_col"
_OF_FILES = frozenset(
    {
        "file_block_length",
        "file_block_start",
        "file_modification_time",
        "file_name",
        "file_path",
        "file_size",
    }
)
_OF_ROWS = frozenset(
    {
        "base_row_id",
        "default_row_commit_version",
        "row_commit_version",
        "row_id",
        "row_index",
    }
)
_PADDING = "readSidePadding"
_UTC = frozenset({"UTC", "Etc/UTC", "GMT", "Z", "+00:00", "UTC+00:00"})


@dataclass(frozen=True, slots=True)
class Values:
    """Reads the values in an expression.

    Attributes:
        exact: What the JSON leaves out.
        common: What a reference to the common expression of a `With` stands for.
    """

    exact: Exact
    common: ExpressionNode | None = None

    def operand(self, node: ExpressionNode) -> Typed | None:
        """Read a value: a column, perhaps cast, or a constant; None for all others."""
        if node.name in WRAPPERS:
            return self.operand(node.children[0])
        read = _OPERANDS.get(node.name)
        if read is not None:
            return read(self, node)
        if is_without_columns(node):
            value, data_type = self.exact.constant(node.place)
            return Literal(value, data_type), data_type
        return None

    def plain_operand(self, node: ExpressionNode) -> Typed | None:
        """Read a value that compares in the usual way."""
        found = self.operand(node)
        return found if found is not None and is_plain(found[1]) else None


def _attribute(_: Values, node: ExpressionNode) -> Typed | None:
    if _may_be_of_the_file(node):
        return None
    return Column((node.fields["name"],)), node.data_type


def _may_be_of_the_file(node: ExpressionNode) -> bool:
    """Return whether an attribute may be a field of `_metadata`: columns may have the same names.

    In the filters of a scan `_metadata.file_size` is an attribute `file_size`, which differs from a
    column only in that it is never null.
    """
    fields = node.fields
    name = fields["name"].lower()
    marked = any(key.endswith(_HIDDEN) for key in fields.get("metadata") or ())
    return marked or name in _OF_ROWS or (name in _OF_FILES and not fields.get("nullable"))


def _struct_field(values: Values, node: ExpressionNode) -> Typed | None:
    found = values.operand(node.children[0])
    if found is None or not isinstance(found[0], Column):
        return None
    # A name of its own, which the node may have, is not that of the column.
    name, data_type = type_below(found[1], node.fields["ordinal"])
    return Column((*found[0].path, name)), data_type


def _literal(values: Values, node: ExpressionNode) -> Typed:
    data_type = node.data_type
    text = node.fields.get("value")
    try:
        return Literal(plain_value(text, data_type), data_type), data_type
    except NotExactError:
        value, data_type = values.exact.constant(node.place)
        return Literal(value, data_type), data_type


def _cast(values: Values, node: ExpressionNode) -> Typed | None:
    target = node.data_type
    if is_without_columns(node):
        # A null of any type is known without a round trip to the JVM.
        if _is_null(node):
            return Literal(None, target), target
        value, data_type = values.exact.constant(node.place)
        return Literal(value, data_type), data_type
    found = values.operand(node.children[0])
    # The minimum and the maximum of a file stay bounds only under a cast that keeps the order of
    # values.
    if found is None or not keeps_order(found[1], target):
        return None
    if found[1] == target:
        return found
    in_utc = node.fields.get("timeZoneId") in _UTC
    return CastValue(found[0], target, in_utc), target


def _is_null(node: ExpressionNode) -> bool:
    """Return a null literal, through casts."""
    while node.name in CASTS:
        node = node.children[0]
    return node.name == "Literal" and node.fields.get("value") is None


def _padded(values: Values, node: ExpressionNode) -> Typed | None:
    if node.fields.get("functionName") != _PADDING:
        return None
    found = values.operand(node.children[0])
    # The table knows which of its columns are char(n), but not which fields in them. Data
    # skipping compares values of those columns with and without blanks.
    is_column = found is not None and isinstance(found[0], Column) and len(found[0].path) == 1
    return found if is_column else None


def _year(values: Values, node: ExpressionNode) -> Typed | None:
    found = values.operand(node.children[0])
    is_date = found is not None and found[1] == DATE
    return (YearValue(found[0]), INTEGER) if found is not None and is_date else None


def _common(values: Values, _: ExpressionNode) -> Typed | None:
    return None if values.common is None else values.operand(values.common)


_OPERANDS: dict[str, Callable[[Values, ExpressionNode], Typed | None]] = {
    "AttributeReference": _attribute,
    "GetStructField": _struct_field,
    "Year": _year,
    "Literal": _literal,
    "objects.StaticInvoke": _padded,
    "CommonExpressionRef": _common,
    **dict.fromkeys(CASTS, _cast),
}
