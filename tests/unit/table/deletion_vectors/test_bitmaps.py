"""Bitmaps made of words of 64 rows are those made of the row numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap64

from puredelta.table.deletion_vectors.bitmaps import WORD_BITS, bitmap_of_words


def words_of(rows):
    """Put row numbers into words, as the query does."""
    words = {}
    for row in rows:
        words[row >> WORD_BITS] = words.get(row >> WORD_BITS, 0) | 1 << (row & 63)
    bits = np.array(list(words.values()), np.uint64).view(np.int64)
    return np.array(list(words), np.int64), bits


@pytest.mark.parametrize(
    "rows",
    [
        [0],
        [63],
        [64, 65],
        range(70_000),  # a container of bits and one of numbers
        range(0, 130_000, 2),
        range(0, 2 * 4096, 2),
        range(0, 2 * 4097, 2),
        [5, 2**32 - 1, 2**32, 2**33 + 7],
    ],
    ids=[
        "first",
        "last of a word",
        "next word",
        "run",
        "every other",
        "most that are written as numbers",
        "fewest that are written as bits",
        "past 32 bits",
    ],
)
def test_rows_are_those_of_the_words(rows):
    assert bitmap_of_words(*words_of(rows)) == BitMap64(rows)


@given(st.sets(st.integers(0, 2**34), min_size=1, max_size=60), st.randoms())
def test_words_come_in_any_order(rows, random):
    places, bits = words_of(rows)
    order = list(range(len(places)))
    random.shuffle(order)

    assert bitmap_of_words(places[order], bits[order]) == BitMap64(rows)
