"""Conditions from the JSON of Spark's expressions, without a JVM.

The JSON lists the nodes of a tree in pre-order, each with its class, how many children it has, and
its fields. Some constants are not in it; the caller supplies them by an `Exact`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NoReturn, Protocol, TypeAlias

import msgspec

from puredelta.schema.codec import type_from_json
from puredelta.schema.datatypes import (
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    PrimitiveType,
    StructType,
)
from puredelta.table.java_floats import float_from_text, number_from_text
from puredelta.table.statistics.arrow_bounds import unscaled
from puredelta.table.statistics.datetime_text import days_from_text

Place: TypeAlias = tuple[int, ...]
"""The way from the root to a node: which child, at each level."""

_PACKAGE = "org.apache.spark.sql.catalyst.expressions."


class Exact(Protocol):
    """The values of a tree that its JSON leaves out."""

    def constant(self, place: Place) -> tuple[Any, DataType]:
        """Return the plain value, and the type, of a subtree without columns.

        Raises:
            NotExactError: It is no constant, or of a type that is not compared.
        """
        ...

    def members(self, place: Place, data_type: DataType) -> tuple[tuple[Any, ...], bool]:
        """Return the plain values of an `InSet`, and whether a null is among them.

        Raises:
            NotExactError: They are of a type that is not compared.
        """
        ...

    def escape(self, place: Place) -> str:
        """Return the character that a `Like` takes for the escape."""
        ...


class NotExactError(Exception):
    """A value that is not known exactly."""


@dataclass(frozen=True, slots=True)
class ExpressionNode:
    """An expression.

    Attributes:
        name: Its class, without the package where that is Spark's.
        fields: What the JSON says of it.
        children: The expressions below it.
        place: Where it is in the tree.
    """

    name: str
    fields: Mapping[str, Any]
    children: tuple[ExpressionNode, ...]
    place: Place = field(default=())

    @property
    def data_type(self) -> DataType:
        """The type that it names: that of attributes, literals and casts."""
        return type_from_json(msgspec.json.encode(self.fields["dataType"]).decode())


def tree_of(text: str) -> ExpressionNode:
    """Read the JSON of an expression."""
    return _node(iter(msgspec.json.decode(text)), ())


def plain_value(text: str | None, data_type: DataType) -> Any:
    """Read a constant as Java writes it.

    Returns:
        A value as `table.partition_values.plain_from_text` has it.

    Raises:
        NotExactError: The text is not exact.
    """
    if text is None:
        return None
    read = _READERS.get(data_type)
    try:
        if isinstance(data_type, DecimalType):
            return unscaled(Decimal(text), data_type.scale)
        found = None if read is None else read(text)
    except (ValueError, ArithmeticError) as error:
        raise NotExactError(text) from error
    return _refuse(text) if found is None else found


def type_below(data_type: DataType, ordinal: int) -> tuple[str, DataType]:
    """Return the name and the type of a field of a struct.

    Raises:
        NotExactError: The type is no struct with so many fields.
    """
    if not isinstance(data_type, StructType) or ordinal >= len(data_type.fields):
        raise NotExactError(data_type)
    found = data_type.fields[ordinal]
    return found.name, found.data_type


def is_plain(data_type: DataType) -> bool:
    """Return whether values of a type compare in the usual way: collated texts do not."""
    return isinstance(data_type, (PrimitiveType, DecimalType))


def is_without_columns(node: ExpressionNode) -> bool:
    """Return whether a subtree has only literals for its leaves."""
    if not node.children:
        return node.name == "Literal"
    return all(is_without_columns(child) for child in node.children)


def node_text(node: ExpressionNode) -> str:
    """Write an expression so that a person recognises it."""
    if node.name == "AttributeReference":
        return str(node.fields.get("name"))
    if node.name == "Literal":
        return str(node.fields.get("value"))
    if node.name == "GetStructField" and node.fields.get("name"):
        return f"{node_text(node.children[0])}.{node.fields['name']}"
    inside = ", ".join(node_text(child) for child in node.children)
    return f"{node.name.rpartition('.')[2].lower()}({inside})"


def _node(nodes: Iterator[dict[str, Any]], place: Place) -> ExpressionNode:
    fields = next(nodes)
    count = fields["num-children"]
    children = tuple(_node(nodes, (*place, number)) for number in range(count))
    return ExpressionNode(fields["class"].removeprefix(_PACKAGE), fields, children, place)


def _refuse(text: object) -> NoReturn:
    raise NotExactError(text)


_READERS: Mapping[DataType, Callable[[str], Any]] = {
    **dict.fromkeys((BYTE, SHORT, INTEGER, LONG), int),
    BOOLEAN: {"true": True, "false": False}.get,
    DATE: days_from_text,
    DOUBLE: number_from_text,
    FLOAT: float_from_text,
    STRING: str,
    # A count of microseconds; points in time with a zone are written as text in the session's.
    TIMESTAMP_NTZ: int,
}
