"""Records the tables with features: delta-spark makes and reads them, an archive keeps them.

    python tests/interop/record.py

Takes a quarter of an hour; to be run when a scenario in `features/` changed. Needs the oracle, as
`tests/parity/record.py` does.
"""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.interop.features.catalogue import FEATURE_TABLES
from tests.interop.oracle import run_delta_spark
from tests.interop.recorded import DIGESTS, PLACE, digest_of, pack


def record() -> None:
    """Make every table, and the archive of them."""
    now = dt.datetime.now(dt.timezone.utc)
    folder = PLACE / f"features-{now:%Y%m%d%H%M%S}"
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as around:
        run_delta_spark(Path(around), ["--features", str(folder)])
    digests = {name: digest_of(one) for name, one in FEATURE_TABLES.items()}
    (folder / DIGESTS).write_text(json.dumps(digests, indent=1), "utf-8")
    archive = pack(folder)
    subprocess.run(["du", "-h", str(archive)], check=False)


if __name__ == "__main__":
    record()
