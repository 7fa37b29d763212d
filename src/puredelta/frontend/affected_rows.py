"""What DELETE and UPDATE answer with, as a statement and as a method."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import LongType, StructField, StructType

from puredelta.commands.dml.row_change import Changed
from puredelta.engine.session.spark_objects import frame_of_rows

_AFFECTED = "num_affected_rows"
# Whole files went whose rows nobody has counted.
_UNKNOWN = -1

AFFECTED_ROWS = StructType([StructField(_AFFECTED, LongType())])
"""The columns of the answer."""


def answer_of(changed: Changed) -> list[dict[str, Any]]:
    """Return the rows of the answer; none for a transaction that was run before."""
    if changed.skipped:
        return []
    return [{_AFFECTED: _UNKNOWN if changed.rows is None else changed.rows}]


def affected_rows(session: SparkSession, changed: Changed) -> DataFrame:
    """Return how many rows a statement changed, in one row."""
    return frame_of_rows(session, answer_of(changed), AFFECTED_ROWS)
