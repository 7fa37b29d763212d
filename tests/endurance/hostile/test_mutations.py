"""Random mutations of real tables: each reading gives right rows or a `DeltaError`.

What may be proved differs by file. Checksums and the hint repeat what the log says, so rows stay
those of the sound table. Vectors have a checksum of their own: rows are right or refused; only
the version in front of them has none. A commit may say something else after a change and still be
a commit, and a page of a checkpoint has no checksum: there only the kind of error, the time and
the memory can be judged, and that nothing outside of the table is read.

A failure names its seed: `PUREDELTA_SEED=17 pytest tests/endurance/hostile/test_mutations.py`.
"""

from __future__ import annotations

import os
import random
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.endurance.hostile.mutations import mutated_bytes, mutated_json, mutated_lines
from tests.endurance.hostile.reading import SECONDS
from tests.endurance.profile import IS_LONG, chosen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.endurance.hostile.child import Reader
    from tests.endurance.hostile.conftest import SoundTables

_READINGS = ["rows", "stats", "check"]
if IS_LONG:
    _READINGS += ["filtered", "files", "history", "detail", "changes"]


@dataclass(frozen=True)
class Subject:
    """Which file of a table is changed.

    Attributes:
        table: The sound table.
        pattern: Of the file, below the table; one of those that fit.
        change: What changes it.
        promise: Of the rows: `sound`, `either` or `unknown`.
        drop: Other files that are deleted, so that this one counts.
    """

    table: str
    pattern: str
    change: Callable[[bytes, random.Random], bytes]
    promise: str
    drop: str = ""


def _subjects() -> Iterator[tuple[str, Subject]]:
    log, parquet = "_delta_log/", "checkpoint.parquet"
    for table in ("plain", "partitioned", "vectors", "mapped", "times", "changes", "tracked"):
        yield (
            f"commit of {table}",
            Subject(table, f"{log}*.json", mutated_lines, "unknown", "*.crc"),
        )
    commits = "*[0-9].json"
    yield from (
        (
            "bytes of a commit",
            Subject("vectors", f"{log}*.json", mutated_bytes, "unknown", "*.crc"),
        ),
        (
            "checkpoint",
            Subject("checkpointed", f"{log}*.{parquet}", mutated_bytes, "unknown", "*.json"),
        ),
        (
            "spare checkpoint",
            Subject("checkpointed", f"{log}*.{parquet}", mutated_bytes, "unknown"),
        ),
        (
            "V2 checkpoint",
            Subject("v2_json", f"{log}*.checkpoint.*.json", mutated_lines, "unknown", commits),
        ),
        ("sidecar", Subject("v2_parquet", f"{log}_sidecars/*", mutated_bytes, "unknown", commits)),
        ("checksum", Subject("plain", f"{log}*2.crc", mutated_json, "sound")),
        ("bytes of a checksum", Subject("plain", f"{log}*2.crc", mutated_bytes, "sound")),
        ("hint", Subject("checkpointed", f"{log}_last_checkpoint", mutated_json, "sound")),
        (
            "bytes of a hint",
            Subject("checkpointed", f"{log}_last_checkpoint", mutated_bytes, "sound"),
        ),
        ("vector", Subject("vectors", "deletion_vector_*.bin", mutated_bytes, "either")),
    )


SUBJECTS = dict(_subjects())
_RUNS = chosen(6, 2_000)
_SEED = os.environ.get("PUREDELTA_SEED")


@pytest.mark.timeout(7_200)
@pytest.mark.parametrize("name", SUBJECTS)
def test_mutated_table_is_read_rightly_or_refused(
    name: str, tmp_path: Path, sound_tables: SoundTables, reader: Reader
) -> None:
    subject = SUBJECTS[name]
    failures = []
    for seed in range(_RUNS) if _SEED is None else [int(_SEED)]:
        path = sound_tables.copy(subject.table, tmp_path / str(seed))
        _change(path, subject, random.Random(f"{name} {seed}"))
        try:
            answer = reader.read(path, _READINGS)
        except AssertionError as error:
            failures.append(f"seed {seed}: {error}")
        else:
            failures += _judged(answer, seed, subject, sound_tables)
        shutil.rmtree(tmp_path / str(seed))
    assert not failures, "\n".join(failures[:10])


def _change(path: Path, subject: Subject, random_: random.Random) -> None:
    place = random_.choice(sorted(path.glob(subject.pattern)))
    place.write_bytes(subject.change(place.read_bytes(), random_))
    for found in (path / "_delta_log").glob(subject.drop) if subject.drop else ():
        if found != place:
            found.unlink()


def _judged(
    answer: dict[str, object], seed: int, subject: Subject, tables: SoundTables
) -> list[str]:
    found: dict[str, list[object]] = answer["found"]  # type: ignore[assignment]
    faults = [
        f"seed {seed}: {key}: {text}" for key, (what, text, *_) in found.items() if what == "fault"
    ]
    what, rows = found["rows"][:2]
    is_sound = what == "value" and rows == tables.rows(subject.table)
    if not is_sound and (
        subject.promise == "sound" or (subject.promise == "either" and what != "refused")
    ):
        faults.append(f"seed {seed}: other rows: {rows}")
    if float(str(answer["seconds"])) > SECONDS:
        faults.append(f"seed {seed}: {answer['seconds']} seconds")
    if answer["outside"]:
        faults.append(f"seed {seed}: reads {answer['outside']}")
    return faults
