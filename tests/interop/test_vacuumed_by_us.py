"""Tables that delta-spark made, vacuumed by us: nothing is lost that their newest version needs."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from puredelta.errors import DeltaTableFeatureError
from puredelta.log import open_table
from puredelta.log.table_log import TableLog
from puredelta.maintenance.vacuum.request import VacuumRequest
from puredelta.maintenance.vacuum.run import Vacuum
from puredelta.maintenance_settings import VacuumSettings
from puredelta.storage.local import LocalStore
from puredelta.table.check import Severity, check_table
from tests.interop.features.catalogue import READABLE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.interop.conftest import FeatureTables


def _errors(path: Path) -> list[str]:
    """The findings of a check, without those that are harmless."""
    found = check_table(str(path)).findings
    return [f"{one.code} {one.file}" for one in found if one.severity is Severity.ERROR]


def _vacuum(path: Path) -> Vacuum:
    """A VACUUM that keeps the newest version alone."""
    return Vacuum(
        log=TableLog(LocalStore(str(path))),
        label=str(path),
        request=VacuumRequest(lite=False, retain_hours=0),
        settings=VacuumSettings(retention_check=False),
    )


# Features that make a table one that we do not write.
NOT_OURS = {
    name for name in READABLE if name.startswith(("iceberg_compat", "materialized_partition"))
}


@pytest.mark.parametrize("name", sorted(READABLE.keys() - NOT_OURS))
def test_newest_version_is_whole_and_nothing_else_is_left(
    feature_tables: FeatureTables, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    shutil.copytree(feature_tables.folder / name, path, symlinks=True)
    before = _errors(path)
    version = open_table(str(path)).version

    preview = _vacuum(path).preview()
    done = _vacuum(path).run()

    assert done.files == preview.files
    assert version not in preview.lost_versions
    assert _errors(path) == before
    assert open_table(str(path)).history(1)[0]["operation"] == "VACUUM END"
    assert _vacuum(path).paths() == [] or done.folders == 0


@pytest.mark.parametrize("name", sorted(NOT_OURS))
def test_table_that_we_do_not_write_loses_nothing(
    feature_tables: FeatureTables, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    shutil.copytree(feature_tables.folder / name, path)
    before = sorted(path.rglob("*"))

    with pytest.raises(DeltaTableFeatureError):
        _vacuum(path).run()

    assert sorted(path.rglob("*")) == before
