"""The layout of REORG on clustered tables: purged files stay in their ZCube or become a new one."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from puredelta.commands.optimize.bin_writing import joined, write_bins
from puredelta.commands.optimize.clustering import ClusteringLayout
from puredelta.commands.optimize.layout import Choice, reorg_parameters
from puredelta.commands.rows.target import WriteTarget
from puredelta.engine.write.footers import WrittenFiles
from puredelta.log.actions import AddFile
from puredelta.log.files import add_files
from puredelta.maintenance.bins import Bin, bins_of, files_of
from puredelta.maintenance.clustering import ClusteredPlan
from puredelta.maintenance.rewrite_plan import RewritePlan
from puredelta.table.clustering.zcubes import ZCube, cube_of


class _Place(NamedTuple):
    """Where a file stands in the clustering of its table."""

    cube: ZCube | None
    provider: str | None


@dataclass(frozen=True, slots=True)
class ClusteredPurging:
    """Purged files that OPTIMIZE would cluster become new cubes; the others keep their own.

    Attributes:
        choose: which files are written anew.
        clustering: how OPTIMIZE lays out the rows.
    """

    choose: Choice
    clustering: ClusteringLayout

    def plan(self, target: WriteTarget, considered: pa.Table) -> ClusteredPlan:
        """Put files into bins as OPTIMIZE does, and by cube what it would leave alone.

        A large cube, and a single one, have nothing to be clustered; their rows are purged too.
        """
        files = self.choose(target, considered)
        found = self.clustering.plan(target, files)
        taken = {place for group in found.bins for place in group.places}
        left = [place for place in range(files.num_rows) if place not in taken]
        kept = _bins_by_place(files, left, self.clustering.max_file_size)
        return replace(found, considered=considered, bins=[*found.bins, *kept])

    def write(self, target: WriteTarget, files: pa.Table, bins: Sequence[Bin]) -> WrittenFiles:
        """Write new cubes along the curve, and the bins of one cube as files of that cube."""
        new: list[Bin] = []
        kept: dict[_Place, list[Bin]] = defaultdict(list)
        for group in bins:
            places = set(map(_place_of, add_files(files_of(files, [group]))))
            place = places.pop()
            if places or place == _Place(None, None):
                new.append(group)
            else:
                kept[place].append(group)
        parts = (_as_before(write_bins(target, files, some), files, some) for some in kept.values())
        return reduce(joined, parts, self.clustering.write(target, files, new))

    def parameters(self, predicate: Sequence[str], *, is_auto: bool) -> dict[str, object]:  # noqa: ARG002  # Protocol
        """Return the parameters of REORG."""
        return reorg_parameters(predicate)

    def stats(self, plan: RewritePlan) -> Mapping[str, Any]:
        """Return the statistics of the cubes."""
        return self.clustering.stats(plan)


def _place_of(file: AddFile) -> _Place:
    return _Place(cube_of(file.tags), file.clustering_provider)


def _bins_by_place(files: pa.Table, places: Sequence[int], most: int) -> list[Bin]:
    """Put files of one cube together, up to a size; the places in bins are those in `files`."""
    some = files.take(pa.array(places, pa.int64()))
    cubes = [repr(_place_of(file)) for file in add_files(some)]
    return [
        # Clustered tables have one partition.
        Bin("", tuple(places[place] for place in group.places), group.bytes)
        for group in bins_of(cubes, some["size"].to_pylist(), most)
    ]


def _as_before(written: WrittenFiles, files: pa.Table, bins: Sequence[Bin]) -> WrittenFiles:
    """Give new files the tags and the provider of the old ones, which are all of one cube."""
    old = add_files(files_of(files, bins[:1]))[0]
    marked = (
        msgspec.structs.replace(file, tags=old.tags, clustering_provider=old.clustering_provider)
        for file in written.files
    )
    return replace(written, files=tuple(marked))
