"""VACUUM of each hostile table deletes nothing outside of it, and nothing that it needs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import puredelta
from puredelta.errors import DeltaError
from puredelta.log.table_log import open_log
from puredelta.maintenance.vacuum.request import VacuumRequest
from puredelta.maintenance.vacuum.run import Vacuum
from puredelta.maintenance_settings import VacuumSettings
from tests.endurance.hostile.kind import Kind
from tests.endurance.hostile.kinds.commits import KINDS as COMMITS
from tests.endurance.hostile.kinds.paths import KINDS as PATHS
from tests.endurance.hostile.kinds.vacuum import KINDS
from tests.endurance.hostile.reading import in_order
from tests.endurance.hostile.sound_tables import age

pytestmark = pytest.mark.rest

if TYPE_CHECKING:
    from tests.endurance.hostile.conftest import SoundTables

_UNCHECKED = VacuumSettings(retention_check=False)


def all_files(folder: Path) -> set[str]:
    """All below a folder, links not followed."""
    return {
        os.path.join(above, name)  # noqa: PTH118
        for above, folders, files in os.walk(folder)
        for name in (*folders, *files)
    }


def rows_of(path: Path) -> list[str] | str:
    """The rows of a table, or the condition of its error."""
    try:
        return in_order(puredelta.open_table(path).to_arrow())
    except DeltaError as error:
        return error.getCondition()


@pytest.mark.parametrize("lite", [False, True], ids=["full", "lite"])
@pytest.mark.parametrize("kind", [*KINDS.found, *PATHS.found, *COMMITS.found], ids=lambda k: k.name)
def test_vacuum_of_hostile_table_leaves_all_else_alone(
    kind: Kind, lite: bool, tmp_path: Path, sound_tables: SoundTables
) -> None:
    path = sound_tables.copy(kind.table, tmp_path)
    kind.change(path)
    age(tmp_path)
    before, rows = all_files(tmp_path), rows_of(path)
    request = VacuumRequest(lite=lite, retain_hours=0)
    try:
        Vacuum(log=open_log(str(path)), label="t", request=request, settings=_UNCHECKED).run()
    except DeltaError as error:
        str(error)
    gone = before - all_files(tmp_path)
    log = f"{path}/_delta_log"
    assert not [name for name in gone if not name.startswith(f"{path}/") or name.startswith(log)]
    assert rows_of(path) == rows
