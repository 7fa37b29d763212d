"""Steps that the parity modules about CONVERT TO DELTA share: what there is to convert."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def files(
    t: Recorder, query: str = "SELECT id, id * 2 AS v FROM range(6)", *by: str, place: str = ""
) -> str:
    """Write a folder of Parquet, one file a partition, and return it."""
    folder = place or t.path
    t.spark.sql(query).coalesce(1).write.mode("append").partitionBy(*by).parquet(folder)
    return folder


def partitioned(t: Recorder, place: str = "") -> str:
    """Write the folders p=0, p=1 and p=2 below each of q=a and q=b."""
    query = "SELECT id, id % 3 AS p, IF(id % 2 = 0, 'a', 'b') AS q FROM range(12)"
    return files(t, query, "q", "p", place=place)


def shown(t: Recorder, table: str, *, by: str = "1, 2") -> None:
    """Record the rows, the history and the log of what a conversion made."""
    t.sql(f"SELECT * FROM {table} ORDER BY {by}")
    t.history(table)
    place = table.split("`")[1] if "`" in table else table
    t.log(place)
