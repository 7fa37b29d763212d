"""The flights of January, streamed day by day into a second table by a query that is killed."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

DAYS = 31
DAYS_BEFORE_KILL = 5


def stream(spark: SparkSession, console: Any, source: Path) -> None:
    """Commit a day at a time to one table and stream it to another, with a kill in the middle.

    Args:
        spark: The session.
        console: Where lines are printed.
        source: A Parquet file of all flights.
    """
    days, target = source.parent / "days", source.parent / "streamed"
    flights = spark.read.parquet(str(source)).where("month = 1").cache()
    for day in range(1, DAYS + 1):
        one_day = flights.where(f"day = {day}").coalesce(1)
        one_day.write.format("delta").mode("append").save(str(days))
    console.print(f"    {DAYS} commits, a day of January each: {flights.count():,} flights")
    query = _start(days, target)
    _wait_for_days(query, target)
    query.kill()
    query.wait()
    console.print(f"    kill -9 of the query after {_days(target)} days")
    if _start(days, target).wait() != 0:
        raise SystemExit("the second run of the query failed")
    streamed = spark.read.format("delta").load(str(target))
    lost, doubled = flights.exceptAll(streamed).count(), streamed.exceptAll(flights).count()
    console.print(f"    started again, it went on to {_days(target)} days")
    if lost or doubled:
        raise SystemExit(f"{lost} flights are lost, {doubled} are doubled")
    console.print("    [bold green]no flight is lost, none is doubled[/]")


def _start(source: Path, target: Path) -> subprocess.Popen[bytes]:
    script = Path(__file__).with_name("stream_days.py")
    command = [sys.executable, str(script), str(source), str(target), f"{target}-checkpoint"]
    log = (target.parent / "stream.log").open("ab")
    return subprocess.Popen(command, stdout=log, stderr=log)


def _wait_for_days(query: subprocess.Popen[bytes], target: Path) -> None:
    while _days(target) < DAYS_BEFORE_KILL:
        if query.poll() is not None:
            raise SystemExit("the query ended before it could be killed")
        time.sleep(0.05)


def _days(table: Path) -> int:
    """Return the number of commits of a table, 0 for one that is not there yet."""
    commits = (table / "_delta_log").glob("*.json")
    return sum(1 for _ in commits)
