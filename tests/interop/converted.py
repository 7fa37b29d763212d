"""Flights by each writer of Parquet, converted; what a session tells of them, on both sides."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.interop.observe import in_threads

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

CLAUSE = "month INT, delay STRING"
OURS, THEIRS = "ours", "theirs"

# There are rows enough here for compiled code to pay.
SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.codegen.wholeStage": "true",
    "spark.sql.codegen.factoryMode": "FALLBACK",
}


def convert(spark: SparkSession, path: Path) -> None:
    """Convert a folder of flights."""
    spark.sql(f"CONVERT TO DELTA parquet.`{path}` PARTITIONED BY ({CLAUSE})")


def convert_and_tell(spark: SparkSession, folder: Path) -> dict[str, Any]:
    """Convert the folders that are theirs, and tell of all, by path below the folder."""

    def one(name: str) -> dict[str, Any]:
        if name.startswith(THEIRS):
            convert(spark, folder / name)
        return tell(spark, folder / name)

    for key, value in SETTINGS.items():
        spark.conf.set(key, value)
    return in_threads(one, [str(path.relative_to(folder)) for path in sorted(folder.glob("*/*"))])


def tell(spark: SparkSession, path: Path) -> dict[str, Any]:
    """Tell the schema, the rows in sum, the rows of each partition, and the history."""
    frame = spark.read.format("delta").load(str(path))
    names = sorted(frame.columns)
    texts = ", ".join(f"CAST(`{name}` AS STRING)" for name in names)
    sums = f"CAST(sum(CAST(xxhash64({texts}) AS DECIMAL(38, 0))) AS STRING) AS hashes"
    rows = frame.groupBy("month", "delay").count().collect()
    history = spark.sql(f"DESCRIBE HISTORY delta.`{path}`").drop("timestamp", "engineInfo")
    return {
        "schema": json.loads(frame.schema.json()),
        "sums": frame.selectExpr("count(*) AS n", sums).first().asDict(),
        "partitions": sorted([row.month, row.delay or "null", row[2]] for row in rows),
        "history": [row.asDict(recursive=True) for row in history.collect()],
    }
