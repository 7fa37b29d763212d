"""Row indexes as a query returns them, 64 rows in a word, assembled into bitmaps.

A bitmap of 8 million rows takes milliseconds this way; row by row it would take a second.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from pyroaring import BitMap64

# As words, 64 rows each, with the names of their files: they stay below
# spark.driver.maxResultSize, which is 1 GiB.
MOST_LISTED_ROWS = 50_000_000
"""From files with up to so many rows, one job may give the driver any of them."""

WORD_BITS = 6
"""A word stands for 2 to the power of this many rows."""

Words: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"

# RoaringFormatSpec: containers of 65,536 numbers, as sorted numbers up to 4,096 of them, else as
# bits; without runs each container's offset is given.
_COOKIE = 12346
_CONTAINER_WORDS = 1024
_SPARSE = 4096
# 65,536 containers make one 32-bit bitmap, of which a 64-bit one has many.
_BUCKET_CONTAINERS = 65_536


def bitmap_of_words(places: Words, bits: Words) -> BitMap64:
    """Make a bitmap.

    Args:
        places: Which words: row numbers shifted right by `WORD_BITS`; each one once.
        bits: What is in them: bit `n` for the row `64 * place + n`.
    """
    order = np.argsort(places)
    places, bits = places[order], bits[order]
    containers = places // _CONTAINER_WORDS
    buckets = list(_groups(containers // _BUCKET_CONTAINERS))
    parts = [struct.pack("<q", len(buckets))]
    for bucket, span in buckets:
        parts.append(struct.pack("<I", bucket))
        parts.append(_bucket(containers[span], places[span], bits[span]))
    return BitMap64.deserialize(b"".join(parts))


def _groups(keys: Words) -> Iterator[tuple[int, slice]]:
    """Yield each of some sorted keys, and where it stands."""
    found, starts = np.unique(keys, return_index=True)
    ends = [*starts[1:].tolist(), len(keys)]
    for key, start, end in zip(found.tolist(), starts.tolist(), ends, strict=True):
        yield key, slice(start, end)


def _bucket(containers: Words, places: Words, bits: Words) -> bytes:
    """Write a 32-bit bitmap."""
    header: list[bytes] = []
    contents: list[bytes] = []
    for container, span in _groups(containers):
        count, content = _container(places[span] % _CONTAINER_WORDS, bits[span])
        # The format stores each cardinality minus one, so that 65,536 fits in two bytes.
        header.append(struct.pack("<HH", container % _BUCKET_CONTAINERS, count - 1))
        contents.append(content)
    # Eight bytes of cookie and count, then four of header and four of offset for each container.
    offset = 8 + 8 * len(contents)
    offsets: list[bytes] = []
    for content in contents:
        offsets.append(struct.pack("<I", offset))
        offset += len(content)
    return struct.pack("<II", _COOKIE, len(contents)) + b"".join([*header, *offsets, *contents])


def _container(places: Words, bits: Words) -> tuple[int, bytes]:
    """Write up to 65,536 numbers; return how many there are, too."""
    words = np.zeros(_CONTAINER_WORDS, "<i8")
    words[places] = bits
    content = words.tobytes()
    numbers = np.flatnonzero(np.unpackbits(np.frombuffer(content, np.uint8), bitorder="little"))
    if len(numbers) > _SPARSE:
        return len(numbers), content
    return len(numbers), numbers.astype("<u2").tobytes()
