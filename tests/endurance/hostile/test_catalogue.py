"""Each hostile kind is read in every way, in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.endurance.hostile.kind import Kind, Outcome
from tests.endurance.hostile.kinds import ALL
from tests.endurance.hostile.reading import SECONDS
from tests.endurance.profile import IS_LONG

if TYPE_CHECKING:
    from tests.endurance.hostile.child import Reader
    from tests.endurance.hostile.conftest import SoundTables

# In the gate: those that read most of what there is.
_READINGS = ["rows", "stats", "versions", "check"]
_MOST_BYTES = 1_500_000_000


def test_kinds_have_different_names() -> None:
    names = [kind.name for kind in ALL]
    assert sorted(set(names)) == sorted(names)
    assert len(names) >= 200


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: f"{kind.subject}-{kind.name}")
def test_hostile_table_is_read_rightly_or_refused(
    kind: Kind, tmp_path: Path, sound_tables: SoundTables, reader: Reader
) -> None:
    path = sound_tables.copy(kind.table, tmp_path)
    kind.change(path)
    answer = reader.read(path, None if IS_LONG else _READINGS)
    found = answer["found"]
    faults = {name: text for name, (what, text, *_) in found.items() if what == "fault"}
    assert not faults, "\n".join(f"{name}: {text}" for name, text in faults.items())
    assert answer["seconds"] < SECONDS
    assert answer["peak"] < _MOST_BYTES
    assert not answer["outside"]
    what, rows = found["rows"][:2]
    is_sound = what == "value" and rows == sound_tables.rows(kind.table)
    match kind.outcome:
        case Outcome.SOUND:
            assert is_sound, rows
        case Outcome.REFUSED:
            assert what == "refused", rows
        case Outcome.EITHER:
            assert is_sound or what == "refused", rows
        case Outcome.UNKNOWN:
            pass
