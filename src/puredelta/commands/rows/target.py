"""A table that is being written, and what a write takes out of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from puredelta.commands.table_ref import TableRef
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.session.context import Context
from puredelta.engine.write.footers import NOTHING_WRITTEN, WrittenFiles
from puredelta.log.actions import AddCdcFile, AddFile, Metadata
from puredelta.log.snapshot import Snapshot
from puredelta.table.deletion_vectors.writing import NOTHING_MARKED, MarkedFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteTarget:
    """A table that is being written.

    Attributes:
        context: the session.
        table: the table.
        before: the version that is read.
        metadata: what the table's metadata is after the write.
        options: the writer's options.
    """

    context: Context
    table: TableRef
    before: Snapshot
    metadata: Metadata
    options: WriteOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedFiles:
    """What a write takes out of a table.

    Attributes:
        removed: files that go.
        marked: files that lose rows by deletion vectors.
        rewritten: files with the rows of those that stay.
        deleted: how many rows go, as far as statistics say.
        changes: files that say what changed, where those above don't; then what is new, too.
    """

    removed: Sequence[AddFile] = ()
    marked: MarkedFiles = NOTHING_MARKED
    rewritten: WrittenFiles = NOTHING_WRITTEN
    deleted: int = 0
    changes: Sequence[AddCdcFile] = ()

    @property
    def copied(self) -> int:
        """How many rows moved to other files."""
        return self.rewritten.rows
