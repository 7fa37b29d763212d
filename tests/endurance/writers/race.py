"""A race: processes that write one table at once, and the history that they leave."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from puredelta import open_table, write_table
from tests.endurance.writers.checker import History
from tests.endurance.writers.operations import State
from tests.endurance.writers.plain_engine import arrow_rows
from tests.endurance.writers.records import read_notes

ROOT = Path(__file__).parents[3]
FIRST: State = Counter((id_, 0) for id_ in range(0, 20, 2))
ENGINES = Path(__file__).parent

Command = Sequence[str]


def engine(module: str, *before: str) -> Command:
    """Return the command that starts an engine, without its arguments."""
    return [sys.executable, *before, str(ENGINES / f"{module}.py")]


class Race:
    """A table, and the processes that write it.

    Args:
        folder: a place for the table and the notes.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "table"
        self._folder = folder
        self._stop = folder / "stop"
        self._notes: list[Path] = []
        self._running: list[subprocess.Popen[bytes]] = []
        properties = {"delta.checkpointInterval": "7"}
        write_table(self.path, arrow_rows(sorted(FIRST.elements())), properties=properties)

    def start(
        self, command: Command, share: int = 1_000_000, **variables: str
    ) -> "subprocess.Popen[bytes]":
        """Start one more writer, which makes its share of operations at most."""
        notes = self._folder / f"notes-{len(self._notes)}"
        notes.touch()
        path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
        arguments = [str(self.path), str(len(self._notes)), str(notes), str(self._stop), str(share)]
        with (self._folder / f"errors-{len(self._notes)}").open("wb") as errors:
            process = subprocess.Popen(
                [*command, *arguments],
                env={**os.environ, "PYTHONPATH": path, **variables},
                stdout=subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
        self._notes.append(notes)
        self._running.append(process)
        return process

    def go(self) -> None:
        """Let all writers begin, once each of them is ready."""
        while not all(notes.with_suffix(".ready").exists() for notes in self._notes):
            assert all(process.poll() is None for process in self._running)
            time.sleep(0.05)
        (self._folder / "go").touch()

    def is_over(self) -> bool:
        """Say whether all writers have ended."""
        return all(process.poll() is not None for process in self._running)

    @property
    def version(self) -> int:
        """The newest version."""
        names = [file.stem for file in (self.path / "_delta_log").glob("*.json")]
        return max(int(name) for name in names if name.isdigit())

    def wait(self, is_over: Callable[[], bool], seconds: float) -> None:
        """Let all write until it is over, or the time is up."""
        end = time.monotonic() + seconds
        while not is_over() and time.monotonic() < end:
            time.sleep(0.05)

    def end(self) -> None:
        """Let all writers come to their end."""
        self._stop.touch()
        for process in self._running:
            process.wait(timeout=300)

    def history(self) -> History:
        """Return what all asked and were told, and the versions that are there."""
        noted = [read_notes(notes) for notes in self._notes]
        asked = [one for some, _ in noted for one in some]
        reads = [read for _, some in noted for read in some]
        return History(FIRST, self._tokens(), asked, reads)

    def rows(self) -> tuple[int, State]:
        """Return the newest version and its rows, read without Spark."""
        table = open_table(self.path)
        columns = table.to_arrow().select(["id", "v"]).to_pydict().values()
        return table.version, Counter(zip(*columns, strict=True))

    def _tokens(self) -> list[str | None]:
        names = sorted((self.path / "_delta_log").glob("[0-9]*.json"))
        names = [name for name in names if name.stem.isdigit()]
        assert [int(name.stem) for name in names] == list(range(len(names)))
        return [_token(name) for name in names[1:]]


def _token(commit: Path) -> str | None:
    for line in commit.read_text().splitlines():
        info = json.loads(line).get("commitInfo")
        if info is not None:
            token: str | None = info.get("userMetadata")
            return token
    return None
