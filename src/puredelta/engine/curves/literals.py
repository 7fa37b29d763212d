"""Arrays of numbers as constants of a query: crossed over as bytes, and looked up by position."""

import struct
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.bridge.classes import new, scala_object, static_method
from puredelta.engine.bridge.handles import sequence
from puredelta.engine.session.scala import new_case_class
from puredelta.engine.session.spark_objects import column_of, expression_of

_TYPES = "org.apache.spark.sql.types"
_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"
_INVOKE = f"{_EXPRESSIONS}.objects.StaticInvoke"

# Where the elements of a Java byte array begin in memory, as Spark's unsafe reads count: it asks
# the JVM.
_PLATFORM = "org.apache.spark.unsafe.Platform"

_WORD = 64
_INT = range(-(1 << 31), 1 << 31)


def numbers(values: Sequence[int]) -> Column:
    """Return whole numbers as a constant array, to be read by `looked_up`.

    py4j would carry a list over number by number. So the numbers cross as the bytes of an array in
    Spark's own format, which the JVM uses as they are.

    Args:
        values: The numbers; of 32 bits if all of them fit, else of 64.
    """
    is_small = all(value in _INT for value in (min(values), max(values)))
    # Number of elements, a bit for each that is null, and the elements, in whole words.
    packed = b"".join(
        (
            struct.pack("<q", len(values)),
            bytes(8 * -(-len(values) // _WORD)),
            array("i" if is_small else "q", values).tobytes(),
        )
    )
    packed += bytes(-len(packed) % 8)
    data = new(f"{_EXPRESSIONS}.UnsafeArrayData")
    data.pointTo(packed, static_method(_PLATFORM, "BYTE_ARRAY_OFFSET"), len(packed))
    element = scala_object(f"{_TYPES}.{'IntegerType' if is_small else 'LongType'}")
    return constant(data, new(f"{_TYPES}.ArrayType", element, False))  # of Java


def constant(value: Any, kind: Any) -> Column:
    """Return a value of the JVM as a constant of a Catalyst type."""
    return column_of(new(f"{_EXPRESSIONS}.Literal", value, kind))


def looked_up(table: Column, place: Column) -> Column:
    """Return the element of a constant array at a position; null where the position is."""
    return F.get(table, place)


def static_call(class_name: str, method: str, kind: Any, arguments: Iterable[Column]) -> Column:
    """Return the call of a static Java method on each row; null where an argument is null.

    Args:
        class_name: The class of the method.
        method: Its name.
        kind: The Catalyst type of its result, which is never null.
        arguments: What it is called with.
    """
    owner = static_method("java.lang.Class", "forName")(class_name)
    given = sequence(map(expression_of, arguments))
    nothing = sequence([])
    return column_of(new_case_class(_INVOKE, owner, kind, method, given, nothing, True, False))
