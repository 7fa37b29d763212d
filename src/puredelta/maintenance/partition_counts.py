"""How many files came to each partition since this process compacted it: when auto compaction runs.

The counts are of this process alone and estimates: what other processes write is not counted, and
a compaction looks at the files that are there. As in delta-spark, a partition that this process
has not compacted yet qualifies at once.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock


@dataclass(slots=True)
class _TableCounts:
    """What is known of one table."""

    files: Counter[str] = field(default_factory=Counter)
    compacted: set[str] = field(default_factory=set)


class PartitionCounts:
    """Counts of files by table and partition, for all threads of a process.

    >>> counts = PartitionCounts()
    >>> counts.add("t", {"p=1": 30}, most_tables=10)
    >>> counts.due("t", ["p=1"], 50)
    ['p=1']
    >>> counts.start_again("t", ["p=1"])
    >>> counts.due("t", ["p=1"], 50)
    []
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._tables: OrderedDict[str, _TableCounts] = OrderedDict()
        self._reserved: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, table: str, files: Mapping[str, int], *, most_tables: int) -> None:
        """Count files that came, or went.

        Args:
            table: the id of a table.
            files: how many more, or fewer, each partition has.
            most_tables: so many tables are remembered; those that were seen last.
        """
        with self._lock:
            counts = self._tables.setdefault(table, _TableCounts())
            self._tables.move_to_end(table)
            for partition, number in files.items():
                counts.files[partition] = max(0, counts.files[partition] + number)
            while len(self._tables) > max(1, most_tables):
                self._tables.popitem(last=False)

    def due(self, table: str, partitions: Iterable[str], least: int) -> list[str]:
        """Return the partitions that are to be compacted.

        Args:
            table: the id of a table.
            partitions: those to choose from.
            least: a partition that was compacted before is due from so many files on.
        """
        with self._lock:
            counts = self._tables.get(table) or _TableCounts()
            return [
                partition
                for partition in partitions
                if partition not in counts.compacted or counts.files[partition] >= least
            ]

    def start_again(self, table: str, partitions: Iterable[str]) -> None:
        """Count from nothing, for partitions that were compacted."""
        with self._lock:
            counts = self._tables.setdefault(table, _TableCounts())
            for partition in partitions:
                counts.compacted.add(partition)
                counts.files[partition] = 0

    @contextmanager
    def reserved(self, table: str, partitions: Iterable[str]) -> Iterator[list[str]]:
        """Keep other threads from compacting the same partitions; yields those that were free."""
        with self._lock:
            taken = self._reserved[table]
            free = [partition for partition in partitions if partition not in taken]
            taken.update(free)
        try:
            yield free
        finally:
            with self._lock:
                self._reserved[table].difference_update(free)
