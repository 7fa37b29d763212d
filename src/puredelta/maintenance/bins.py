"""Which files are written anew together: bins of one partition each, and the bins of a task."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

# As Spark has it: less than this is too little for a task, and more is not one task's.
_LEAST_BYTES = 4 << 20
_USUAL_BYTES = 128 << 20


@dataclass(frozen=True, slots=True)
class Bin:
    """Files of one partition that become one.

    Attributes:
        partition: Distinguishes the partition from others.
        places: Which files, by their places.
        bytes: How large they are.
    """

    partition: str
    places: tuple[int, ...]
    bytes: int


def bins_of(partitions: Sequence[str], sizes: Sequence[int], max_bytes: int) -> list[Bin]:
    """Put files of a partition together, small ones first, up to a size.

    Args:
        partitions: The partition of each file.
        sizes: How many bytes each has.
        max_bytes: What files in a bin have at most; one that is larger is alone.
    """
    bins: list[Bin] = []
    places: dict[str, list[int]] = defaultdict(list)
    for place in sorted(range(len(sizes)), key=sizes.__getitem__):
        places[partitions[place]].append(place)
    for partition, of_it in places.items():
        filled: list[int] = []
        room = max_bytes
        for place in of_it:
            if filled and sizes[place] > room:
                bins.append(Bin(partition, tuple(filled), max_bytes - room))
                filled, room = [], max_bytes
            filled.append(place)
            room -= sizes[place]
        bins.append(Bin(partition, tuple(filled), max_bytes - room))
    return bins


def tasks_of(bins: Sequence[Bin], parallelism: int) -> list[list[Bin]]:
    """Put bins of different partitions together, so that a task has enough to do.

    A task writes one file for each partition: two bins of one partition must not meet in it.

    Args:
        bins: The bins.
        parallelism: How many tasks run at once.
    """
    total = sum(group.bytes for group in bins)
    enough = min(_USUAL_BYTES, max(_LEAST_BYTES, total // max(parallelism, 1)))
    rounds: list[list[Bin]] = []
    seen: dict[str, int] = defaultdict(int)
    for group in bins:
        turn = seen[group.partition]
        seen[group.partition] += 1
        if turn == len(rounds):
            rounds.append([])
        rounds[turn].append(group)
    return [task for turn in rounds for task in _filled(turn, enough)]


def files_of(files: pa.Table, bins: Sequence[Bin]) -> pa.Table:
    """Return the files of some bins."""
    return files.take(pa.array([place for group in bins for place in group.places], pa.int64()))


def _filled(bins: Sequence[Bin], enough: int) -> list[list[Bin]]:
    tasks: list[list[Bin]] = []
    room = 0
    for group in bins:
        if not tasks or group.bytes > room:
            tasks.append([])
            room = enough
        tasks[-1].append(group)
        room -= group.bytes
    return tasks
