"""What a rewrite of files would do: the files that it looks at, and the bins that it writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from puredelta.maintenance.bins import Bin, files_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RewritePlan:
    """Which files are written anew, and which of them together.

    Attributes:
        considered: the files of the partitions that were asked for, as rows of `log.files.FILES`.
        files: those that may be rewritten; the places in bins are places in this table.
        bins: the files that are rewritten, those of one bin together.
    """

    considered: pa.Table
    files: pa.Table
    bins: Sequence[Bin]

    @property
    def rewritten(self) -> pa.Table:
        """The files that are in some bin."""
        return files_of(self.files, self.bins)

    @property
    def partitions(self) -> int:
        """How many partitions have bins."""
        return len({group.partition for group in self.bins})

    @property
    def bytes(self) -> int:
        """The size of the files that are rewritten."""
        return sum(group.bytes for group in self.bins)
