"""Iceberg tables of Spark, converted by us without a session; what a session reads of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

NAMES = ("columns", "deletes_v2", "deletes_v3", "evolved", "imported", "transforms")


def read_converted(spark: SparkSession, folder: Path) -> dict[str, Any]:
    """Read the rows of each table, as JSON in the order of their ids."""
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    return {name: _rows(spark, folder / name) for name in NAMES}


def _rows(spark: SparkSession, path: Path) -> list[Any]:
    query = f"SELECT to_json(struct(*)) j FROM delta.`{path}` ORDER BY id"
    return [json.loads(row.j) for row in spark.sql(query).collect()]
