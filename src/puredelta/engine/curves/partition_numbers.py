"""Numbers that Spark's hash sends to a chosen partition each: a shuffle without sampling.

A range shuffle reads all rows once more to find its bounds. Where these are known, the row only has
to name its partition, but before 4.1 Spark can shuffle by the hash of a column alone.
"""

from functools import lru_cache
from itertools import count

_SEED = 42  # of the hash of Spark's shuffles
_MASK = 0xFFFFFFFF


@lru_cache(maxsize=16)
def numbers_of_partitions(partitions: int) -> tuple[int, ...]:
    """Return a number for each partition of a shuffle that goes there.

    >>> numbers_of_partitions(1)
    (0,)

    Args:
        partitions: How many partitions the shuffle has.
    """
    found: dict[int, int] = {}
    for number in count():
        found.setdefault(hash_of_int(number) % partitions, number)
        if len(found) == partitions:
            break
    return tuple(found[partition] for partition in range(partitions))


def hash_of_int(value: int) -> int:
    """Return Spark's `hash` of an INT: Murmur3, 32 bits, signed."""
    mixed = value * 0xCC9E2D51 & _MASK
    mixed = _rotated(mixed, 15) * 0x1B873593 & _MASK
    result = (_rotated(_SEED ^ mixed, 13) * 5 + 0xE6546B64) & _MASK
    result ^= 4  # the length of an INT in bytes
    result = (result ^ result >> 16) * 0x85EBCA6B & _MASK
    result = (result ^ result >> 13) * 0xC2B2AE35 & _MASK
    result ^= result >> 16
    return result - (1 << 32) if result >> 31 else result


def _rotated(value: int, by: int) -> int:
    return (value << by | value >> (32 - by)) & _MASK
