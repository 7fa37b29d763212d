"""What every writer does: choose an operation, ask for it, note the answer, and sometimes read."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Protocol

from tests.endurance.writers.operations import Chooser, Operation
from tests.endurance.writers.records import FAILED, MADE, UNKNOWN, Notes

Rows = list[tuple[int, int]]


class RefusedError(Exception):
    """An engine says that it has committed nothing, for another writer came first."""


class Engine(Protocol):
    """One engine at work on the table."""

    name: str

    def run(self, operation: Operation) -> int | None:
        """Carry an operation out, and return its version; None where it is not told.

        Raises:
            RefusedError: nothing was committed.
        """

    def read(self) -> tuple[int, Rows]:
        """Return the newest version, and its rows."""


def write(engine: Engine, chooser: Chooser, notes: Path, stop: Path, share: int) -> None:
    """Write once all are ready, until a file says to stop or this writer's share is made.

    Args:
        engine: who writes.
        chooser: what.
        notes: the file of what was asked and told.
        stop: that file; beside it, `go` says that all are ready.
        share: how many operations to make.
    """
    notes.with_suffix(".ready").touch()
    while not stop.with_name("go").exists():
        time.sleep(0.02)
    made = 0
    with notes.open("a") as file:
        noted = Notes(file)
        while made < share and not stop.exists():
            made += _ask(engine, chooser.next(), noted)
            if chooser.reads():
                start = time.monotonic()
                version, rows = engine.read()
                noted.reads(engine.name, start, version, rows)


def _ask(engine: Engine, operation: Operation, noted: Notes) -> bool:
    """Ask for an operation, and say whether it was made."""
    noted.asks(operation)
    try:
        version = engine.run(operation)
    except RefusedError as error:
        noted.is_told(operation.token, FAILED, error=str(error))
    # Whatever else an engine says does not tell whether it has committed.
    except Exception as error:  # noqa: BLE001
        noted.is_told(operation.token, UNKNOWN, error=f"{type(error).__name__}: {error}")
    else:
        noted.is_told(operation.token, MADE, version=version)
        return True
    return False
