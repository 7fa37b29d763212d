"""What the tests of hostile tables share: the sound tables, and the process that reads them."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import puredelta
from tests.endurance.hostile.child import Reader
from tests.endurance.hostile.reading import in_order
from tests.endurance.hostile.sound_tables import SOUND, age

CANARY = "canary"


class SoundTables:
    """Makes each sound table once, and copies it wherever it is wanted.

    Args:
        root: Where they lie.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._rows: dict[str, list[str]] = {}

    def copy(self, name: str, place: Path) -> Path:
        """Copy a table to `place/table`, with a canary in `place/outside`."""
        shutil.copytree(self._made(name), place / "table", symlinks=True)
        shutil.copytree(self._made("canary"), place / "outside")
        return place / "table"

    def rows(self, name: str) -> list[str]:
        """Return the rows of a table, as `reading.in_order` writes them."""
        if name not in self._rows:
            rows = puredelta.open_table(self._made(name)).to_arrow()
            self._rows[name] = in_order(rows)
        return self._rows[name]

    def _made(self, name: str) -> Path:
        place = self._root / name
        if not place.exists():
            if name == CANARY:
                _make_canary(place)
            else:
                SOUND[name](place)
            age(place)
        return place


def _make_canary(place: Path) -> None:
    """Files that no reading and no VACUUM of the table may touch."""
    SOUND["plain"](place / "neighbour")
    (place / "deep/folder").mkdir(parents=True)
    for name in ("canary.txt", "deep/canary.parquet", "deep/folder/canary.bin"):
        (place / name).write_text("canary")


@pytest.fixture(scope="session")
def sound_tables(tmp_path_factory: pytest.TempPathFactory) -> SoundTables:
    """The sound tables."""
    return SoundTables(tmp_path_factory.mktemp("sound"))


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    """The process that reads hostile tables."""
    found = Reader()
    yield found
    found.close()


Copy = Callable[[str], Path]
