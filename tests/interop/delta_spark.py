"""What `oracle.py exec` runs on delta-spark: makes tables, reads them and ours, in one process.

oracle.py exec delta_spark.py FOLDER OURS OUR_FEATURES KEPT
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.interop.features.catalogue import FEATURE_TABLES, READABLE
from tests.interop.features.scenario import make
from tests.interop.kept import RESULT
from tests.interop.making import lines_of, make_tables
from tests.interop.observe import in_threads, observe_all
from tests.interop.work_on_ours import work_on

# Tables of a few rows: planning costs more than what it saves.
SETTINGS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
}


def main(spark: Any, folder: Path, ours: Path, our_features: Path, kept: Path) -> None:
    """Make their tables, and write what is read of all tables, or the error, as JSON."""
    for key, value in SETTINGS.items():
        spark.conf.set(key, value)
    theirs = folder / "theirs"
    theirs.mkdir()
    make_tables(spark, theirs)
    paths = [str(path) for path in (*sorted(theirs.iterdir()), *sorted(ours.iterdir()))]
    found = {
        "lines": in_threads(lambda path: lines_of(spark, Path(path)), paths),
        "worked_on": work_on(spark, our_features),
    }
    if not (kept / RESULT).is_file():
        (kept / RESULT).write_text(json.dumps(features(spark, kept), ensure_ascii=False), "utf-8")
    (folder / RESULT).write_text(json.dumps(found, ensure_ascii=False), "utf-8")


def features(spark: Any, folder: Path) -> dict[str, Any]:
    """Make the tables with features, and tell what is read of them."""
    made = in_threads(
        lambda name: make(spark, FEATURE_TABLES[name], folder / name), list(FEATURE_TABLES)
    )
    read = observe_all(spark, folder, READABLE)
    return read | {name: broken for name, broken in made.items() if broken}


if __name__ == "__main__":
    main(globals()["spark"], *map(Path, sys.argv[1:5]))
