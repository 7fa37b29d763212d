"""What a MERGE answers with."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import LongType, StructField, StructType

from puredelta.commands.merge.merge import MergeResult
from puredelta.engine.session.spark_objects import frame_of_rows

MERGE_RESULT = StructType(
    [
        StructField(f"num_{what}_rows", LongType())
        for what in ("affected", "updated", "deleted", "inserted")
    ]
)


def merge_result(session: SparkSession, done: MergeResult) -> DataFrame:
    """Return how many rows a MERGE changed, in one row."""
    return frame_of_rows(session, [done.row], MERGE_RESULT)
