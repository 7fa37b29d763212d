"""Records the tables with features: delta-spark makes and reads them, an archive keeps them.

    python tests/interop/record.py [NAME ...]

All of them take a quarter of an hour, each a few seconds; to be run for those of which the scenario
in `features/` changed. Needs the oracle, as `tests/parity/record.py` does.
"""

from __future__ import annotations

import datetime as dt
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.interop.features.catalogue import FEATURE_TABLES
from tests.interop.features.scenario import other
from tests.interop.oracle import run_delta_spark
from tests.interop.recorded import DIGESTS, PLACE, RESULT, digest_of, folder_to_record, pack


def record(names: list[str]) -> None:
    """Make tables, and the archive of them and of those that are recorded.

    Raises:
        RuntimeError: delta-spark could not make one.
    """
    folder = folder_to_record() if names else _new_folder()
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
    (folder / DIGESTS).write_text(json.dumps(digests, indent=1), "utf-8")
    (folder / RESULT).write_text(json.dumps(told | made, ensure_ascii=False), "utf-8")
    archive = pack(folder)
    print(f"{archive}: {archive.stat().st_size:,} bytes")


def _known(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text("utf-8")) if file.is_file() else {}


def _new_folder() -> Path:
    now = dt.datetime.now(dt.timezone.utc)
    folder = PLACE / f"features-{now:%Y%m%d%H%M%S}"
    folder.mkdir(parents=True)
    return folder


if __name__ == "__main__":
    record(sys.argv[1:])
