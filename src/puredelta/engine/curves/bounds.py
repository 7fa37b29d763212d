"""Bounds that divide sorted values into ranges, and the search for the range of a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    TimestampNTZType,
    TimestampType,
    YearMonthIntervalType,
)

from puredelta.engine.bridge.classes import class_object, new, scala_object, static_method
from puredelta.engine.bridge.handles import items_of, sequence
from puredelta.engine.curves.literals import constant, looked_up, numbers, static_call
from puredelta.engine.session.scala import new_case_class
from puredelta.engine.session.spark_objects import frame_of_plan

_TYPES = "org.apache.spark.sql.types"
_LOCAL = "org.apache.spark.sql.catalyst.plans.logical.LocalRelation"
_ORDERINGS = "org.apache.spark.sql.catalyst.util.TypeUtils"

_AS_INT = (BooleanType, ByteType, ShortType)
_INTS = (IntegerType, DateType, YearMonthIntervalType)
_LONGS = (LongType, TimestampType, TimestampNTZType, DayTimeIntervalType)


def searchable(column: Column, kind: DataType) -> Column:
    """Return a column in the type in which its values are searched for, in the same order."""
    if isinstance(kind, _AS_INT):
        return column.cast("int")
    return column.cast("double") if isinstance(kind, FloatType) else column


@dataclass(frozen=True, slots=True)
class Bounds:
    """Ascending values between ranges.

    Attributes:
        array: A Java array of the values, as Spark represents them.
        count: How many there are.
        ordering: Compares values that have no order of their own in Java; None for numbers.
    """

    array: Any
    count: int
    ordering: Any

    def lookup(self, value: Column, table: Sequence[int]) -> Column:
        """Return the entry of a table for the range of a value; 0 where the value is null.

        Args:
            value: What `searchable` has returned.
            table: An entry for each range; one more than there are bounds.
        """
        # Java's search returns the position of an equal bound or, if there is none, -1 minus that
        # of the next greater one. In both cases that is the range of the value. A table that has
        # an entry for each of these results needs no branch.
        by_result = [*reversed(table), *table[:-1]]
        place = self._search(value) + F.lit(self.count + 1)
        return F.coalesce(looked_up(numbers(by_result), place), F.lit(0))

    def _search(self, value: Column) -> Column:
        arguments = [_object(self.array), value]
        if self.ordering is not None:
            comparator = class_object("java.util.Comparator")
            arguments.append(constant(self.ordering, new(f"{_TYPES}.ObjectType", comparator)))
        integer = scala_object(f"{_TYPES}.IntegerType")
        return static_call("java.util.Arrays", "binarySearch", integer, arguments)


def bounds_between(frame: DataFrame, ranges: int) -> list[Bounds]:
    """Return for each column the values that divide its array into ranges of about equal size.

    Fewer distinct values make fewer ranges.

    Args:
        frame: One local row of sorted arrays.
        ranges: How many ranges there are to be.
    """
    row = local_row(frame)
    picks = [
        _picks(F.col(name), row.getArray(place).numElements(), ranges)
        for place, name in enumerate(frame.columns)
    ]
    picked = local_row(local_frame(frame, row).select(*picks))
    kinds = [field.dataType.elementType for field in frame.schema]  # type: ignore[attr-defined]
    return [
        _bounds(picked.getArray(place), kind, _element(frame, place))
        for place, kind in enumerate(kinds)
    ]


def _picks(values: Column, count: int, ranges: int) -> Column:
    """Return the distinct last values of all ranges but the last one."""
    ends = {number * count // ranges - 1 for number in range(1, ranges)} - {-1}
    if not ends:
        return F.slice(values, 1, 0)
    return F.array_distinct(F.transform(numbers(sorted(ends)), lambda end: F.get(values, end)))


def local_row(frame: DataFrame) -> Any:
    """Compute the only row of a DataFrame and return it as Spark represents it."""
    [row] = frame._jdf.queryExecution().executedPlan().executeCollect()
    return row


def local_frame(frame: DataFrame, row: Any) -> DataFrame:
    """Return a row of a DataFrame as a DataFrame that needs no job."""
    output = frame._jdf.queryExecution().analyzed().output()
    plan = new_case_class(_LOCAL, output, sequence([row]))
    return frame_of_plan(frame.sparkSession, plan)


def _bounds(data: Any, kind: DataType, element: Any) -> Bounds:
    count = data.numElements()
    if isinstance(kind, _INTS):
        return Bounds(data.toIntArray(), count, None)
    if isinstance(kind, _LONGS):
        return Bounds(data.toLongArray(), count, None)
    if isinstance(kind, DoubleType):
        return Bounds(data.toDoubleArray(), count, None)
    ordering = static_method(_ORDERINGS, "getInterpretedOrdering")(element)
    return Bounds(data.toObjectArray(element), count, ordering)


def _element(frame: DataFrame, place: int) -> Any:
    """Return the Catalyst type of the elements of a column."""
    return items_of(frame._jdf.schema())[place].dataType().elementType()


def _object(value: Any) -> Column:
    return constant(value, new(f"{_TYPES}.ObjectType", value.getClass()))
