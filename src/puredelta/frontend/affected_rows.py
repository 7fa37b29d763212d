"""The result of DELETE and UPDATE, of the statements as well as of the methods."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import LongType, StructField, StructType

from puredelta.commands.dml.row_change import Changed
from puredelta.engine.session.spark_objects import frame_of_rows

_AFFECTED = "num_affected_rows"
# Whole files were removed whose number of rows no statistics record.
_UNKNOWN = -1

AFFECTED_ROWS = StructType([StructField(_AFFECTED, LongType())])
"""The columns of the result."""


def answer_of(changed: Changed) -> list[dict[str, Any]]:
    """Return the rows of the result; none for a transaction that was run before."""
    if changed.skipped:
        return []
    return [{_AFFECTED: _UNKNOWN if changed.rows is None else changed.rows}]


def affected_rows(session: SparkSession, changed: Changed) -> DataFrame:
    """Return how many rows a statement changed, in one row."""
    return frame_of_rows(session, answer_of(changed), AFFECTED_ROWS)
