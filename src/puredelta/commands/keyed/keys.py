"""Rows that a key identifies: its columns, and what is wrong with rows that share a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.expression_arguments import Expression
from puredelta.errors.classes import DeltaRuntimeError
from puredelta.schema.column_path import quote_name, quoted

_RANK, _TIMES = "__puredelta_rank_of_row", "__puredelta_rows_of_key"

# A message names so many keys; nobody would read more.
_NAMED_KEYS = 10


def key_columns(key: str | Sequence[str]) -> list[str]:
    """Return the names of a key's columns.

    Raises:
        ValueError: there are none.
    """
    names = [key] if isinstance(key, str) else list(key)
    if not names:
        raise ValueError("key must name at least one column")
    return names


def same_key(left: str, right: str, names: Sequence[str]) -> Column:
    """Return the condition that rows have the same key; parts that are null are equal.

    Args:
        left: the alias of one side.
        right: that of the other.
        names: the key's columns.
    """
    return all_same([(of(left, name), of(right, name)) for name in names])


def all_same(pairs: Sequence[tuple[Column, Column]]) -> Column:
    """Return the condition that values are equal pair by pair; nulls are equal."""
    return reduce(and_, (pair.eqNullSafe(other) for pair, other in pairs))


def of(alias: str, name: str) -> Column:
    """Return a column of one of two sides."""
    return F.col(f"{alias}.{quoted(name)}")


def last_of_each_key(frame: DataFrame, names: Sequence[str], order: Expression) -> DataFrame:
    """Return one row a key: that with the maximum; of equal ones any.

    Args:
        frame: the rows.
        names: the key's columns.
        order: what is compared, SQL or a Column; null is less than all.
    """
    # Rows of one key lie in one window, so exactly one of them gets rank 1, also of equal ones.
    value = F.expr(order) if isinstance(order, str) else order
    window = Window.partitionBy(*map(quote_name, names)).orderBy(value.desc())
    ranked = frame.withColumn(_RANK, F.row_number().over(window))
    return ranked.where(F.col(_RANK) == 1).drop(_RANK)


def check_keys_differ(frame: DataFrame, names: Sequence[str], verb: str) -> None:
    """Refuse rows of which several have the same key: nothing says which of them counts.

    Args:
        frame: the rows, which are computed for it.
        names: the key's columns.
        verb: what they were given to.

    Raises:
        DeltaRuntimeError: PUREDELTA_DUPLICATE_KEYS, with some of the keys.
    """
    counted = frame.groupBy(*map(quote_name, names)).agg(F.count("*").alias(_TIMES))
    # MERGE itself would accept two new rows with one key, as neither has a match, and insert both.
    found = counted.where(F.col(_TIMES) > 1).limit(_NAMED_KEYS).drop(_TIMES).collect()
    if found:
        raise DeltaRuntimeError(
            "PUREDELTA_DUPLICATE_KEYS",
            verb=verb,
            keys=describe_keys([row.asDict() for row in found]),
        )


def describe_keys(keys: Sequence[Mapping[str, object]]) -> str:
    """Return keys for a message."""
    return "; ".join(", ".join(f"{name} = {value}" for name, value in key.items()) for key in keys)
