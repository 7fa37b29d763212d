"""A process of its own that reads hostile tables: it may crash, hang or run out of memory."""

from __future__ import annotations

import json
import logging
import os
import resource
import selectors
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

from tests.endurance.hostile.reading import READINGS, SECONDS, OpenedFiles, forget_peak, read_all

_MOST_BYTES = 3 * 2**30
# Besides the time that a table may take: a child that starts loads its packages first.
_START = 60.0


class Reader:
    """Lets a child read tables, one after the other; a child that dies is replaced."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None

    def read(self, path: Path, readings: list[str] | None = None) -> dict[str, Any]:
        """Read a table in every way, or in some; see `reading.read_all`.

        Raises:
            AssertionError: The child died, or took longer than a table may take.
        """
        child = self._started()
        assert child.stdin
        assert child.stdout
        request = {"path": str(path), "readings": readings or list(READINGS)}
        child.stdin.write(json.dumps(request).encode() + b"\n")
        child.stdin.flush()
        line = _line(child, 4 * SECONDS)
        if line is None:
            self.close()
            raise AssertionError(f"reading {path} hangs")
        if not line:
            code = child.wait()
            self.close()
            raise AssertionError(f"reading {path} ends the process with {code}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.kill()
            self._child.communicate()
            self._child = None

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            self._child = subprocess.Popen(
                [sys.executable, "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=Path(__file__).parents[3],
                env={**os.environ, "TZ": "UTC"},
            )
            assert _line(self._child, _START) == b"ready\n"
        return self._child


def _line(child: subprocess.Popen[bytes], seconds: float) -> bytes | None:
    assert child.stdout
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        return child.stdout.readline() if selector.select(seconds) else None


def main() -> None:
    """Read the tables that standard input names, and answer a line for each."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
    # Core files of crashes help nobody.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # What the package prints is not to be taken for an answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    opened = OpenedFiles()
    answers.write(b"ready\n")
    answers.flush()
    for line in sys.stdin:
        request = json.loads(line)
        forget_peak()
        answer = read_all(Path(request["path"]), opened, request["readings"])
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
