"""The Z-order curve: the bits of several ids taken in turn make one key."""

from __future__ import annotations

from collections.abc import Sequence

# A key is compared as signed 64-bit integers, so none of them uses the sign. One bit less leaves
# room for sums of words.
WORD_BITS = 62


def id_bits(ranges: int) -> int:
    """Return how many bits the ids of so many ranges have.

    >>> id_bits(1000)
    10
    """
    return ranges.bit_length()


def z_order_key(ids: Sequence[int], bits: int) -> int:
    """Interleave the bits of ids, from the most significant down, the first id first.

    >>> z_order_key([0b10, 0b01], 2)
    9

    Args:
        ids: One for each column.
        bits: How many bits each has.
    """
    return sum(spread(number, bits, column, len(ids)) for column, number in enumerate(ids))


def spread(number: int, bits: int, column: int, columns: int) -> int:
    """Return the key whose bits are those of one column's id; the bits of the others are 0.

    The key of a point is the sum of these: no two columns have a bit in common.

    Args:
        number: The id.
        bits: How many bits an id has.
        column: Which column, from 0.
        columns: How many there are.
    """
    key = 0
    for bit in range(bits):
        key |= (number >> bit & 1) << (bit * columns + columns - 1 - column)
    return key


def key_words(key: int, bits: int) -> list[int]:
    """Split a key into words that compare one after the other as the key does.

    Args:
        key: The key.
        bits: How many bits it has.
    """
    return [key >> shift & ((1 << WORD_BITS) - 1) for shift in word_shifts(bits)]


def word_shifts(bits: int) -> list[int]:
    """Return where the words of a key begin, the most significant word first.

    >>> word_shifts(100)
    [62, 0]
    """
    return list(range((bits - 1) // WORD_BITS * WORD_BITS, -1, -WORD_BITS))
