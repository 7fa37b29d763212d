"""Spark's expressions, in the JVM, as conditions that decide about files."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException

from puredelta.engine.bridge.jvm_parts import Py4JError
from puredelta.engine.catalyst.conditions import condition_from
from puredelta.engine.catalyst.expression_json import (
    NotExactError,
    Place,
    plain_value,
    tree_of,
)
from puredelta.schema.codec import type_from_json
from puredelta.schema.datatypes import (
    BINARY,
    BYTE,
    DATE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    PrimitiveType,
)
from puredelta.table.java_floats import float_from_text
from puredelta.table.skipping.predicate import Condition, Unknown

_logger = logging.getLogger(__name__)

# An exception of the JVM arrives as either of these.
_REFUSED = (Py4JError, PySparkException)

# Between the values of a set; the count reveals a value that contains it.
_SEPARATOR = "\x1f\x1e"

_NUMBERED = (BYTE, SHORT, INTEGER, LONG, DATE, TIMESTAMP, TIMESTAMP_NTZ)


def condition_of(expression: Any, text: str | None = None) -> Condition:
    """Say what a resolved expression means; unknown where statistics would not help.

    One call to the JVM brings the expression over. Others follow only for constants that its JSON
    does not say: points in time, binary, casts of constants, long lists.

    Args:
        expression: A boolean `Expression` of Catalyst, over the columns of one table.
        text: its JSON, where that is here already.
    """
    try:
        return condition_from(tree_of(text or expression.toJSON()), _Jvm(expression))
    except (*_REFUSED, KeyError, TypeError, ValueError, RecursionError) as error:
        # Expressions of other extensions need not have a JSON that can be made.
        _logger.debug("an expression is not used to skip files: %s", error)
        return Unknown()


@dataclass(frozen=True, slots=True)
class _Jvm:
    """Asks the expression itself."""

    root: Any

    def constant(self, place: Place) -> tuple[Any, DataType]:
        """Return the value and the type of a subtree without columns; see `Exact`."""
        node = self._node(place)
        try:
            if not node.foldable():
                raise NotExactError(place)
            data_type = type_from_json(node.dataType().json())
            value = node.eval(None)
        except (*_REFUSED, ValueError) as error:
            raise NotExactError(place) from error
        return _plain(value, data_type), data_type

    def members(self, place: Place, data_type: DataType) -> tuple[tuple[Any, ...], bool]:
        """Return the values of an `InSet`; see `Exact`."""
        if data_type == BINARY or not isinstance(data_type, (PrimitiveType, DecimalType)):
            raise NotExactError(place)
        values = self._node(place).hset()
        has_null = bool(values.contains(None))
        texts = values.mkString(_SEPARATOR).split(_SEPARATOR)
        if len(texts) != values.size():
            raise NotExactError(place)
        # The set prints null as `null`. If it has this text as well, the list has two such entries,
        # of which either may go.
        if has_null:
            texts.remove("null")
        # Catalyst has dates and timestamps as numbers, so that is what the set prints.
        kind = LONG if data_type in _NUMBERED else data_type
        return tuple(plain_value(text, kind) for text in texts), has_null

    def escape(self, place: Place) -> str:
        """Return the escape character of a `Like`; see `Exact`."""
        return str(self._node(place).escapeChar())

    def _node(self, place: Place) -> Any:
        node = self.root
        for number in place:
            node = node.children().apply(number)
        return node


def _plain(value: Any, data_type: DataType) -> Any:
    """Turn Catalyst's form of a value into a plain one."""
    if data_type == FLOAT and value is not None:
        # It comes as the text of a 4-byte float, read as an 8-byte one.
        return float_from_text(repr(value))
    if value is None or isinstance(value, (bool, int, float, bytes)):
        return value
    return plain_value(value.toString(), data_type)
