"""What `oracle.py exec` runs on delta-spark: makes tables, reads them and ours, in one process.

oracle.py exec delta_spark.py RESULT [--catalogue THEIRS [OURS]] [--work-on OURS] [--features FOLDER
    [--only NAMES]] [--convert FOLDER] [--iceberg FOLDER]
    [--maintain SOURCES FOLDER MAINTAINED]
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.interop.converted import convert_and_tell
from tests.interop.features.catalogue import FEATURE_TABLES
from tests.interop.features.scenario import SESSION_SETTINGS, make
from tests.interop.iceberg import read_converted
from tests.interop.maintained import maintain, read_maintained
from tests.interop.making import lines_of, make_tables
from tests.interop.observe import Observation, in_threads, list_files, observe
from tests.interop.recorded import RESULT
from tests.interop.work_on_ours import work_on

LASTING = {
    "spark.databricks.delta.properties.defaults.logRetentionDuration": "interval 9999 days",
    "spark.databricks.delta.properties.defaults.deletedFileRetentionDuration": "interval 9999 days",
}


def main(spark: Any, arguments: argparse.Namespace) -> None:
    """Do what was asked for, and write what was found as JSON."""
    for key, value in SESSION_SETTINGS.items():
        spark.conf.set(key, value)
    found = {}
    if arguments.catalogue:
        found["lines"] = catalogue(spark, *arguments.catalogue)
    if arguments.work_on:
        found["worked_on"] = work_on(spark, arguments.work_on)
    if arguments.features:
        names = arguments.only or list(FEATURE_TABLES)
        _write(arguments.features / RESULT, features(spark, arguments.features, names))
    if arguments.convert:
        found["converted"] = convert_and_tell(spark, arguments.convert)
    if arguments.iceberg:
        found["iceberg"] = read_converted(spark, arguments.iceberg)
    if arguments.maintain:
        sources, folder, theirs = arguments.maintain
        found["maintained"] = maintain(spark, sources, folder)
        found["maintained_by_us"] = read_maintained(spark, theirs)
    _write(arguments.result, found)


def catalogue(spark: Any, theirs: Path, *ours: Path) -> dict[str, Any]:
    """Make the tables of the catalogue, and tell the rows of theirs and of ours, by path."""
    theirs.mkdir(exist_ok=True)
    make_tables(spark, theirs)
    paths = [str(path) for folder in (theirs, *ours) for path in sorted(folder.iterdir())]
    return in_threads(lambda path: lines_of(spark, Path(path)), paths)


def features(spark: Any, folder: Path, names: list[str]) -> dict[str, Any]:
    """Make tables with features, and tell what is read of them.

    They are read for years: no time may make their old versions go.
    """

    def one(name: str) -> Observation:
        path, scenario = folder / name, FEATURE_TABLES[name]
        make(spark, replace(scenario, settings={**LASTING, **scenario.settings}), path)
        if scenario.refused:
            return {}
        return observe(spark, path, scenario) | list_files(spark, path, scenario)

    spark.conf.set("spark.sql.session.timeZone", "UTC")
    return in_threads(one, names)


def _write(file: Path, found: dict[str, Any]) -> None:
    file.write_text(json.dumps(found, ensure_ascii=False), "utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("result", type=Path)
    parser.add_argument("--catalogue", type=Path, nargs="+")
    parser.add_argument("--work-on", type=Path)
    parser.add_argument("--features", type=Path)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--convert", type=Path)
    parser.add_argument("--iceberg", type=Path)
    parser.add_argument("--maintain", type=Path, nargs=3)
    return parser.parse_args()


if __name__ == "__main__":
    main(globals()["spark"], _arguments())
