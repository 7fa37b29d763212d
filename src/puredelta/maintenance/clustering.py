"""The plan of an OPTIMIZE of a clustered table, from the tags of its files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from puredelta.log.file_stats import num_records
from puredelta.log.files import num_deleted
from puredelta.maintenance.bins import Bin
from puredelta.maintenance.rewrite_plan import RewritePlan
from puredelta.table.clustering.zcubes import (
    ZCubeFile,
    ZCubePlan,
    ZCubeSizes,
    cube_of,
    plan_zcubes,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteredPlan(RewritePlan):
    """A plan whose bins become ZCubes.

    Attributes:
        zcubes: The cubes that the table has, and which files are taken.
    """

    zcubes: ZCubePlan


def plan_clustering(
    considered: pa.Table, columns: Sequence[str], sizes: ZCubeSizes, *, is_full: bool
) -> ClusteredPlan:
    """Choose the files that OPTIMIZE clusters, and put them into bins.

    Args:
        considered: The files of the table, as rows of `log.files.FILES`.
        columns: The names of the clustering columns, in order.
        sizes: When cubes are left alone, and how large they get.
        is_full: Whether files of other columns or providers are clustered too.
    """
    files = list(_zcube_files(considered))
    found = plan_zcubes(files, columns, sizes, full=is_full)
    bins = [Bin("", places, sum(files[place].size for place in places)) for places in found.bins]
    return ClusteredPlan(considered=considered, files=considered, bins=bins, zcubes=found)


def _zcube_files(files: pa.Table) -> Iterable[ZCubeFile]:
    columns = (
        files["size"].to_pylist(),
        num_records(files).to_pylist(),
        num_deleted(files).to_pylist(),
        files["tags"].to_pylist(maps_as_pydicts="strict"),
        files["clustering_provider"].to_pylist(),
    )
    for size, rows, deleted, tags, provider in zip(*columns, strict=True):
        # Without statistics a file counts in full: its cube must not grow past all bounds.
        live = size * (rows - deleted) / rows if rows and deleted else size
        yield ZCubeFile(size=size, live_size=live, cube=cube_of(tags), provider=provider)
