"""Keys of rows on a curve, from the ids of the ranges of their columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import add

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.curves.bounds import Bounds
from puredelta.engine.curves.literals import looked_up, numbers
from puredelta.table.clustering.hilbert import Step, hilbert_steps
from puredelta.table.clustering.z_order import (
    WORD_BITS,
    id_bits,
    key_words,
    spread,
)


def key_columns(
    columns: Sequence[tuple[Column, Bounds]], ranges: int, *, is_hilbert: bool
) -> list[Column]:
    """Return the key of a row: numbers that are compared one after the other.

    Args:
        columns: The columns to order by, each with the bounds of its ranges.
        ranges: How many ranges a column has at most.
        is_hilbert: Whether the curve is the Hilbert curve. Where its tables would be too large for
            a task, it is the Z-order curve nevertheless.
    """
    count, bits = len(columns), id_bits(ranges)
    words = _z_words(columns, bits)
    # The Hilbert curve of one column is its order, and so is Z-order.
    steps = hilbert_steps(count, bits) if is_hilbert and count > 1 else None
    if steps is None or count * bits > WORD_BITS:
        return words
    return [_hilbert(words[0], steps, count)]


def _z_words(columns: Sequence[tuple[Column, Bounds]], bits: int) -> list[Column]:
    total = len(columns) * bits
    parts: list[list[Column]] = []
    for place, (value, bounds) in enumerate(columns):
        spreads = [
            key_words(spread(number, bits, place, len(columns)), total)
            for number in range(bounds.count + 1)
        ]
        tables = zip(*spreads, strict=True)
        # A word in which all entries of a column are 0 has none of its bits.
        parts.append(
            [
                bounds.lookup(value, table).cast("long") if any(table) else F.lit(0).cast("long")
                for table in tables
            ]
        )
    return [reduce(add, word) for word in zip(*parts, strict=True)]


def _hilbert(corners: Column, steps: Sequence[Step], count: int) -> Column:
    """Return the position on the Hilbert curve of a point whose bits are interleaved."""
    rest = count * sum(step.bits for step in steps)
    state = F.lit(0)
    keys: list[Column] = []
    for step in steps:
        size = count * step.bits
        rest -= size
        mask = F.lit((1 << size) - 1)
        taken = F.shiftright(corners, rest).bitwiseAND(mask).cast("int")
        # All results fit into 32 bits. The first step may be shorter than the others, so the number
        # of the state is shifted back, and to the size of the next step.
        result = looked_up(numbers(step.table), F.shiftleft(state, size) + taken)
        state = F.shiftright(result, size)
        keys.append(F.shiftleft(result.bitwiseAND(mask).cast("long"), rest))
    return reduce(add, keys)
