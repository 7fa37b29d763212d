"""The layout of ZORDER BY: all rows of a partition, along a Z-order curve of some columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from puredelta.commands.optimize.bin_writing import joined, write_bins, write_each_bin
from puredelta.commands.optimize.curve import curve_of, file_count
from puredelta.commands.optimize.layout import partitions_of
from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.write.footers import WrittenFiles
from puredelta.log.files import total_bytes
from puredelta.maintenance.bins import Bin, bins_of
from puredelta.maintenance.rewrite_plan import RewritePlan


@dataclass(frozen=True, slots=True)
class ZOrderLayout:
    """Rows with similar values in all of some columns lie in the same files.

    Attributes:
        columns: The columns, as the user spells them.
        max_file_size: how many bytes a new file has, about.
    """

    columns: Sequence[str]
    max_file_size: int

    def plan(self, target: WriteTarget, considered: pa.Table) -> RewritePlan:
        """Put all files of a partition into one bin: nothing records which are ordered already."""
        sizes = considered["size"].to_pylist()
        bins = bins_of(partitions_of(target, considered), sizes, max(1, sum(sizes)))
        return RewritePlan(considered=considered, files=considered, bins=bins)

    def write(self, target: WriteTarget, files: pa.Table, bins: Sequence[Bin]) -> WrittenFiles:
        """Write the rows of each bin along the curve.

        A partition whose rows fit into one file is the same on any curve, and many of these are
        written by one job.
        """
        curve = curve_of(target, self.columns, is_hilbert=False)
        is_large = [
            curve.sorts or file_count(group.bytes, self.max_file_size) > 1 for group in bins
        ]
        large = [group for group, found in zip(bins, is_large, strict=True) if found]
        small = [group for group, found in zip(bins, is_large, strict=True) if not found]
        written = write_bins(target, files, small)
        return joined(written, write_each_bin(target, files, large, curve, self.max_file_size))

    def parameters(self, predicate: Sequence[str], *, is_auto: bool) -> dict[str, object]:
        """Return the parameters of OPTIMIZE."""
        return {
            "predicate": list(predicate),
            "zOrderBy": list(self.columns),
            "clusterBy": [],
            "auto": is_auto,
        }

    def stats(self, plan: RewritePlan) -> Mapping[str, Any]:
        """Return the statistics of the curve, in which all files of a table are one cube."""
        rewritten = {"num": plan.rewritten.num_rows, "size": total_bytes(plan.rewritten)}
        return {
            "zOrderStats": {
                "strategyName": "all",
                "inputCubeFiles": {"num": 0, "size": 0},
                "inputOtherFiles": rewritten,
                "inputNumCubes": 0,
                "mergedFiles": rewritten,
                "numOutputCubes": plan.partitions,
            }
        }
