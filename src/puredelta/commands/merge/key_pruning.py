"""What the keys of the source say of the rows of the target that can have a match.

A row of the target with a match has a key that the source has, too: it lies between their
minimum and their maximum, or among them where they are few.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    IntegralType,
    StringType,
    TimestampType,
)

from puredelta.commands.dml.scopes import Expression, expressions_in
from puredelta.commands.merge.resolved_clauses import ResolvedMerge
from puredelta.commands.merge.source import Source
from puredelta.engine.catalyst.in_lists import is_in_list

# Python reads bytes that are no UTF-8 as this character. A predicate with it would not find the
# key as files store it, and a file with a match would be left out.
_NO_TEXT = "\ufffd"

_SIDES = {"EqualTo": False, "EqualNullSafe": True}


@dataclass(frozen=True, slots=True)
class Key:
    """Two values that are equal in rows that match.

    Attributes:
        ours: the value of the target's row.
        theirs: the value of the source's row.
        null_safe: null is equal to null.
    """

    ours: Expression
    theirs: Expression
    null_safe: bool


def keys_of(
    merge: ResolvedMerge, target: AbstractSet[int], source: AbstractSet[int]
) -> Iterator[Key]:
    """Yield the keys by which ON matches rows.

    Args:
        merge: the condition.
        target: the ids of the target's columns.
        source: those of the source's.
    """
    for conjunct in merge.on.conjuncts():
        null_safe = _SIDES.get(conjunct.kind)
        if null_safe is None:
            continue
        left, right = expressions_in(conjunct.catalyst.children())
        # Both orders count: ON t.id = s.id and ON s.id = t.id name the same key.
        of_left, of_right = left.column_ids, right.column_ids
        if not of_left or not of_right:
            continue
        if of_left <= target and of_right <= source:
            yield Key(left, right, null_safe)
        elif of_right <= target and of_left <= source:
            yield Key(right, left, null_safe)


def predicate_from_keys(
    keys: Sequence[Key], source: Source, conditions: Iterable[Column]
) -> list[Column]:
    """Return what rows of the target must satisfy to have a match; reads the source.

    Args:
        keys: of both sides.
        source: its rows, cached.
        conditions: what rows of the source must satisfy: for others a key may not even have a
            value: not every string can be cast to a number.
    """
    # The predicate may keep too many rows, never too few: a row that it drops counts as unmatched,
    # and its source row is inserted a second time. Keys that Python may alter are left out.
    known = [key for key in keys if _is_exact(key.theirs.type)]
    if not known:
        return []
    values = [_plain(key.theirs) for key in known]
    columns = [value.alias(f"key_{place}") for place, value in enumerate(values)]
    rows = reduce(DataFrame.where, conditions, source.frame).select(*columns)
    # A list excludes files between the keys, which bounds cannot; its length is bounded because the
    # driver collects it and every file is compared with it.
    if source.is_short:
        found = rows.collect()
        listed = [{row[place] for row in found} for place in range(len(known))]
        return [
            _among(rows.sparkSession, key, keyed)
            for key, keyed in zip(known, listed, strict=True)
            if _are_whole(keyed)
        ]
    aggregates = [
        aggregate
        for place in range(len(known))
        for name in (f"key_{place}",)
        for aggregate in (F.min(name), F.max(name), F.count_if(F.col(name).isNull()))
    ]
    [row] = rows.agg(*aggregates).collect()
    bounds = [row[3 * place : 3 * place + 3] for place in range(len(known))]
    return [
        _between(key, *bound) for key, bound in zip(known, bounds, strict=True) if _are_whole(bound)
    ]


def _among(session: SparkSession, key: Key, values: set[Any]) -> Column:
    known = [value for value in values if value is not None]
    condition: Column | None = F.lit(False)  # a literal of SQL
    # A list of nothing but nulls matches no row by `=`, so FALSE is right, and no IN is built.
    if known:
        condition = is_in_list(session, key.ours.catalyst, key.theirs.type, known)
    if condition is None:
        condition = key.ours.column.isin([_literal(key, value) for value in known])
    return _or_null(key, condition, has_null=None in values)


def _between(key: Key, minimum: Any, maximum: Any, nulls: int) -> Column:
    # All keys are null: `=` is true for none of them.
    if minimum is None:
        condition = F.lit(False)  # a literal of SQL
    else:
        condition = key.ours.column.between(_literal(key, minimum), _literal(key, maximum))
    return _or_null(key, condition, has_null=nulls > 0)


def _or_null(key: Key, condition: Column, *, has_null: bool) -> Column:
    # Only `<=>` matches null with null; `=` leaves such rows out.
    return condition | key.ours.column.isNull() if key.null_safe and has_null else condition


def _is_exact(data_type: DataType) -> bool:
    """Say whether values come through Python as they are, and compare as they do in Spark."""
    # A collation makes strings equal that differ in bytes; IN and bounds on bytes would miss them.
    if isinstance(data_type, StringType):
        return data_type == StringType()
    exact = (IntegralType, DateType, DecimalType, BooleanType, TimestampType)
    return isinstance(data_type, exact)


def _are_whole(values: Iterable[Any]) -> bool:
    """Say whether values came through Python as they are: bytes that are no text did not."""
    return not any(isinstance(value, str) and _NO_TEXT in value for value in values)


def _plain(value: Expression) -> Column:
    """Return values to be collected.

    A timestamp in Python may stand for two instants, and its dates are those of four-digit years.
    """
    if isinstance(value.type, TimestampType):
        return F.unix_micros(value.column)
    if isinstance(value.type, DateType):
        return F.unix_date(value.column)
    return value.column


def _literal(key: Key, value: Any) -> Column:
    if isinstance(key.theirs.type, TimestampType):
        return F.timestamp_micros(F.lit(value).cast("bigint"))
    if isinstance(key.theirs.type, DateType):
        return F.date_from_unix_date(F.lit(value))
    return F.lit(value).cast(key.theirs.type)
