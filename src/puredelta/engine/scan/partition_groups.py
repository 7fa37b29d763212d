"""Files grouped by their partition values."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from puredelta.log.files import partition_texts
from puredelta.table.skipping.stats_cache import Mask

Values = tuple[str | None, ...]
"""The values of one partition as the log has them, null for an empty text."""

Places: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"


@dataclass(frozen=True, slots=True)
class Groups:
    """The partitions of some files, in the order in which files first name them.

    Attributes:
        values: The values of each partition.
        of_file: The place of its partition, for each file.
        order: The files, partition after partition.
        starts: Where each partition starts in `order`, and where the last one ends.
    """

    values: Sequence[Values]
    of_file: Places
    order: Places
    starts: Places

    def files(self, partition: int) -> Places:
        """Return the places of a partition's files."""
        return self.order[self.starts[partition] : self.starts[partition + 1]]

    def of(self, mask: Mask) -> list[int]:
        """Return the places of the partitions that have any of the files in a mask."""
        found: list[int] = np.unique(self.of_file[mask]).tolist()
        return found


def group_by_partition(files: pa.Table, columns: Sequence[str]) -> Groups:
    """Group files by their partition values.

    Args:
        files: rows as `log.files.FILES`.
        columns: the partition columns, by the names that the log has.
    """
    count = files.num_rows
    codes = np.zeros(count, np.int64)
    texts = []
    for name in columns:
        # A null is a partition value like any other.
        encoded = partition_texts(files["partition_values"], name).dictionary_encode("encode")
        texts.append(encoded)
        codes = codes * len(encoded.dictionary) + np.asarray(encoded.indices)
        # As small as can be, so that many columns do not overflow.
        codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
    _, first, of_code = np.unique(codes, return_index=True, return_inverse=True)
    # np.unique sorts the codes, whose order means nothing.
    by_appearance = np.argsort(first, kind="stable")
    rank = np.empty_like(by_appearance)
    rank[by_appearance] = np.arange(len(rank))
    of_file = rank[of_code.reshape(-1)]
    firsts = pa.array(first[by_appearance])
    values = zip(*(column.take(firsts).to_pylist() for column in texts), strict=True)
    return Groups(
        values=list(values) if texts else [()],
        of_file=of_file,
        order=np.argsort(of_file, kind="stable"),
        starts=np.concatenate([[0], np.cumsum(np.bincount(of_file, minlength=len(first)))]),
    )
