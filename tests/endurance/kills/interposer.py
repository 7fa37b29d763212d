"""The library that counts calls of the system and kills at one of them; see `interposer.c`."""

import ctypes
import mmap
import os
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "interposer.c"
NEVER = -1

# The layout of `struct control`.
_NUMBERS = struct.Struct("=qqqqq")
_FOLDER = 1024
_SLOTS, _SLOT = 8192, 248
_SIZE = _NUMBERS.size + _FOLDER + _SLOTS * _SLOT

LOG = "/_delta_log/"


def build(folder: Path) -> Path:
    """Compile the library; skip the test where there is no compiler or no LD_PRELOAD."""
    compiler = shutil.which("cc")
    if compiler is None or os.uname().sysname != "Linux":
        pytest.skip("needs Linux and a C compiler")
    library = folder / "interposer.so"
    command = [compiler, "-O1", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return library


@dataclass(frozen=True)
class Call:
    """One call: what it does, such as `write`, and to which file, by its name below the folder."""

    what: str
    name: str

    @property
    def begins_commit(self) -> bool:
        """Whether it writes to the log, where a version is made."""
        return LOG in self.name or self.name.endswith("/_delta_log")


@dataclass(frozen=True)
class KillAt:
    """Where a process dies.

    Attributes:
        number: Before which call, from 0.
        torn: Whether half of that call is carried out, where it is a write.
        group: Whether the process group dies, and not the process alone.
    """

    number: int = NEVER
    torn: bool = False
    group: bool = False


class Interposer:
    """The library, and the block of memory by which it is told what to do.

    Args:
        folder: A place for both.
    """

    def __init__(self, folder: Path) -> None:
        self._library = build(folder)
        self._file = folder / "control"
        self._file.write_bytes(bytes(_SIZE))
        with self._file.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _SIZE)

    def variables(self) -> dict[str, str]:
        """Return the variables of the environment under which a process is watched."""
        return {"LD_PRELOAD": str(self._library), "PUREDELTA_KILL_CONTROL": str(self._file)}

    def arm(self, folder: Path | str, kill_at: KillAt, *, sockets: bool = False) -> None:
        """Count from now on what is done below a folder, and kill at a call."""
        self.disarm()
        numbers = (0, kill_at.number, kill_at.torn, kill_at.group, sockets)
        self._memory[: _NUMBERS.size] = _NUMBERS.pack(*map(int, numbers))
        name = os.fsencode(folder)
        assert len(name) < _FOLDER
        # The name comes last: with it counting begins.
        self._memory[_NUMBERS.size : _NUMBERS.size + _FOLDER] = name.ljust(_FOLDER, b"\0")

    def disarm(self) -> list[Call]:
        """Count no longer; return the calls since counting began."""
        self._memory[_NUMBERS.size : _NUMBERS.size + _FOLDER] = bytes(_FOLDER)
        made = _NUMBERS.unpack_from(self._memory)[0]
        return [self._call(number) for number in range(min(made, _SLOTS))]

    def _call(self, number: int) -> Call:
        start = _NUMBERS.size + _FOLDER + number * _SLOT
        text = self._memory[start : start + _SLOT].split(b"\0", 1)[0].decode(errors="replace")
        what, _, name = text.partition(" ")
        return Call(what, name)


def before_reply() -> None:
    """Count that the process is about to tell of success; it may die here like anywhere else."""
    ctypes.CDLL(None).puredelta_before_reply()


def first_of_commit(calls: list[Call]) -> int:
    """Return the number of the call with which a commit begins; that of the end for none."""
    return next((n for n, call in enumerate(calls) if call.begins_commit), len(calls))
