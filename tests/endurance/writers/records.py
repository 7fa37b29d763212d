"""What a writer notes down: each thing that it asked, and what it was told; a line each.

The line of a question is written before it is asked: where the answer is missing, the outcome is
unknown. Times are of the system's monotonic clock, which all processes share.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from tests.endurance.writers.operations import Operation, State

MADE, FAILED, UNKNOWN = "made", "failed", "unknown"


@dataclass(frozen=True)
class Asked:
    """An operation, and how it ended.

    Attributes:
        operation: what was asked.
        start: when.
        end: when the answer came; None where none came.
        outcome: `made`, `failed` (told that nothing was committed), or `unknown`.
        version: the version that was told; None for none.
        error: what was told of the failure.
    """

    operation: Operation
    start: float
    end: float | None
    outcome: str
    version: int | None = None
    error: str = ""


@dataclass(frozen=True)
class Read:
    """The rows of the newest version, as a reader saw them.

    Attributes:
        reader: who.
        start: when it asked.
        end: when it had them.
        version: what it was told is the newest.
        rows: its rows.
    """

    reader: str
    start: float
    end: float
    version: int
    rows: State


class Notes:
    """Writes down what one writer asks, and what it is told."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def asks(self, operation: Operation) -> None:
        """Note an operation that is asked for next."""
        self._write("asks", operation=asdict(operation))

    def is_told(
        self, token: str, outcome: str, version: int | None = None, error: str = ""
    ) -> None:
        """Note how it ended."""
        self._write("told", token=token, outcome=outcome, version=version, error=error[:500])

    def reads(self, reader: str, start: float, version: int, rows: list[tuple[int, int]]) -> None:
        """Note what was read."""
        self._write("read", reader=reader, start=start, version=version, rows=sorted(rows))

    def _write(self, kind: str, **what: Any) -> None:
        line = json.dumps({"kind": kind, "at": time.monotonic(), **what})
        print(line, file=self._file, flush=True)


def read_notes(path: Path) -> tuple[list[Asked], list[Read]]:
    """Return what a writer noted, in its order."""
    lines = [json.loads(line) for line in _whole_lines(path)]
    told = {line["token"]: line for line in lines if line["kind"] == "told"}
    asked = [_asked(line, told) for line in lines if line["kind"] == "asks"]
    return asked, [_read(line) for line in lines if line["kind"] == "read"]


def _whole_lines(path: Path) -> Iterator[str]:
    """Yield all lines but one that a killed writer did not end."""
    for line in path.read_text().splitlines(keepends=True):
        if line.endswith("\n"):
            yield line


def _asked(line: dict[str, Any], told: dict[str, dict[str, Any]]) -> Asked:
    given = dict(line["operation"])
    given["ids"] = tuple(given["ids"])
    operation = Operation(**given)
    answer = told.get(operation.token)
    if answer is None:
        return Asked(operation, line["at"], None, UNKNOWN)
    end = answer["at"]
    return Asked(operation, line["at"], end, answer["outcome"], answer["version"], answer["error"])


def _read(line: dict[str, Any]) -> Read:
    rows = Counter((id_, v) for id_, v in line["rows"])
    return Read(line["reader"], line["start"], line["at"], line["version"], rows)
