"""Deletion vectors that no reader may believe, for both readers: Python's and the executors'."""

import struct
from dataclasses import dataclass

from pyroaring import BitMap

_PORTABLE = (1681511377).to_bytes(4, "little")
_NATIVE = (1681511376).to_bytes(4, "little")

_MALFORMED = "DELTA_DELETION_VECTOR_MALFORMED"


@dataclass(frozen=True)
class Damaged:
    """A vector as bytes, from the magic number on, and what is said of it.

    Attributes:
        data: The bytes.
        cardinality: What the log says of its rows.
        condition: The error that both readers raise.
    """

    data: bytes
    cardinality: int = 2
    condition: str = _MALFORMED


def _portable(*bitmaps: tuple[int, bytes], count: int | None = None) -> bytes:
    parts = (struct.pack("<I", key) + bitmap for key, bitmap in bitmaps)
    number = len(bitmaps) if count is None else count
    return _PORTABLE + struct.pack("<q", number) + b"".join(parts)


def _native(size: int, bitmap: bytes, count: int = 1) -> bytes:
    return _NATIVE + struct.pack("<ii", count, size) + bitmap


def _arrays(*arrays: tuple[int, list[int]]) -> bytes:
    """Write a bitmap of arrays, whatever order they and their values are in."""
    head = struct.pack("<II", 12346, len(arrays))
    start = len(head) + 8 * len(arrays)
    named, places, content = b"", b"", b""
    for key, values in arrays:
        named += struct.pack("<HH", key, len(values) - 1)
        places += struct.pack("<I", start + len(content))
        content += struct.pack(f"<{len(values)}H", *values)
    return head + named + places + content


def _runs(cardinality: int, *runs: tuple[int, int]) -> bytes:
    """Write a bitmap of runs, each by its first value and how many follow it."""
    head = struct.pack("<IBHHH", 12347, 1, 0, cardinality - 1, len(runs))
    return head + b"".join(struct.pack("<HH", *run) for run in runs)


def _bits(cardinality: int, bits: bytes) -> bytes:
    head = struct.pack("<IIHHI", 12346, 1, 0, cardinality - 1, 16)
    return head + bits.ljust(8192, b"\0")


_FIRST_AND_THIRD = BitMap([0, 2]).serialize()

WHOLE = Damaged(_portable((0, _FIRST_AND_THIRD)))
"""Not damaged: the rows 0 and 2."""

DAMAGED: dict[str, Damaged] = {
    "count of bitmaps that overflows": Damaged(_portable((0, _FIRST_AND_THIRD), count=2**32 + 1)),
    "count of bitmaps below zero": Damaged(_portable((0, _FIRST_AND_THIRD), count=-1)),
    "more bitmaps than bytes": Damaged(_portable((0, _FIRST_AND_THIRD), count=2**31 - 1)),
    "fewer bitmaps than rows": Damaged(
        _portable((0, _FIRST_AND_THIRD), count=0),
        condition="DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH",
    ),
    "keys that descend": Damaged(
        _portable((1, _FIRST_AND_THIRD), (0, _FIRST_AND_THIRD)), cardinality=4
    ),
    "key that comes twice": Damaged(
        _portable((0, _FIRST_AND_THIRD), (0, _FIRST_AND_THIRD)), cardinality=4
    ),
    "key past the last": Damaged(_portable((0x7FFFFFFF, _FIRST_AND_THIRD))),
    "key below zero": Damaged(_portable((0xFFFFFFFF, _FIRST_AND_THIRD))),
    "other cardinality": Damaged(
        WHOLE.data, cardinality=1, condition="DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH"
    ),
    "values that descend": Damaged(_portable((0, _arrays((0, [2, 0]))))),
    "arrays that descend": Damaged(_portable((0, _arrays((1, [0]), (0, [2]))))),
    "runs over each other": Damaged(_portable((0, _runs(8, (1, 3), (2, 3)))), cardinality=8),
    "run past its end": Damaged(_portable((0, _runs(4, (65535, 3)))), cardinality=4),
    "fewer bits than counted": Damaged(_portable((0, _bits(5000, b"\x05"))), cardinality=5000),
    "bitmap cut short": Damaged(_portable((0, _FIRST_AND_THIRD[:-1]))),
    "unknown magic number": Damaged(b"\x01\x02\x03\x04" + WHOLE.data[4:]),
    "nothing": Damaged(b""),
    "native bitmap of another size": Damaged(
        _native(len(_FIRST_AND_THIRD) + 4, _FIRST_AND_THIRD + b"\0\0\0\0")
    ),
    "native bitmap cut short": Damaged(_native(len(_FIRST_AND_THIRD), _FIRST_AND_THIRD[:-1])),
    "native count below zero": Damaged(_native(len(_FIRST_AND_THIRD), _FIRST_AND_THIRD, count=-1)),
}
"""By what is wrong with them."""
