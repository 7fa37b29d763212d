"""Records tables: delta-spark makes and reads them, an archive keeps them.

    python tests/interop/record.py [NAME ...]       tables with features
    python tests/interop/record.py --catalogue      the tables of `catalogue.py`

Those with features take a quarter of an hour, each a few seconds; to be run for those of which the
scenario in `features/` changed. Needs the oracle, as `tests/parity/record.py` does.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.interop.catalogue import TABLES
from tests.interop.features.catalogue import FEATURE_TABLES
from tests.interop.features.scenario import other
from tests.interop.oracle import run_delta_spark
from tests.interop.recorded import (
    CATALOGUE,
    DIGESTS,
    FEATURES,
    RESULT,
    digest_of,
    digest_of_statements,
    folder_to_record,
    new_folder,
    pack,
)


def record_catalogue() -> None:
    """Make the tables of the catalogue, and their archive.

    Raises:
        RuntimeError: delta-spark did not come to an end.
    """
    folder = new_folder(CATALOGUE)
    with tempfile.TemporaryDirectory() as around:
        found = run_delta_spark(Path(around), ["--catalogue", str(folder)])
        lines = _known(found)["lines"]
    _keep(folder, DIGESTS, {name: digest_of_statements(made) for name, made in TABLES.items()})
    _keep(folder, RESULT, {Path(path).name: read for path, read in lines.items()})
    _say(pack(folder))


def record_features(names: list[str]) -> None:
    """Make tables with features, and the archive of them and of those that are recorded.

    Raises:
        RuntimeError: delta-spark could not make one.
    """
    folder = folder_to_record(FEATURES) if names else new_folder(FEATURES)
    told, digests = (_known(folder / file) for file in (RESULT, DIGESTS))
    for name in names:
        for table in (folder / name, other(folder / name)):
            shutil.rmtree(table, ignore_errors=True)
    with tempfile.TemporaryDirectory() as around:
        run_delta_spark(Path(around), ["--features", str(folder), "--only", *names])
    made = _known(folder / RESULT)
    broken = {name: one["broken"] for name, one in made.items() if "broken" in one}
    if broken:
        raise RuntimeError(json.dumps(broken, indent=1))
    digests |= {name: digest_of(FEATURE_TABLES[name]) for name in made}
    _keep(folder, DIGESTS, digests)
    _keep(folder, RESULT, told | made)
    _say(pack(folder))


def _known(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text("utf-8")) if file.is_file() else {}


def _keep(folder: Path, name: str, found: dict[str, Any]) -> None:
    (folder / name).write_text(json.dumps(found, ensure_ascii=False, indent=1), "utf-8")


def _say(archive: Path) -> None:
    print(f"{archive}: {archive.stat().st_size:,} bytes")


if __name__ == "__main__":
    if sys.argv[1:] == ["--catalogue"]:
        record_catalogue()
    else:
        record_features(sys.argv[1:])
