"""The sound tables that become hostile: small ones of our own writer, and recorded ones."""

from __future__ import annotations

import datetime as dt
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from pyroaring import BitMap64

import puredelta
from puredelta.table.deletion_vectors.vectors import VectorFile, inline
from tests.endurance.hostile.edits import as_plain, commit, newest_add, rewrite
from tests.interop.recorded import FEATURES, recorded_folder

# Old enough that VACUUM deletes it.
_LONG_AGO = dt.datetime(2020, 1, 1, tzinfo=dt.timezone.utc).timestamp()


def rows(start: int, count: int = 3) -> pa.Table:
    """Rows of all our sound tables."""
    numbers = range(start, start + count)
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "name": [None if n % 3 == 2 else f"name {n}" for n in numbers],
            "price": [n / 4 for n in numbers],
            "day": [dt.date(2024, 1, 1 + n // 3) for n in numbers],
        }
    )


def _plain(path: Path) -> None:
    for start in (0, 3, 6):
        puredelta.write_table(path, rows(start))


def _partitioned(path: Path) -> None:
    for start in (0, 3, 6):
        puredelta.write_table(path, rows(start), partition_by="day")


def _checkpointed(path: Path) -> None:
    every = {"delta.checkpointInterval": "2"}
    for start in range(0, 12, 3):
        puredelta.write_table(path, rows(start), properties=every if not start else None)


def _overwritten(path: Path) -> None:
    _plain(path)
    puredelta.write_table(path, rows(9), mode="overwrite")


def _vectors(path: Path) -> None:
    """A file with a vector in the log, and one with a vector in a file."""
    _plain(path)
    feature = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": ["deletionVectors", "appendOnly", "invariants"],
    }
    adds = [
        json.loads(line)["add"]
        for number in (0, 1)
        for line in (path / f"_delta_log/{number:020}.json").read_text("utf-8").splitlines()
        if line.startswith('{"add"')
    ]
    file = VectorFile()
    vectors = [inline(BitMap64([0, 2])), file.add(BitMap64([1]))]
    (path / file.path).write_bytes(file.content)
    actions = [{"protocol": feature}]
    for add, vector in zip(adds, vectors, strict=True):
        actions.append({"remove": {"path": add["path"], "dataChange": True}})
        actions.append({"add": {**add, "deletionVector": as_plain(vector)}})
    commit(*actions)(path)


def _recorded(name: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        shutil.copytree(recorded_folder(FEATURES) / name, path, symlinks=True)

    return make


def _with_v2(name: str) -> Callable[[Path], None]:
    """A recorded table of which only the checkpoint is left."""

    def make(path: Path) -> None:
        _recorded(name)(path)

    return make


SOUND: dict[str, Callable[[Path], None]] = {
    "plain": _plain,
    "partitioned": _partitioned,
    "checkpointed": _checkpointed,
    "overwritten": _overwritten,
    "vectors": _vectors,
    "v2_json": _with_v2("checkpoints_v2_json"),
    "v2_parquet": _with_v2("checkpoints_v2_parquet"),
    "parts": _recorded("checkpoints_multi_part"),
    "mapped": _recorded("mapping_and_vectors"),
    "constrained": _recorded("check_constraints"),
    "generated": _recorded("generated_columns"),
    "defaults": _recorded("column_defaults"),
    "changes": _recorded("change_data"),
    "compacted": _recorded("compacted_log"),
    "times": _recorded("timestamps_in_commits"),
    "tracked": _recorded("row_tracking"),
}
"""How each sound table is made, by name."""


def age(path: Path) -> None:
    """Make all below a folder so old that VACUUM looks at it."""
    for found in [path, *path.rglob("*")]:
        os.utime(found, (_LONG_AGO, _LONG_AGO), follow_symlinks=False)


__all__ = ["SOUND", "age", "newest_add", "rewrite", "rows"]
