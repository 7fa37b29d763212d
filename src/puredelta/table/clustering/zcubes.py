"""ZCubes: files that one OPTIMIZE has clustered together, as their tags record it.

A later OPTIMIZE merges small cubes and files without one, and leaves large cubes alone: that is
what makes clustering incremental.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from puredelta.log.actions import AddFile

PROVIDER = "liquid"

_ID = "ZCUBE_ID"
_COLUMNS = "ZCUBE_ZORDER_BY"
_CURVE = "ZCUBE_ZORDER_CURVE"


class ZCube(NamedTuple):
    """A cube: its id, and the names of the columns by which its rows are ordered."""

    id: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ZCubeFile:
    """What the choice of files to cluster depends on.

    Attributes:
        size: The size of the file in bytes.
        live_size: The part of it that belongs to rows that are not deleted.
        cube: The cube of the file, if it is in one.
        provider: Which implementation has clustered the file, if any has.
    """

    size: int
    live_size: float
    cube: ZCube | None
    provider: str | None

    def is_ours(self, columns: tuple[str, ...]) -> bool:
        """Return whether OPTIMIZE may merge the file without being asked for a full run."""
        if self.provider not in (None, PROVIDER):
            return False
        return self.cube is None or self.cube.columns == columns


@dataclass(frozen=True, slots=True, kw_only=True)
class ZCubeSizes:
    """When a cube is left alone, and how large a new one gets, in bytes.

    Attributes:
        stable: From this size on a cube stays as it is.
        target: How large a new cube gets.
    """

    stable: int
    target: int


class FileCount(NamedTuple):
    """How many files, and their total size in bytes."""

    files: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ZCubePlan:
    """Which files become which new cubes.

    Attributes:
        bins: The positions of the files of each new cube.
        in_cubes: Files in cubes that are input.
        others: The remaining files.
        cubes: How many cubes are input.
    """

    bins: Sequence[tuple[int, ...]]
    in_cubes: FileCount
    others: FileCount
    cubes: int


def cube_of(tags: Mapping[str, str | None] | None) -> ZCube | None:
    """Return the cube that the tags of a file name; None where they name none.

    >>> cube_of({"ZCUBE_ID": "1", "ZCUBE_ZORDER_BY": '["a"]'})
    ZCube(id='1', columns=('a',))
    """
    found, columns = (tags or {}).get(_ID), (tags or {}).get(_COLUMNS)
    if found is None or columns is None:
        return None
    try:
        return ZCube(found, tuple(msgspec.json.decode(columns, type=list[str])))
    except msgspec.DecodeError:
        # Tags are free text of any writer. A file whose cube cannot be read is like one without.
        return None


def in_cube(file: AddFile, cube: ZCube) -> AddFile:
    """Return a new file as part of a cube."""
    names = json.dumps(list(cube.columns), separators=(",", ":"), ensure_ascii=False)
    tags = {key: value for key, value in (file.tags or {}).items() if key != _CURVE}
    return msgspec.structs.replace(
        file, tags={**tags, _ID: cube.id, _COLUMNS: names}, clustering_provider=PROVIDER
    )


def plan_zcubes(
    files: Sequence[ZCubeFile], columns: Sequence[str], sizes: ZCubeSizes, *, full: bool
) -> ZCubePlan:
    """Choose the files that OPTIMIZE clusters, and divide them into new cubes.

    Args:
        files: The files of the table.
        columns: The names of its clustering columns, in order.
        sizes: When cubes are left alone, and how large they get.
        full: Whether files that are ordered by other columns, or by another provider, are clustered
            too.
    """
    wanted = tuple(columns)
    ours = [file.is_ours(wanted) for file in files]
    # Without foreign files there is nothing that a full run does and a normal one does not.
    takes_all = full and not all(ours)
    is_input = [
        file.cube is not None and (mine or takes_all)
        for file, mine in zip(files, ours, strict=True)
    ]
    considered = [place for place, mine in enumerate(ours) if mine or takes_all]
    stable = _stable_cubes(files, wanted, sizes.stable)
    chosen = [place for place in considered if files[place].cube not in stable]
    cubes = {files[place].cube for place in chosen}
    # One cube alone is as it should be, unless files without a cube are to be added to it.
    is_done = not takes_all and len(cubes) == 1 and None not in cubes
    chosen.sort(key=lambda place: cube.id if (cube := files[place].cube) is not None else "")
    most = max(sizes.target, sizes.stable)
    return ZCubePlan(
        bins=[] if is_done else _bins(chosen, files, most),
        in_cubes=_count(file for file, counts in zip(files, is_input, strict=True) if counts),
        others=_count(file for file, counts in zip(files, is_input, strict=True) if not counts),
        cubes=len({file.cube for file, counts in zip(files, is_input, strict=True) if counts}),
    )


def _stable_cubes(
    files: Iterable[ZCubeFile], columns: tuple[str, ...], enough: int
) -> set[ZCube | None]:
    """Return the cubes that are ordered by some columns and large enough to be left alone."""
    sizes: dict[ZCube, float] = {}
    for file in files:
        # A foreign provider may write tags of the same names; these say nothing about our cubes.
        if file.cube is not None and file.is_ours(columns):
            sizes[file.cube] = sizes.get(file.cube, 0) + file.live_size
    return {cube for cube, size in sizes.items() if size >= enough}


def _bins(places: Sequence[int], files: Sequence[ZCubeFile], most: int) -> list[tuple[int, ...]]:
    bins: list[list[int]] = []
    room = 0
    for place in places:
        if not bins or files[place].size > room:
            bins.append([])
            room = most
        bins[-1].append(place)
        room -= files[place].size
    return [tuple(places) for places in bins]


def _count(files: Iterable[ZCubeFile]) -> FileCount:
    sizes = [file.size for file in files]
    return FileCount(len(sizes), sum(sizes))
