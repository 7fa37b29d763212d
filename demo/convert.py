"""A lake of Parquet becomes Delta in place: the flights as six libraries write them, converted.

`make demo` tells it after the story of the flights, in the same session.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow.parquet as pq
from constraints import say
from dataset import with_delay
from parquet_writers import CLAUSE, WRITERS
from rich.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from rich.console import Console

PUREDELTA = Path(sys.executable).with_name("puredelta")
LAST = list(WRITERS)[-1]
"""The one that the command line converts."""


class Sums(NamedTuple):
    """What tells whether two tables have the same rows: how many, and the sum of their hashes."""

    rows: int
    hashes: int


def tell(spark: SparkSession, console: Console, source: Path) -> None:
    """Write the flights with each library, convert each folder, compare the rows."""
    flights = source.with_name("flights_with_delay.parquet")
    pq.write_table(with_delay(pq.read_table(source)), flights)
    expected = spark.read.parquet(str(flights))
    wanted = sums(expected, expected.columns)
    shown = Table("written by", "files", "converted in", "rows", box=None, header_style="bold")
    lake = source.with_name("lake")
    for writer, write in WRITERS.items():
        folder = lake / writer.lower()
        write(flights, folder, spark)
        before = files_of(folder)
        seconds = convert(spark, console, folder, by_command_line=writer == LAST)
        frame = spark.read.format("delta").load(str(folder))
        found = sums(frame, expected.columns)
        assert found == wanted, f"{writer}: {found} rows and hashes in place of {wanted}"
        assert before <= files_of(folder), "no data file is moved or written anew"
        shown.add_row(
            writer, f"{len(frame.inputFiles())}", f"{seconds:.1f} s", f"{found.rows:,}, equal"
        )
    shown.pad_edge, shown.padding = True, (0, 2, 0, 4)
    console.print(shown)
    go_on(spark, console, lake / "pyarrow")


def convert(spark: SparkSession, console: Console, folder: Path, *, by_command_line: bool) -> float:
    """Convert a folder by SQL, or by the command line, which needs no JVM; return the seconds."""
    started = time.perf_counter()
    if by_command_line:
        command = ["convert", str(folder), "--partitioned-by", CLAUSE]
        console.print(f"  [bold cyan]puredelta convert {folder.name} ...[/]")
        subprocess.run([PUREDELTA, *command], check=True, stdout=subprocess.DEVNULL)
    else:
        spark.sql(f"CONVERT TO DELTA parquet.`{folder}` PARTITIONED BY ({CLAUSE})")
    return time.perf_counter() - started


def sums(frame: DataFrame, names: list[str]) -> Sums:
    """Count the rows of a table, and add up the hashes of all their values."""
    typed = ", ".join("CAST(month AS BIGINT)" if name == "month" else name for name in names)
    # Cut short, hundreds of thousands of hashes add up to a BIGINT.
    return Sums(*frame.selectExpr("count(*)", f"sum(shiftright(xxhash64({typed}), 20))").first())


def files_of(folder: Path) -> set[tuple[str, int, int]]:
    """Name the files of a folder, each with its size and the time it was written."""
    stats = ((path, path.stat()) for path in folder.rglob("*") if path.is_file())
    return {(str(path), stat.st_size, stat.st_mtime_ns) for path, stat in stats}


def go_on(spark: SparkSession, console: Console, folder: Path) -> None:
    """Do with a converted table what a folder of Parquet cannot."""
    table = f"delta.`{folder}`"
    statements = (
        f"ALTER TABLE {table} ADD CONSTRAINT in_a_day CHECK (hour BETWEEN 0 AND 23)",
        f"INSERT INTO {table} (year, month, day, hour, carrier) VALUES (2014, 1, 1, 24, 'UA')",
        f"INSERT INTO {table} (year, month, day, hour, carrier) VALUES (2014, 1, 1, 23, 'UA')",
        f"SELECT count(*) AS flights FROM {table} WHERE month = 1",
        f"SELECT count(*) AS flights FROM {table} VERSION AS OF 0 WHERE month = 1",
        f"DESC HISTORY {table}",
    )
    for statement in statements:
        say(spark, console, statement)
