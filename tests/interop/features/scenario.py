"""A table with a feature: the steps that make it on delta-spark, and what is read of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Tables of a few rows: compiling code for them costs more than it saves.
SESSION_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
    "spark.databricks.delta.snapshotPartitions": "1",
    # VACUUM lists folders in as many tasks, ten thousand if not told otherwise.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",
}

# SQL text, or what SQL cannot say. `{t}` stands for the table, `{other}` for one beside it.
Step = str | Callable[["SparkSession", Path], Any]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One table.

    Attributes:
        steps: What makes it.
        at: Versions that are read by time travel, besides the latest.
        queries: Statements whose rows both sides show; `{t}` stands for the table.
        settings: Settings of the session while the table is made.
        refused: What the refusal says, for a table that we do not read.
        breaks: Statements that every engine refuses, as the table's rules forbid the rows.
        goes_on: What another engine does to the table after its other work.
        unfit: Kinds of work that the table's rows do not allow.
    """

    steps: tuple[Step, ...]
    at: tuple[int, ...] = ()
    queries: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    refused: str | None = None
    breaks: tuple[str, ...] = ()
    goes_on: tuple[str, ...] = ()
    unfit: tuple[str, ...] = ()


def place(text: str, path: Path) -> str:
    """Put a table's path into a statement."""
    return text.replace("{t}", f"delta.`{path}`").replace("{other}", f"delta.`{other(path)}`")


def other(path: Path) -> Path:
    """The second table of a scenario."""
    return path.with_name(path.name + "_other")


def make(spark: SparkSession, scenario: Scenario, path: Path) -> None:
    """Run the steps in a session of their own, so that settings do not leak."""
    session = spark.newSession()
    for key, value in SESSION_SETTINGS.items():
        session.conf.set(key, value)
    for key, value in scenario.settings.items():
        session.conf.set(key, value)
    for step in scenario.steps:
        if callable(step):
            step(session, path)
        else:
            session.sql(place(step, path))


def one_file(rows: str, columns: str = "*") -> str:
    """An INSERT of literal rows that makes one file a partition."""
    return f"INSERT INTO {{t}} SELECT /*+ COALESCE(1) */ {columns} FROM VALUES {rows}"
