"""Beside deltalake, which has no Spark: MERGE, DELETE, UPDATE and CONVERT, in turns in one process.

python bench/deltalake_turns.py           writes its part of RESULTS.md, as `run.py` does
python bench/deltalake_turns.py 0.01      prints what a table of a hundredth of the rows gives

Both change copies of the same tables, which Spark wrote. The session of Spark is warm, and each
operation ran once before. `bench/log_scale.py` opens and lists large tables with both.
"""

import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import deltalake
import pyarrow.parquet as pq
from changes_operations import (
    CLUSTERED,
    KEYS,
    PART,
    ROWS,
    SPREAD,
    VECTORS,
    copied,
    declare,
    rows_of,
    seconds,
    source_rows,
)
from pyspark.sql import SparkSession
from results_page import DELTALAKE, put

import puredelta

REPEATS = 3
CONVERTED = 2_000
"""The folder that CONVERT gets has so many files."""

_GONE = "id % 1000 = 7"

Change = Callable[[Path], Any]
Turns = dict[str, tuple[list[float], list[float]]]


def spark_session() -> SparkSession:
    """Start the session that all statements of ours run in."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", tempfile.mkdtemp())
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def take_turns(
    ours: Change, theirs: Change, table: Path, their_table: Path | None = None
) -> tuple[list[float], list[float]]:
    """Time two changes of a table, each of a copy of its own, one after the other.

    Args:
        ours: Our change of a table.
        theirs: That of deltalake.
        table: What is copied.
        their_table: What is copied for deltalake, where that is another table.

    Returns:
        The seconds of each repetition: ours, theirs.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for repeat in range(REPEATS + 1):
        for number, (change, copied_from) in enumerate(
            ((ours, table), (theirs, their_table or table))
        ):
            copy = copied(copied_from, table.parent / "copy")
            taken = seconds(lambda change=change, copy=copy: change(copy))
            # The first round warms up.
            if repeat:
                times[number].append(taken)
            shutil.rmtree(copy)
    return times


def merges(spark: SparkSession, folder: Path, rows: int) -> Turns:
    """MERGE rows from Parquet, half of which are in the table."""
    found = {}
    for name in (SPREAD, CLUSTERED):
        source = folder / f"source-{name}"
        source_rows(spark, name, rows).write.parquet(str(source))

        def ours(table: Path, source: Path = source) -> None:
            spark.sql(
                f"MERGE INTO delta.`{table}` t USING parquet.`{source}` s ON t.id = s.id"
                " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
            )

        def theirs(table: Path, source: Path = source) -> None:
            merge = deltalake.DeltaTable(str(table)).merge(
                pq.read_table(source), "t.id = s.id", source_alias="s", target_alias="t"
            )
            merge.when_matched_update_all().when_not_matched_insert_all().execute()

        operation = f"MERGE {rows // PART:,} rows, {KEYS[name]}"
        found[operation] = take_turns(ours, theirs, folder / name)
    return found


def changes(spark: SparkSession, folder: Path) -> Turns:
    """Change a few rows of all files, and one row; ours with vectors and without them."""

    def delete(table: Path) -> None:
        spark.sql(f"DELETE FROM delta.`{table}` WHERE {_GONE}")

    def their_delete(table: Path) -> None:
        deltalake.DeltaTable(str(table)).delete(_GONE)

    def update(table: Path) -> None:
        spark.sql(f"UPDATE delta.`{table}` SET v = 'updated' WHERE id = 4711")

    def their_update(table: Path) -> None:
        deltalake.DeltaTable(str(table)).update(predicate="id = 4711", updates={"v": "'updated'"})

    plain, marked = folder / SPREAD, folder / VECTORS

    return {
        "DELETE 0.1 % of rows, files rewritten": take_turns(delete, their_delete, plain),
        "DELETE 0.1 % of rows, ours with vectors": take_turns(delete, their_delete, marked, plain),
        "UPDATE one row, files rewritten": take_turns(update, their_update, plain),
        "UPDATE one row, ours with vectors": take_turns(update, their_update, marked, plain),
    }


def conversions(spark: SparkSession, folder: Path) -> Turns:
    """Convert a folder of small Parquet files, of which only the footers are read."""
    parquet = folder / "parquet"
    (parquet / "_delta_log").mkdir(parents=True)
    spark.range(1000).selectExpr("id", "'x' AS v").coalesce(1).write.parquet(str(folder / "one"))
    one = next((folder / "one").glob("*.parquet"))
    for number in range(CONVERTED):
        shutil.copy(one, parquet / f"part-{number:05d}.parquet")

    def ours(table: Path) -> None:
        (table / "_delta_log").rmdir()
        spark.sql(f"CONVERT TO DELTA parquet.`{table}`")

    def theirs(table: Path) -> None:
        (table / "_delta_log").rmdir()
        deltalake.convert_to_deltalake(str(table))

    return {f"CONVERT {CONVERTED:,} files": take_turns(ours, theirs, parquet)}


def deltalake_turns(scale: float = 1) -> str:
    """Measure both and return the results as a section of a page.

    Args:
        scale: by which the number of rows is multiplied.
    """
    rows = int(ROWS * scale)
    spark = spark_session()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table in (SPREAD, CLUSTERED, VECTORS):
            declare(spark, folder / table, vectors=table == VECTORS)
            frame = rows_of(spark, table, rows)
            frame.write.format("delta").mode("append").save(str(folder / table))
        turns = {
            **merges(spark, folder, rows),
            **changes(spark, folder),
            **conversions(spark, folder),
        }
    spark.stop()
    lines = [
        "",
        (
            f"{DELTALAKE}{deltalake.__version__}, which has no Spark, on {rows:,} rows,"
            " 12 columns, 16 files, in turns, medians of 3, ms (`python bench/deltalake_turns.py`):"
        ),
        "",
        "| operation | puredelta | deltalake | ratio | in the turns |",
        "|---|---:|---:|---:|---|",
        *(line(operation, *times) for operation, times in turns.items()),
        "",
    ]
    return "\n".join(lines)


def line(operation: str, ours: list[float], theirs: list[float]) -> str:
    """Write an operation as a row of a Markdown table."""
    ratios = sorted(mine / other for mine, other in zip(ours, theirs, strict=True))
    mine, other = (statistics.median(times) * 1000 for times in (ours, theirs))
    return (
        f"| {operation} | {mine:,.0f} | {other:,.0f} | {mine / other:.2f} "
        f"| {ratios[0]:.2f} to {ratios[-1]:.2f} |"
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(deltalake_turns(float(sys.argv[1])))
    else:
        section = deltalake_turns()
        put(DELTALAKE, section)
        print(section)
