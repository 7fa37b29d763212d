"""What a hostile kind is: how a sound table becomes hostile, and what must hold for it then."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

Change = Callable[[Path], None]
"""Makes a table hostile, given its folder."""


class Outcome(Enum):
    """What reading the rows of a hostile table may give.

    Whatever it is, any error is a `DeltaError`, and nothing takes long or much memory.
    """

    SOUND = "the rows of the sound table"
    REFUSED = "an error"
    EITHER = "the rows of the sound table, or an error"
    UNKNOWN = "other rows, which only the log can say, or an error"


@dataclass(frozen=True)
class Kind:
    """A kind of hostile tables.

    Attributes:
        name: Of the kind, unique.
        change: Makes the table hostile.
        outcome: What reading its rows may give.
        table: The sound table that it starts from, by its name in `sound_tables`.
        subject: The module that it is in.
    """

    name: str
    change: Change
    outcome: Outcome
    table: str
    subject: str


class Kinds:
    """The kinds of one subject.

    Args:
        subject: What they are about.
        table: The sound table that they start from, unless they say otherwise.
    """

    def __init__(self, subject: str, table: str = "plain") -> None:
        self.subject = subject
        self.table = table
        self.found: list[Kind] = []

    def sound(self, name: str, *changes: Change, table: str = "") -> None:
        """Add a kind whose rows are those of the sound table."""
        self._add(name, changes, Outcome.SOUND, table)

    def refused(self, name: str, *changes: Change, table: str = "") -> None:
        """Add a kind whose rows cannot be read."""
        self._add(name, changes, Outcome.REFUSED, table)

    def either(self, name: str, *changes: Change, table: str = "") -> None:
        """Add a kind whose rows are right if they can be read."""
        self._add(name, changes, Outcome.EITHER, table)

    def unknown(self, name: str, *changes: Change, table: str = "") -> None:
        """Add a kind of which only the log can say what its rows are."""
        self._add(name, changes, Outcome.UNKNOWN, table)

    def _add(self, name: str, changes: Iterable[Change], outcome: Outcome, table: str) -> None:
        every = tuple(changes)

        def change(folder: Path) -> None:
            for one in every:
                one(folder)

        self.found.append(Kind(name, change, outcome, table or self.table, self.subject))
