"""Tables that delta-spark made, unpacked from the archives that `record.py` keeps.

They lie where they were made, since some of them name their own place.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import inspect
import os
import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.interop.features.scenario import Scenario

ARCHIVES = Path(__file__).parent / "recorded"
PLACE = Path("/var/tmp/puredelta-interop")  # of the same name on every machine
# The tables of `catalogue.py`, and those with features.
CATALOGUE, FEATURES = "catalogue", "features"
# In the folder: what delta-spark read of each table, and the digests of what made them.
RESULT, DIGESTS = "result.json", "digests.json"


def recorded_folder(kind: str) -> Path:
    """The folder of the tables and what was read of them, unpacked by the first process."""
    (archive,) = ARCHIVES.glob(f"{kind}-*.tar.xz")
    folder = PLACE / archive.name.removesuffix(".tar.xz")
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if not (folder / digest).is_file():
        PLACE.mkdir(parents=True, exist_ok=True)
        unpacked = Path(tempfile.mkdtemp(dir=PLACE, prefix="unpacked-"))
        with tarfile.open(archive) as tar:
            tar.extractall(unpacked, filter="data")
        (unpacked / digest).touch()
        _move(unpacked, folder, digest)
    return folder


def folder_to_record(kind: str) -> Path:
    """The same folder, to make tables anew in; until it is packed, it is not what is recorded."""
    folder = recorded_folder(kind)
    for stamp in folder.glob("?" * 64):
        stamp.unlink()
    return folder


def _move(unpacked: Path, folder: Path, digest: str) -> None:
    try:
        unpacked.rename(folder)
    except OSError:
        if (folder / digest).is_file():
            # Another process was there first.
            shutil.rmtree(unpacked)
        else:
            shutil.rmtree(folder)
            unpacked.rename(folder)


def new_folder(kind: str) -> Path:
    """An empty folder, to make all tables anew in."""
    now = dt.datetime.now(dt.timezone.utc)
    folder = PLACE / f"{kind}-{now:%Y%m%d%H%M%S}"
    folder.mkdir(parents=True)
    return folder


def digest_of_statements(statements: Sequence[str]) -> str:
    """A text that changes when the statements do that make a table."""
    return hashlib.sha256("\n".join(statements).encode()).hexdigest()[:16]


def digest_of(scenario: Scenario) -> str:
    """A text that changes when what makes or reads a table does."""
    digest = hashlib.sha256()
    for step in scenario.steps:
        digest.update((_source(step) if callable(step) else step).encode())
    asked = (scenario.at, scenario.queries, sorted(scenario.settings.items()))
    digest.update(repr((*asked, scenario.refused)).encode())
    return digest.hexdigest()[:16]


def _source(step: Callable[..., Any]) -> str:
    held = [cell.cell_contents for cell in step.__closure__ or ()]
    return f"{inspect.getsource(step)}{held}"


def pack(folder: Path) -> Path:
    """Make a folder of tables the archive of its kind, instead of the one before."""
    for file in folder.rglob("*"):
        # Archives keep times as decimals: none may come back as the millisecond before.
        whole = file.stat().st_mtime_ns // 1_000_000 * 1_000_000 + 500_000
        os.utime(file, ns=(whole, whole))
    ARCHIVES.mkdir(exist_ok=True)
    archive = ARCHIVES / f"{folder.name}.tar.xz"
    with tarfile.open(archive, "w:xz", format=tarfile.PAX_FORMAT) as tar:
        tar.add(folder, arcname=".", filter=_nobodys)
    kind = folder.name.partition("-")[0]
    for old in set(ARCHIVES.glob(f"{kind}-*.tar.xz")) - {archive}:
        old.unlink()
    return archive


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
