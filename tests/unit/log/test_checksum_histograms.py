"""The histograms of version checksums."""

import pyarrow as pa
import pytest

from puredelta.log.checksum_histograms import (
    DELETED_BINS,
    NO_DELETIONS,
    NO_SIZES,
    SIZE_BINS,
    DeletedHistogram,
    SizeHistogram,
    deleted_histogram,
    size_histogram,
)

KIB, MIB, GIB = 1024, 1024**2, 1024**3


def test_bins_are_those_of_the_reference():
    assert len(SIZE_BINS) == 95
    assert SIZE_BINS[:12] == (0, *(8 * KIB << n for n in range(10)), 8 * MIB)
    assert SIZE_BINS[-6:] == tuple(n * GIB for n in (8, 16, 32, 64, 128, 256))
    assert list(SIZE_BINS) == sorted(set(SIZE_BINS))


@pytest.mark.parametrize(
    ("size", "place"), [(0, 0), (8 * KIB - 1, 0), (8 * KIB, 1), (8 * MIB, 11), (10**15, 94)]
)
def test_size_falls_into_its_bin(size, place):
    found = size_histogram(pa.chunked_array([[size, size]], pa.int64()))

    assert (found.file_counts[place], found.total_bytes[place]) == (2, 2 * size)
    assert found.is_sound(2, 2 * size)
    assert found == NO_SIZES.changed([size, size], [])


@pytest.mark.parametrize(
    ("rows", "place"),
    [(0, 0), (1, 1), (9, 1), (10, 2), (9_999_999, 7), (10_000_000, 8), (2**31 - 1, 9)],
)
def test_deleted_rows_fall_into_their_bin(rows, place):
    found = deleted_histogram(pa.chunked_array([[rows]], pa.int64()))

    assert found.deleted_record_counts[place] == 1
    assert found == NO_DELETIONS.changed([rows], [])
    assert found.is_sound(1)


def test_what_comes_and_goes_leaves_nothing():
    assert NO_SIZES.changed([5, 9_000], [9_000, 5]) == NO_SIZES
    assert NO_DELETIONS.changed([0, 12], [12, 0]) == NO_DELETIONS


def test_bins_of_another_writer_are_kept():
    theirs = SizeHistogram(sorted_bin_boundaries=[0, 100], file_counts=[1, 0], total_bytes=[5, 0])

    found = theirs.changed([300], [5])

    assert found.sorted_bin_boundaries == [0, 100]
    assert (found.file_counts, found.total_bytes) == ([0, 1], [0, 300])


@pytest.mark.parametrize(
    ("bins", "counts", "totals"),
    [
        ([], [], []),
        ([0, 1], [1], [5]),
        ([1], [1], [5]),
        ([0, 0], [1, 0], [5, 0]),
        ([0, 9, 3], [1, 0, 0], [5, 0, 0]),
        ([0, 9], [2, -1], [5, 0]),
        ([0], [2], [5]),
        ([0], [1], [6]),
    ],
)
def test_bins_that_do_not_fit_are_not_sound(bins, counts, totals):
    found = SizeHistogram(sorted_bin_boundaries=bins, file_counts=counts, total_bytes=totals)

    assert not found.is_sound(1, 5)


@pytest.mark.parametrize("counts", [[], [1] * 9, [1] * 10, [2, -1] + [0] * 8])
def test_deletions_that_do_not_fit_are_not_sound(counts):
    assert not DeletedHistogram(deleted_record_counts=counts).is_sound(1)
    assert len(DELETED_BINS) == 10
