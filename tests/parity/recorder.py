"""The `t` of the parity scenarios: runs steps on a session and records what each shows.

It is the same on both sides, so it needs only the standard library and PySpark.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.parity.log_lines import log_lines
from tests.parity.render import Normaliser, error_line, frame_lines, map_text, metric_texts

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from pyspark.sql import DataFrame, Row, SparkSession

Observation = dict[str, Any]

# Both sides run under the same settings, whatever session they are given.
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.storeAssignmentPolicy": "ANSI",
    "spark.sql.sources.partitionOverwriteMode": "static",
    "spark.sql.shuffle.partitions": "2",
}

# Statements whose rows have an order that users see; delta-spark shows partitions in none.
ORDERED = re.compile(r"^(DESC|SHOW (?!PARTITIONS))|ORDER BY", re.IGNORECASE)


class Recorder:
    """One scenario's recorder, with a schema and a folder of its own.

    Attributes:
        spark: The session; the scenario's own schema is current, so plain table names are free.
        tables: The module with `DeltaTable` (`delta.tables` there, `puredelta.tables` here).
        path: A path inside the scenario's folder where nothing is yet.
        seen: What was observed, in order.
    """

    def __init__(self, spark: SparkSession, folder: Path, case: str, tables: ModuleType) -> None:
        self.spark = spark
        self.tables = tables
        self.schema = f"p_{case}"
        self.path = str(folder / "t")
        self.seen: list[Observation] = []
        self._folder = folder
        self._steps: dict[str, int] = {}
        self._settings: dict[str, str | None] = {}
        self._warehouse = str(spark.conf.get("spark.sql.warehouse.dir")).removeprefix("file:")
        self._warehouse = "/" + self._warehouse.strip("/")
        self.normal = Normaliser({str(folder): "<folder>", self._warehouse: "<warehouse>"})

    def open(self) -> None:
        """Make the scenario's schema and make it the current one."""
        for key, value in SETTINGS.items():
            self.conf(key, value)
        self._folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.place(""), ignore_errors=True)
        self.spark.sql(f"CREATE DATABASE IF NOT EXISTS {self.schema}")
        self.spark.sql(f"USE {self.schema}")

    def close(self) -> None:
        """Leave the session as it was."""
        self.spark.catalog.clearCache()
        self.spark._jsparkSession.sessionState().catalog().clearTempTables()
        self.spark.sql("USE default")
        self.spark.sql(f"DROP DATABASE IF EXISTS {self.schema} CASCADE")
        shutil.rmtree(self.place(""), ignore_errors=True)
        for key, value in self._settings.items():
            self._set(key, value)

    def folder(self, name: str) -> str:
        """Another path in the scenario's folder."""
        return str(self._folder / name)

    def place(self, table: str) -> Path:
        """The folder of a managed table of the scenario's schema, or of a path."""
        return Path(table if "/" in table else f"{self._warehouse}/{self.schema}.db/{table}")

    def conf(self, key: str, value: str) -> None:
        """Set a session setting until the scenario ends."""
        if key not in self._settings:
            self._settings[key] = self.spark.conf.get(key, None)
        self._set(key, value)

    def _set(self, key: str, value: str | None) -> None:
        if value is None:
            self.spark.conf.unset(key)
        else:
            self.spark.conf.set(key, value)

    def date_commit(self, table: str, version: int, time: dt.datetime) -> None:
        """Make a commit look as if it had been written at another time."""
        commit = self.place(table) / "_delta_log" / f"{version:020}.json"
        os.utime(commit, (time.timestamp(), time.timestamp()))

    def sql(self, text: str) -> DataFrame | None:
        """Run a statement and record its schema and rows, or its error."""
        line = " ".join(text.split())
        return self.show(line, lambda: self.spark.sql(text), ordered=bool(ORDERED.search(line)))

    def show(
        self, label: str, frame: DataFrame | Callable[[], DataFrame], *, ordered: bool = False
    ) -> DataFrame | None:
        """Record the schema and the rows of a frame, or the error it ends in."""
        made: list[DataFrame] = []

        def observe() -> Observation:
            made.append(frame() if callable(frame) else frame)
            shown = frame_lines(made[0], ordered=ordered)
            return shown if made[0].columns else {"ok": "no columns"}

        self._record(label, observe)
        return made[0] if made else None

    def attempt(self, label: str, action: Callable[[], object]) -> None:
        """Run an action and record that it went well, or its error."""

        def observe() -> Observation:
            action()
            return {"ok": "done"}

        self._record(label, observe)

    def value(self, label: str, value: Callable[[], object]) -> None:
        """Record what an expression gives, as text."""
        self._record(label, lambda: {"value": str(value())})

    def rows(self, label: str, lines: Callable[[], list[str]]) -> None:
        """Record lines that the scenario itself made."""
        self._record(label, lambda: {"rows": lines()})

    def history(self, target: str, *, columns: bool = False) -> None:
        """Record DESCRIBE HISTORY; with `columns`, its schema too."""

        def observe() -> Observation:
            frame = self.spark.sql(f"DESCRIBE HISTORY {target}")
            shown = [_history_line(row) for row in frame.collect()]
            schema = {"schema": frame.schema.simpleString()} if columns else {}
            return {**schema, "rows": shown}

        self._record(f"HISTORY {target}", observe)

    def detail(self, target: str) -> None:
        """Record DESCRIBE DETAIL, a line a column."""
        self._record(
            f"DETAIL {target}",
            lambda: {"rows": list(_detail_lines(self.spark.sql(f"DESCRIBE DETAIL {target}")))},
        )

    def log(self, table: str, first: int = 0) -> None:
        """Record the commits of a table of this schema, or of a path, from a version on."""
        self._record(f"LOG {table}", lambda: {"rows": log_lines(self.place(table), first)})

    def _record(self, label: str, observe: Callable[[], Observation]) -> None:
        try:
            shown = observe()
        except Exception as error:  # noqa: BLE001  # an error is an observation too
            shown = {"error": error_line(error)}
        self.seen.append({"step": self._step(self.normal(label)), **_deep(shown, self.normal)})

    def _step(self, label: str) -> str:
        count = self._steps[label] = self._steps.get(label, 0) + 1
        return label if count == 1 else f"{label} ({count})"


def _deep(shown: Observation, normal: Normaliser) -> Observation:
    return {
        key: [normal(line) for line in value] if isinstance(value, list) else normal(value)
        for key, value in shown.items()
    }


def _history_line(row: Row) -> str:
    shown = {key: value for key, value in row.asDict(recursive=True).items() if value is not None}
    shown["timestamp"] = "<time>"
    if "engineInfo" in shown:
        shown["engineInfo"] = "<engine>"
    metrics = shown.get("operationMetrics")
    if metrics:
        shown["operationMetrics"] = metric_texts(metrics)
    parameters = shown.get("operationParameters")
    if parameters:
        shown["operationParameters"] = {k: map_text(parameters[k]) for k in sorted(parameters)}
    return str(shown)


def _detail_lines(frame: DataFrame) -> Iterator[str]:
    types = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
    for row in frame.collect():
        for key, value in row.asDict(recursive=True).items():
            yield f"{key} {types[key]}: {_detail_value(key, value)}"


def _detail_value(key: str, value: Any) -> str:
    if key in {"createdAt", "lastModified"} and value is not None:
        return "<time>"
    if key in {"numFiles", "sizeInBytes"} and value:
        return "<n>"
    if isinstance(value, dict):
        return str({name: value[name] for name in sorted(value)})
    return str(value)
