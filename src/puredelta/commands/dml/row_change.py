"""What DELETE, UPDATE and MERGE do to the files of a table, and the rows that they count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from puredelta.commands.rows.removed_files import marked_actions
from puredelta.engine.write.footers import NOTHING_WRITTEN, WrittenFiles
from puredelta.log.actions import Action, AddCdcFile, AddFile
from puredelta.log.files import to_remove_file
from puredelta.table.deletion_vectors.writing import NOTHING_MARKED, MarkedFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCounts:
    """How many rows a statement changed.

    Attributes:
        deleted: rows that are gone.
        updated: rows with other values.
        inserted: rows that are new.
        copied: rows that moved to another file as they are.
    """

    deleted: int = 0
    updated: int = 0
    inserted: int = 0
    copied: int = 0

    @property
    def changed(self) -> int:
        """How many rows are not as they were."""
        return self.deleted + self.updated + self.inserted


NO_ROWS = RowCounts()


@dataclass(frozen=True, slots=True, kw_only=True)
class RowChange:
    """What a statement does to the files of a table.

    Attributes:
        removed: files that go; what stays of their rows is in the new files.
        marked: files that lose rows by deletion vectors.
        written: new files.
        changes: change data files, for readers of the change data feed.
        rows: how many rows changed.
        is_counted: how many rows changed is known.
        new_first: new files are given before those that go, as delta-spark does for MERGE.
    """

    removed: Sequence[AddFile] = ()
    marked: MarkedFiles = NOTHING_MARKED
    written: WrittenFiles = NOTHING_WRITTEN
    changes: Sequence[AddCdcFile] = ()
    rows: RowCounts = NO_ROWS
    is_counted: bool = True
    new_first: bool = False

    @property
    def touched(self) -> list[AddFile]:
        """The files that are not in the table any more as they were."""
        return [*self.removed, *self.marked.before]

    def actions(self, *, with_stats: bool = True) -> list[Action]:
        """Return the records of the commit.

        Args:
            with_stats: new files get statistics.
        """
        new: Sequence[AddFile] = self.written.files
        if not with_stats:
            new = [msgspec.structs.replace(file, stats=None) for file in new]
        gone: list[Action] = [
            *map(to_remove_file, self.removed),
            *marked_actions(self.marked),
        ]
        actions: list[Action] = [*new, *self.changes]
        # The order has no meaning in the protocol; the log then looks like one of delta-spark.
        return [*actions, *gone] if self.new_first else [*gone, *actions]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What a DELETE or an UPDATE did.

    Attributes:
        version: the version that it made; the existing one when it made none.
        committed: it made a version.
        rows: how many rows it changed; None where nobody counted.
        metrics: what history says, in numbers.
        skipped: the application that writes has made this very change before.
    """

    version: int
    committed: bool = False
    rows: int | None = 0
    metrics: Mapping[str, str] = field(default_factory=dict)
    skipped: bool = False
