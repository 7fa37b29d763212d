"""A process that has loaded everything, and starts a child of itself for each statement.

A line of its input names the case, the table's URL and what it takes to get in; a line of its
output tells whether the child told of success, its exit status, and the error that it told of.
"""

import contextlib
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.endurance.kills.interposer import before_reply
from tests.endurance.kills.plain_cases import CASES

ROOT = Path(__file__).parents[3]
SUCCESS = b"done"


@dataclass(frozen=True)
class Outcome:
    """How a child ended: what it told its caller before, and its status as `waitpid` gives it."""

    told: str
    status: int

    @property
    def is_success(self) -> bool:
        """Whether the caller was told of success."""
        return self.told == SUCCESS.decode()


class Children:
    """The process that starts children, seen by the one that asks it."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(self, case: str, url: str, options: Mapping[str, str]) -> Outcome:
        """Let a child run the statement of a case."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([case, url, dict(options)]), file=self._process.stdin, flush=True)
        return Outcome(*json.loads(self._process.stdout.readline()))


@contextlib.contextmanager
def children(variables: Mapping[str, str]) -> Iterator[Children]:
    """Start the process under some variables of the environment; end it in the end."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    with subprocess.Popen(
        [sys.executable, "-m", "tests.endurance.kills.plain_children"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path, **variables},
    ) as process:
        assert process.stdin is not None
        try:
            yield Children(process)
        finally:
            process.stdin.close()


def main() -> None:
    """Start a child for each line."""
    for line in sys.stdin:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _run(writer, *json.loads(line))
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            told = pipe.read().decode()
        _, status = os.waitpid(child, 0)
        print(json.dumps([told, status]), flush=True)


def _run(writer: int, case: str, url: str, options: Mapping[str, str]) -> None:
    try:
        CASES[case].run(url, options)
        before_reply()
        os.write(writer, SUCCESS)
    except BaseException:  # noqa: BLE001  # the child tells of everything, and ends in any case
        os.write(writer, traceback.format_exc().encode()[-4000:])
    os._exit(0)


if __name__ == "__main__":
    main()
