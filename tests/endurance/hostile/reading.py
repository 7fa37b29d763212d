"""Everything that reads a table without Spark, and what came of each reading."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

import puredelta
from puredelta.errors import DeltaError

SECONDS = 5.0
"""So long one table may take, all readings together."""

_FILTER = "id >= 1 AND name LIKE 'name%'"

READINGS: dict[str, Callable[[str], object]] = {
    "rows": lambda path: in_order(puredelta.open_table(path).to_arrow()),
    "filtered": lambda path: puredelta.open_table(path).to_arrow(filter=_FILTER).num_rows,
    "head": lambda path: puredelta.open_table(path).head(2).num_rows,
    "columns": lambda path: len(puredelta.open_table(path).columns()),
    "files": lambda path: puredelta.open_table(path).files().num_rows,
    "partitions": lambda path: puredelta.open_table(path).partitions().num_rows,
    "stats": lambda path: puredelta.open_table(path).stats().num_rows,
    "checkpoints": lambda path: puredelta.open_table(path).checkpoints().num_rows,
    "versions": lambda path: puredelta.open_table(path).versions().num_rows,
    "history": lambda path: len(puredelta.open_table(path).history()),
    "detail": lambda path: len(puredelta.open_table(path).detail()),
    "shown": lambda path: len(puredelta.open_table(path)._repr_html_()),
    "first version": lambda path: puredelta.open_table(path, version=0).to_arrow().num_rows,
    "changes": lambda path: puredelta.open_table(path).changes(0).num_rows,
    "check": lambda path: len(puredelta.check_table(path).findings),
}
"""What is read of each hostile table, by name."""


def in_order(found: pa.Table) -> list[str]:
    """Write rows as texts, in an order that does not depend on files."""
    # The calendar of Python is shorter than that of tables.
    for at, field in enumerate(found.schema):
        if pa.types.is_date(field.type) or pa.types.is_timestamp(field.type):
            plain = pa.int32() if pa.types.is_date(field.type) else pa.int64()
            found = found.set_column(at, field.name, found.column(at).cast(plain))
    return sorted(map(repr, found.to_pylist()))


class OpenedFiles:
    """Names the files that Python opens, and those that it deletes, as an audit hook sees them."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.deleted: list[str] = []
        self._is_on = False
        sys.addaudithook(self._see)

    def start(self) -> None:
        """Forget what was seen, and begin anew."""
        self.read, self.deleted, self._is_on = [], [], True

    def stop(self) -> None:
        """See nothing more."""
        self._is_on = False

    def _see(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._is_on or not arguments or not isinstance(arguments[0], (str, bytes)):
            return
        name = os.path.abspath(os.fsdecode(arguments[0]))  # noqa: PTH100  # links stay
        if event == "open":
            self.read.append(name)
        elif event in ("os.remove", "os.rmdir", "os.rename", "shutil.rmtree"):
            self.deleted.append(name)


def read_all(path: Path, opened: OpenedFiles, readings: list[str]) -> dict[str, Any]:
    """Read a table in every way, and say what came of it in plain values."""
    found: dict[str, Any] = {}
    start = time.monotonic()
    opened.start()
    for name in readings:
        found[name] = _outcome(READINGS[name], path)
    opened.stop()
    beside = os.path.abspath(path.parent)  # noqa: PTH100
    return {
        "found": found,
        "seconds": time.monotonic() - start,
        "outside": [
            name
            for name in opened.read
            if name.startswith(beside + os.sep) and not name.startswith(f"{beside}/table/")
        ],
        "peak": _peak_bytes(),
    }


def _outcome(reading: Callable[[str], object], path: Path) -> list[Any]:
    try:
        return ["value", reading(str(path))]
    except DeltaError as error:
        # An error that cannot be shown is no error for a user.
        return ["refused", error.getCondition(), str(error)[:200]]
    except BaseException:  # noqa: BLE001  # whatever it is, it is what is looked for
        return ["fault", traceback.format_exc(limit=-6)]


def forget_peak() -> None:
    """Let the peak of memory begin anew."""
    Path("/proc/self/clear_refs").write_text("5")


def _peak_bytes() -> int:
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0
