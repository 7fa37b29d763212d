"""The two histograms of a version checksum: file sizes, and rows deleted from each file.

Protocol: Version Checksum File, File Size Histogram Schema, Deleted Record Counts Histogram Schema.
"""

from bisect import bisect_right
from collections.abc import Iterable

import pyarrow as pa

from puredelta.log.actions import Record

_KIB, _MIB, _GIB = 1 << 10, 1 << 20, 1 << 30

SIZE_BINS: tuple[int, ...] = (
    0,
    *(8 * _KIB << power for power in range(10)),
    *(_MIB * size for size in range(8, 41, 4)),
    *(_MIB * size for size in range(48, 121, 8)),
    *(_MIB * size for size in range(124, 145, 4)),
    *(_MIB * size for size in range(160, 577, 16)),
    *(_MIB * size for size in range(640, 1409, 64)),
    *(_MIB * size for size in range(1536, 2049, 128)),
    *(_MIB * size for size in range(2304, 4097, 256)),
    *(_GIB * size for size in (8, 16, 32, 64, 128, 256)),
)
"""Where the bins of the reference begin, in bytes."""

DELETED_BINS = (0, 1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 2**31 - 1)
"""Where the bins of deleted rows begin."""


class SizeHistogram(Record, frozen=True, kw_only=True):
    """How many files have which size.

    Attributes:
        sorted_bin_boundaries: Where each bin begins, in bytes; it ends where the next one begins.
        file_counts: How many files are in each.
        total_bytes: What they have together.
    """

    sorted_bin_boundaries: list[int]
    file_counts: list[int]
    total_bytes: list[int]

    def is_sound(self, num_files: int, size_in_bytes: int) -> bool:
        """Return whether the bins fit together, and their sums what is known of the table."""
        bins = self.sorted_bin_boundaries
        return (
            len(bins) == len(self.file_counts) == len(self.total_bytes) > 0
            and bins[0] == 0
            and bins == sorted(set(bins))
            and min(*self.file_counts, *self.total_bytes) >= 0
            and (sum(self.file_counts), sum(self.total_bytes)) == (num_files, size_in_bytes)
        )

    def changed(self, added: Iterable[int], removed: Iterable[int]) -> "SizeHistogram":
        """Return what becomes of it when files of some sizes come and others go."""
        # Another writer may have chosen other bins. They stay: sizes in them cannot be split.
        counts, sizes = list(self.file_counts), list(self.total_bytes)
        for sign, files in ((1, added), (-1, removed)):
            for size in files:
                index = _bin(self.sorted_bin_boundaries, size)
                counts[index] += sign
                sizes[index] += sign * size
        return SizeHistogram(
            sorted_bin_boundaries=self.sorted_bin_boundaries, file_counts=counts, total_bytes=sizes
        )


class DeletedHistogram(Record, frozen=True, kw_only=True):
    """How many files have how many deleted rows.

    Attributes:
        deleted_record_counts: How many files are in each bin of `DELETED_BINS`.
    """

    deleted_record_counts: list[int]

    def is_sound(self, num_files: int) -> bool:
        """Return whether the bins fit what is known of the table."""
        counts = self.deleted_record_counts
        return len(counts) == len(DELETED_BINS) and min(counts) >= 0 and sum(counts) == num_files

    def changed(self, added: Iterable[int], removed: Iterable[int]) -> "DeletedHistogram":
        """Return what becomes of it when files come and go, given by their deleted rows."""
        counts = list(self.deleted_record_counts)
        for sign, files in ((1, added), (-1, removed)):
            for rows in files:
                counts[_bin(DELETED_BINS, rows)] += sign
        return DeletedHistogram(deleted_record_counts=counts)


NO_SIZES = SizeHistogram(
    sorted_bin_boundaries=list(SIZE_BINS),
    file_counts=[0] * len(SIZE_BINS),
    total_bytes=[0] * len(SIZE_BINS),
)
NO_DELETIONS = DeletedHistogram(deleted_record_counts=[0] * len(DELETED_BINS))


def none_deleted(num_files: int) -> DeletedHistogram:
    """Return the histogram of files none of which has deleted rows."""
    return DeletedHistogram(deleted_record_counts=[num_files, *[0] * (len(DELETED_BINS) - 1)])


def size_histogram(sizes: pa.ChunkedArray) -> SizeHistogram:
    """Sort the sizes of files into bins."""
    counts, totals = [0] * len(SIZE_BINS), [0] * len(SIZE_BINS)
    # Equal sizes are many where small files are; each is put into its bin once.
    for entry in sizes.value_counts().to_pylist():
        index = _bin(SIZE_BINS, entry["values"])
        counts[index] += entry["counts"]
        totals[index] += entry["counts"] * entry["values"]
    return SizeHistogram(
        sorted_bin_boundaries=list(SIZE_BINS), file_counts=counts, total_bytes=totals
    )


def deleted_histogram(rows: pa.ChunkedArray) -> DeletedHistogram:
    """Sort files into bins by their deleted rows, of which there are 0 or more in each."""
    counts = [0] * len(DELETED_BINS)
    for entry in rows.value_counts().to_pylist():
        counts[_bin(DELETED_BINS, entry["values"])] += entry["counts"]
    return DeletedHistogram(deleted_record_counts=counts)


def _bin(bins: "list[int] | tuple[int, ...]", value: int) -> int:
    # A tombstone may have a negative size, and the index -1 would put it among the largest files.
    return max(bisect_right(bins, value) - 1, 0)
