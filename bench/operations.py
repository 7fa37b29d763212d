"""The operations that are timed, the same text for each side.

Run by `bench/run.py` in a process of its own for each side, with `spark` ready:
`FORMAT` is `delta` on both sides of Delta and `parquet` for the limit that Spark itself sets.
Prints one JSON object: seconds of each repetition by operation.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SMALL_REPEATS = 30
BULK_ROWS = 8_000_000
BULK_REPEATS = 3
PARTITIONS = 1_000
PARTITION_ROWS = 1_000_000
PEAK = "peak memory of the driver, MB"


def timed(action: Callable[[], Any], repeats: int, warm: int = 3) -> list[float]:
    """Return the seconds of each repetition, after some that don't count."""
    for _ in range(warm):
        action()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return seconds


def small(spark: Any, folder: Path) -> dict[str, list[float]]:
    """Time what metadata decides: small appends and reads, history, detail."""
    table = f"delta.`{folder}/small`"
    ten = ", ".join(f"({i}, 'v{i}')" for i in range(10))
    spark.sql(f"CREATE TABLE {table} (id BIGINT, v STRING) USING delta")
    result = {
        "append 10 rows (INSERT VALUES)": timed(
            lambda: spark.sql(f"INSERT INTO {table} VALUES {ten}"), SMALL_REPEATS
        ),
        "append 10 rows (DataFrame)": timed(
            lambda: (
                spark.range(10)
                .selectExpr("id", "'x' AS v")
                .coalesce(1)
                .write.format("delta")
                .mode("append")
                .save(f"{folder}/small")
            ),
            SMALL_REPEATS,
        ),
        "history": timed(lambda: spark.sql(f"DESCRIBE HISTORY {table}").collect(), SMALL_REPEATS),
        "detail": timed(lambda: spark.sql(f"DESCRIBE DETAIL {table}").collect(), SMALL_REPEATS),
    }
    few = f"delta.`{folder}/few`"
    spark.sql(f"CREATE TABLE {few} (id BIGINT, v STRING) USING delta")
    spark.sql(f"INSERT INTO {few} VALUES {ten}")
    result["small read"] = timed(
        lambda: spark.sql(f"SELECT * FROM {few} WHERE id = 3").collect(), SMALL_REPEATS
    )
    return result


def small_parquet(spark: Any, folder: Path) -> dict[str, list[float]]:
    """Time the same small write and read on plain Parquet."""
    path = f"{folder}/small"
    rows = spark.range(10).selectExpr("id", "'x' AS v").coalesce(1)
    rows.write.parquet(path)
    few = f"{folder}/few"
    rows.write.parquet(few)
    return {
        "append 10 rows (DataFrame)": timed(
            lambda: rows.write.mode("append").parquet(path), SMALL_REPEATS
        ),
        "small read": timed(
            lambda: spark.read.parquet(few).where("id = 3").collect(), SMALL_REPEATS
        ),
    }


def bulk(spark: Any, folder: Path, form: str) -> dict[str, list[float]]:
    """Time the bulk write and the scan."""
    rows = spark.range(0, BULK_ROWS, 1, 2).selectExpr(
        "id",
        "id % 1000 AS k",
        "cast(id % 100000 AS int) AS i",
        "rand(1) AS d",
        "cast(rand(2) * 1e6 AS decimal(12, 2)) AS dec",
        "concat('customer#', cast(id % 50000 AS string)) AS v",
        "date_add(date'2020-01-01', cast(id % 1000 AS int)) AS day",
        "timestamp_micros(1577836800000000 + id * 1000) AS ts",
        "md5(cast(id AS string)) AS comment",
    )
    path = f"{folder}/bulk"

    def write() -> None:
        shutil.rmtree(path, ignore_errors=True)
        # The same timestamps on each side: ours are never INT96.
        rows.write.format(form).save(path)

    result = {f"bulk write, {BULK_ROWS:,} rows": timed(write, BULK_REPEATS, warm=1)}
    result["scan with aggregate"] = timed(
        lambda: (
            spark.read.format(form)
            .load(path)
            .selectExpr("sum(i)", "max(v)", "sum(dec)", "count(*)")
            .collect()
        ),
        2 * BULK_REPEATS,
        warm=2,
    )
    return result


def partitioned(spark: Any, folder: Path, form: str) -> dict[str, list[float]]:
    """Time a write into many partitions, and the overwrite of one of them."""
    rows = spark.range(0, PARTITION_ROWS, 1, 2).selectExpr(
        "id",
        "concat('customer#', cast(id % 50000 AS string)) AS v",
        "rand(1) AS d",
        "timestamp_micros(1577836800000000 + id * 1000) AS ts",
        f"id % {PARTITIONS} AS p",
    )
    path = f"{folder}/partitioned"

    def write() -> None:
        shutil.rmtree(path, ignore_errors=True)
        rows.write.format(form).partitionBy("p").save(path)

    result = {f"write into {PARTITIONS:,} partitions": timed(write, BULK_REPEATS, warm=1)}
    one = rows.limit(100).withColumn("p", rows["p"] * 0 + 7).coalesce(1)
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    result[f"overwrite one of {PARTITIONS:,} partitions"] = timed(
        lambda: one.write.format(form).mode("overwrite").partitionBy("p").save(path), 10
    )
    spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    return result


def peak_memory(spark: Any) -> float:
    """Return the most memory that this process and its JVM had, in MB."""
    total = 0
    for process in ("self", spark.sparkContext._gateway.proc.pid):  # noqa: SLF001
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
        total += int(status.partition("VmHWM:")[2].split()[0])
    return total / 1024


def main(spark: Any, form: str) -> None:
    """Run all operations of one side."""
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        result = small(spark, folder) if form == "delta" else small_parquet(spark, folder)
        result |= partitioned(spark, folder, form)
        result |= bulk(spark, folder, form)
        result[PEAK] = [peak_memory(spark)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("RESULT " + json.dumps(result), flush=True)


if __name__ == "__main__":
    main(spark, sys.argv[1])  # type: ignore[name-defined]  # noqa: F821  # given by the runner
