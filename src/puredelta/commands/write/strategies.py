"""What each kind of overwriting has to say: which files go, and what was read to know it."""

from dataclasses import dataclass
from typing import Protocol

from puredelta.commands.rows.target import RemovedFiles, WriteTarget
from puredelta.engine.write.footers import WrittenFiles
from puredelta.log.files import add_files
from puredelta.txn.transaction import Transaction


class Replacement(Protocol):
    """One kind of overwriting, planned before anything is written."""

    @property
    def must_hold(self) -> str | None:
        """A condition, in SQL, that each new row must satisfy; None for none."""

    def replaced(self, written: WrittenFiles) -> RemovedFiles:
        """Say what goes, and write what stays of it.

        Args:
            written: the new files.
        """

    def track(
        self, transaction: Transaction, written: WrittenFiles, replaced: RemovedFiles
    ) -> None:
        """Record in the transaction what was read, so that it knows which commits conflict."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """An append."""

    @property
    def must_hold(self) -> str | None:
        """No condition."""
        return None

    def replaced(self, written: WrittenFiles) -> RemovedFiles:  # noqa: ARG002  # as of Replacement
        """Take nothing away."""
        return RemovedFiles()

    def track(
        self, transaction: Transaction, written: WrittenFiles, replaced: RemovedFiles
    ) -> None:
        """Depend on nothing."""


@dataclass(frozen=True, slots=True)
class WholeTable:
    """An overwrite of all that is there."""

    target: WriteTarget

    @property
    def must_hold(self) -> str | None:
        """No condition."""
        return None

    def replaced(self, written: WrittenFiles) -> RemovedFiles:  # noqa: ARG002  # as of Replacement
        """Take all files away."""
        return RemovedFiles(removed=add_files(self.target.before.files))

    def track(
        self,
        transaction: Transaction,
        written: WrittenFiles,  # noqa: ARG002
        replaced: RemovedFiles,  # noqa: ARG002
    ) -> None:
        """Depend on every file."""
        transaction.read_whole_table()
