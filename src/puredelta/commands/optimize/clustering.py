"""The layout of clustered tables: small ZCubes and new files, along a Hilbert curve."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from puredelta.commands.optimize.bin_writing import write_each_bin
from puredelta.commands.optimize.curve import curve_of
from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.write.footers import WrittenFiles
from puredelta.log.files import total_bytes
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.bins import Bin
from puredelta.maintenance.clustering import ClusteredPlan, plan_clustering
from puredelta.maintenance.rewrite_plan import RewritePlan
from puredelta.schema.column_path import quote_path
from puredelta.table.clustering import logical_columns
from puredelta.table.clustering.zcubes import FileCount, ZCube, ZCubeSizes, in_cube


@dataclass(frozen=True, slots=True)
class ClusteringLayout:
    """Rows with similar values in all clustering columns lie in the same files.

    Attributes:
        columns: the clustering columns, in SQL.
        is_full: also files that other columns or another engine have clustered are rewritten.
        max_file_size: how many bytes a new file has, about.
    """

    columns: Sequence[str]
    is_full: bool
    max_file_size: int

    def plan(self, target: WriteTarget, considered: pa.Table) -> ClusteredPlan:
        """Choose small cubes and files that are in none, and put them together to new cubes."""
        chosen = target.context.settings.optimize
        sizes = ZCubeSizes(stable=chosen.stable_cube_size, target=chosen.target_cube_size)
        return plan_clustering(considered, self.columns, sizes, is_full=self.is_full)

    def write(self, target: WriteTarget, files: pa.Table, bins: Sequence[Bin]) -> WrittenFiles:
        """Write each bin as a cube of its own, which the tags of its files name."""
        curve = curve_of(target, self.columns, is_hilbert=True)
        size = self.max_file_size
        return write_each_bin(target, files, bins, curve, size, self._as_cube)

    def parameters(self, predicate: Sequence[str], *, is_auto: bool) -> dict[str, object]:
        """Return the parameters of OPTIMIZE, in the order that clustered tables have."""
        return {
            "clusterBy": list(self.columns),
            "predicate": list(predicate),
            "auto": is_auto,
            "isFull": self.is_full,
            "zOrderBy": [],
        }

    def stats(self, plan: RewritePlan) -> Mapping[str, Any]:
        """Return the statistics of the cubes, also where there was nothing to do."""
        if not isinstance(plan, ClusteredPlan):
            raise TypeError(plan)
        merged = FileCount(plan.rewritten.num_rows, total_bytes(plan.rewritten))
        return {
            "clusteringStats": {
                "inputZCubeFiles": _shown(plan.zcubes.in_cubes),
                "inputOtherFiles": _shown(plan.zcubes.others),
                "inputNumZCubes": plan.zcubes.cubes,
                "mergedFiles": _shown(merged),
                "numOutputZCubes": len(plan.bins),
            }
        }

    def _as_cube(self, written: WrittenFiles) -> WrittenFiles:
        cube = ZCube(str(uuid.uuid4()), tuple(self.columns))
        return replace(written, files=tuple(in_cube(file, cube) for file in written.files))


def clustering_names(before: Snapshot) -> list[str]:
    """Return the clustering columns of a version, in SQL; none where it is not clustered."""
    paths = logical_columns(before.domains.values(), before.schema)
    return list(map(quote_path, paths))


def _shown(count: FileCount) -> dict[str, int]:
    return {"numFiles": count.files, "size": count.size}
