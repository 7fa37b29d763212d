"""What each kind of overwriting has to say: which files go, and what was read to know it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from puredelta.commands.replaced import shown
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.context import Context
from puredelta.engine.footers import Written
from puredelta.log.actions import AddFile, Metadata
from puredelta.log.files import add_files
from puredelta.log.snapshot import Snapshot
from puredelta.txn.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
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
class Replaced:
    """What a write takes out of a table.

    Attributes:
        removed: files that go.
        rewritten: files with the rows of those that stay.
        copied: how many rows these are.
        deleted: how many rows go, as far as statistics tell.
    """

    removed: Sequence[AddFile] = ()
    rewritten: Written = Written(files=(), empty=(), rows=0)
    deleted: int = 0

    @property
    def copied(self) -> int:
        """How many rows moved to other files."""
        return self.rewritten.rows


class Replacement(Protocol):
    """One kind of overwriting, planned before anything is written."""

    @property
    def must_hold(self) -> str | None:
        """A condition, in SQL, that each new row must satisfy; None for none."""

    def replaced(self, written: Written) -> Replaced:
        """Say what goes, and write what stays of it.

        Args:
            written: the new files.
        """

    def track(self, transaction: Transaction, written: Written, replaced: Replaced) -> None:
        """Tell the transaction what was read, so that it knows which winners are in the way."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """An append."""

    @property
    def must_hold(self) -> str | None:
        """No condition."""
        return None

    def replaced(self, written: Written) -> Replaced:  # noqa: ARG002  # as of Replacement
        """Take nothing away."""
        return Replaced()

    def track(self, transaction: Transaction, written: Written, replaced: Replaced) -> None:
        """Depend on nothing."""


@dataclass(frozen=True, slots=True)
class WholeTable:
    """An overwrite of all that is there."""

    target: Target

    @property
    def must_hold(self) -> str | None:
        """No condition."""
        return None

    def replaced(self, written: Written) -> Replaced:  # noqa: ARG002  # as of Replacement
        """Take all files away."""
        return Replaced(removed=add_files(self.target.before.files))

    def track(self, transaction: Transaction, written: Written, replaced: Replaced) -> None:  # noqa: ARG002
        """Depend on every file."""
        transaction.read_whole_table()


def read_files(transaction: Transaction, files: Sequence[AddFile]) -> None:
    """Tell a transaction of files that were read."""
    transaction.read_files(shown(files))
