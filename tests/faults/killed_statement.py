"""A statement in a Spark process of its own, killed at a step of its driver or of its JVM.

The steps of the driver are counted in it, exactly (`spark_statement`). Those of the JVM are seen
from outside: the kernel reports each change of the table's folder, and at the chosen one the
process gets its SIGKILL.
"""

import ctypes
import os
import select
import signal
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SCRIPT = Path(__file__).parent / "spark_statement.py"
NEVER = -1
SECONDS = 300

# linux/inotify.h: a file is written to, closed, moved, made or deleted.
_MODIFY, _CLOSE_WRITE, _MOVED, _CREATE, _DELETE = 0x2, 0x8, 0xC0, 0x100, 0x200
_CHANGES = _MODIFY | _CLOSE_WRITE | _MOVED | _CREATE | _DELETE
_EVENT = struct.Struct("iIII")


@dataclass(frozen=True)
class KillAt:
    """The step at which a process is killed.

    Attributes:
        kind: `driver`, a call of the system by Python, or `folder`, a change of the folder.
        number: Which one, from 0.
    """

    kind: str
    number: int


@dataclass(frozen=True)
class Steps:
    """What a statement that nobody killed did: calls by its driver, changes of the folder."""

    driver: int
    folder: int

    def spread(self, kills):
        """Return as many steps of each kind, from the first to the last; all when they are few."""
        for kind, number in (("driver", self.driver), ("folder", self.folder)):
            count = min(kills, number)
            for one in range(count):
                yield KillAt(kind, (2 * one + 1) * number // (2 * count))


class Changes:
    """The changes of a folder, at any depth, as the kernel reports them."""

    def __init__(self, folder):
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._handle = self._libc.inotify_init()
        self._folders = {}
        for one in (folder, *Path(folder).rglob("*/")):
            self._watch(Path(one))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._handle)

    def read(self, seconds):
        """Return how many changes came; 0 when none came in this time."""
        if not select.select([self._handle], [], [], seconds)[0]:
            return 0
        data, start, found = os.read(self._handle, 1 << 16), 0, 0
        while start < len(data):
            watch, mask, _, length = _EVENT.unpack_from(data, start)
            start += _EVENT.size
            name = data[start : start + length].rstrip(b"\0").decode()
            start += length
            made = self._folders.get(watch, Path()) / name
            if mask & _CREATE and made.is_dir():
                self._watch(made)
            found += 1
        return found

    def _watch(self, folder):
        if folder.is_dir():
            number = self._libc.inotify_add_watch(self._handle, os.fsencode(folder), _CHANGES)
            assert number >= 0, os.strerror(ctypes.get_errno())
            self._folders[number] = folder


class Killed:
    """A process that waits for the word to run a statement, and dies at a step of it."""

    def __init__(self, folder, statement, kill_at=None, settings=()):
        self._folder = folder
        self._kill_at = kill_at or KillAt("driver", NEVER)
        number = self._kill_at.number if self._kill_at.kind == "driver" else NEVER
        self._process = subprocess.Popen(
            [sys.executable, str(SCRIPT), str(folder), str(number), statement, *settings],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self):
        """Run the statement until it is killed; return its steps when it came to its end."""
        at = self._kill_at
        limit = at.number if at.kind == "folder" else None
        with self._process as process, Changes(self._folder) as changes:
            assert process.stdout.readline() == "began\n"
            process.stdin.write("go\n")
            process.stdin.flush()
            seen = 0
            while not select.select([process.stdout], [], [], 0)[0]:
                seen += changes.read(0.1)
                if limit is not None and seen > limit:
                    self.end()
                    break
            # The statement is done, or its process is gone.
            last = process.stdout.readline()
            seen += changes.read(0)
            self.end()
        return Steps(driver=int(last.split()[1]), folder=seen) if last else None

    def end(self):
        """Kill the process and its JVM, wherever they are."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
