"""What a session shows of a table, as JSON that is equal when the readings are.

It is the same code on both sides, so it needs only PySpark.
"""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from tests.interop.features.scenario import place
from tests.parity.render import error_line, frame_lines, row_line, schema_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from tests.interop.features.scenario import Scenario

# Sessions wait more than they work.
THREADS = 4

Observation = dict[str, Any]


def in_threads(task: Callable[[str], Any], names: list[str]) -> dict[str, Any]:
    """Run a task for each name, several at a time; an error is the result of its name."""

    def guarded(name: str) -> Any:
        try:
            return task(name)
        except Exception as error:  # noqa: BLE001  # the test of the table shows it
            return {"broken": f"{type(error).__name__}: {error}"[:3000]}

    with ThreadPoolExecutor(THREADS) as pool:
        return dict(zip(names, pool.map(guarded, names), strict=True))


def observe_all(
    spark: SparkSession, folder: Path, scenarios: Mapping[str, Scenario]
) -> dict[str, Observation]:
    """Read every table of a folder."""
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    return in_threads(lambda n: observe(spark, folder / n, scenarios[n]), list(scenarios))


def observe(spark: SparkSession, path: Path, scenario: Scenario) -> Observation:
    """Read one table in every way."""

    def sql(text: str) -> DataFrame:
        return spark.sql(place(text, path))

    seen: Observation = {
        "latest": _told(lambda: _lines(_at(spark, path, None))),
        "travel": {str(v): _told(lambda v=v: _lines(_at(spark, path, v))) for v in scenario.at},
        "queries": {q: _told(lambda q=q: _lines(sql(q))) for q in scenario.queries},
    }
    for aspect in ("HISTORY", "DETAIL"):
        told = _told(lambda aspect=aspect: _statement(sql(f"DESCRIBE {aspect} {{t}}")))
        seen[aspect.lower()] = told
    return seen


def list_files(spark: SparkSession, path: Path, scenario: Scenario) -> Observation:
    """The schema and the files of the latest version, and of the older ones that are read."""
    return {
        "table": _told(lambda: _table(spark, path, None)),
        "tables": {str(v): _told(lambda v=v: _table(spark, path, v)) for v in scenario.at},
    }


def _at(spark: SparkSession, path: Path, version: int | None) -> DataFrame:
    reader = spark.read.format("delta")
    if version is not None:
        reader = reader.option("versionAsOf", version)
    return reader.load(str(path))


def _lines(frame: DataFrame) -> list[str]:
    shown = frame_lines(frame)
    return [shown["schema"], *shown["rows"]]


def _table(spark: SparkSession, path: Path, version: int | None) -> Observation:
    frame = _at(spark, path, version)
    return {
        "schema": frame.schema.jsonValue(),
        "files": sorted(unquote(file) for file in frame.inputFiles()),
    }


def _statement(frame: DataFrame) -> Observation:
    rows = frame.collect()
    return {
        "lines": [schema_line(frame.schema), *[row_line(row, frame.schema) for row in rows]],
        "rows": [{k: _json(v) for k, v in row.asDict(recursive=True).items()} for row in rows],
    }


def _json(value: Any) -> Any:
    """A value as `puredelta.log` tells it: a time is ISO 8601 text in UTC with milliseconds."""
    if isinstance(value, dt.datetime):
        text = value.astimezone(dt.timezone.utc).isoformat(timespec="milliseconds")
        return text.replace("+00:00", "Z")
    return value


def _told(what: Callable[[], Any]) -> Any:
    try:
        return what()
    except Exception as error:  # noqa: BLE001  # the test shows it
        return f"error {error_line(error)}: {str(error)[:1500]}"
