"""Makes the tables of the catalogue on a session, ours or theirs, and tells their rows as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.interop.catalogue import TABLES
from tests.parity.render import frame_lines

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession


def make_tables(spark: SparkSession, folder: Path) -> None:
    """Make every table of the catalogue under a folder."""
    zone = str(spark.conf.get("spark.sql.session.timeZone"))
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    try:
        for name, statements in TABLES.items():
            for statement in statements:
                spark.sql(statement.replace("{t}", f"delta.`{folder / name}`"))
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)


def lines_of(spark: SparkSession, path: Path) -> list[str]:
    """The rows of a Delta table at a path, sorted, with its schema on top."""
    shown = frame_lines(spark.read.format("delta").load(str(path)))
    return [shown["schema"], *shown["rows"]]
