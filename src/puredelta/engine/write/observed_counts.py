"""Rows counted on their way through a job: no job of its own, no pass over the data."""

import json
from collections.abc import Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.bridge.classes import static_method

_NAME = "puredelta_counts"


def with_counter(rows: DataFrame, conditions: Mapping[str, Column]) -> DataFrame:
    """Return the same rows, which are counted when they are computed.

    Args:
        rows: the rows.
        conditions: which of them are counted, by the name of the count.
    """
    counts = [F.count_if(condition).alias(name) for name, condition in conditions.items()]
    return rows.observe(_NAME, *counts)


def counts_of(rows: DataFrame) -> dict[str, int]:
    """Return the counts of a DataFrame that was computed itself, not one derived from it.

    Returns:
        An empty dict where no row came out: Spark may have optimized the counter away.
    """
    found = rows._jdf.queryExecution().observedMetrics()
    counted = static_method("scala.jdk.javaapi.CollectionConverters", "asJava")(found)
    row = counted.get(_NAME)
    if row is None:
        return {}
    counts: dict[str, int] = json.loads(row.json())
    return counts
