"""Columns that a table fills by itself: flights by a day that is computed, found by their time.

`make demo` tells it after the story of the flights, in the same session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from constraints import say

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession
    from rich.console import Console

ZONE = "America/New_York"
DAYS = 365
TABLE = "flights_by_day"
CREATE = (
    f"CREATE TABLE {TABLE} (key BIGINT GENERATED ALWAYS AS IDENTITY, time_hour TIMESTAMP,"
    " carrier STRING, day DATE GENERATED ALWAYS AS (CAST(time_hour AS DATE)))"
    " USING delta PARTITIONED BY (day)"
)
FILL = f"INSERT INTO {TABLE} (time_hour, carrier) SELECT time_hour, carrier FROM parquet.`{{}}`"
WRONG = f"INSERT INTO {TABLE} (time_hour, day) VALUES ('2013-07-04 12:00:00', DATE'2013-07-05')"
COUNT = f"SELECT count(DISTINCT day) AS days, count(DISTINCT key) AS keys FROM {TABLE}"
QUERY = (
    f"SELECT key, carrier FROM {TABLE}"
    " WHERE time_hour BETWEEN '2013-07-04 00:00:00' AND '2013-07-04 23:59:59'"
)


def tell(spark: SparkSession, console: Console, source: Path) -> None:
    """Write all flights into 365 partitions that no writer names, and find one of them."""
    zone = str(spark.conf.get("spark.sql.session.timeZone"))
    spark.conf.set("spark.sql.session.timeZone", ZONE)
    try:
        fill(spark, console, source)
        find_one_day(spark, console)
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)


def fill(spark: SparkSession, console: Console, source: Path) -> None:
    """Declare the table, and write flights that have neither key nor day."""
    for statement in (CREATE, FILL.format(source), WRONG, COUNT):
        say(spark, console, statement)
    assert spark.table(TABLE).select("day").distinct().count() == DAYS


def find_one_day(spark: SparkSession, console: Console) -> None:
    """Ask by time; show which filters on the partitions were derived, and what was read."""
    console.print(f"  [bold cyan]EXPLAIN {QUERY};[/]", soft_wrap=True)
    plan = spark.sql(f"EXPLAIN FORMATTED {QUERY}").first().plan
    shown = next(line for line in plan.splitlines() if line.startswith("PartitionFilters"))
    console.print(f"    {shown}", markup=False, soft_wrap=True)
    frame = spark.sql(QUERY)
    flights = len(frame.collect())
    scan = frame._jdf.queryExecution().executedPlan().collectLeaves().apply(0)  # noqa: SLF001  # metrics
    read, files = scan.metrics().apply("numFiles").value(), len(spark.table(TABLE).inputFiles())
    assert read < files / 100
    console.print(f"    [bold green]{flights} flights; {read} of {files} files were read[/]")
