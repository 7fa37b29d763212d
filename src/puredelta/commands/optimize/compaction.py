"""The layout of plain OPTIMIZE: small files of a partition become one, their rows as they come."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from puredelta.commands.optimize.bin_writing import write_bins
from puredelta.commands.optimize.layout import partitions_of
from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.write.footers import WrittenFiles
from puredelta.maintenance.bins import Bin
from puredelta.maintenance.compaction import CompactionLimits, plan_compaction
from puredelta.maintenance.rewrite_plan import RewritePlan


@dataclass(frozen=True, slots=True)
class CompactionLayout:
    """Small files become large ones.

    Attributes:
        limits: what is small, and how large a new file may be.
    """

    limits: CompactionLimits

    def plan(self, target: WriteTarget, considered: pa.Table) -> RewritePlan:
        """Put small files, and those with many deleted rows, into bins by partition."""
        return plan_compaction(considered, partial(partitions_of, target), self.limits)

    def write(self, target: WriteTarget, files: pa.Table, bins: Sequence[Bin]) -> WrittenFiles:
        """Write one file for each bin."""
        return write_bins(target, files, bins)

    def parameters(self, predicate: Sequence[str], *, is_auto: bool) -> dict[str, object]:
        """Return the parameters of OPTIMIZE."""
        return {
            "predicate": list(predicate),
            "zOrderBy": [],
            "clusterBy": [],
            "auto": is_auto,
        }

    def stats(self, plan: RewritePlan) -> Mapping[str, Any]:  # noqa: ARG002  # Protocol
        """Return nothing: what compaction does is in the counts of files."""
        return MappingProxyType({})
