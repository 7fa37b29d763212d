"""What each kind of overwriting has to say: which files go, and what was read to know it."""

from dataclasses import dataclass
from typing import Protocol

from puredelta.commands.rows.target import Replaced, Target
from puredelta.engine.write.footers import Written
from puredelta.log.files import add_files
from puredelta.txn.transaction import Transaction


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
