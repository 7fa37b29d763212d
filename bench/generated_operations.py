"""Generated and identity columns, timed: 8,000,000 rows written, one day of 1,000 planned.

Run by `bench/generated.py` for each side of Delta, with `spark` ready. Prints one JSON object:
seconds of each repetition by operation, and the number of files read.
"""

# ruff: noqa: SLF001  # planning alone, and the builder of delta-spark, are asked of the JVM

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROWS = 8_000_000
DAYS = 1_000
REPEATS = 3
PLANS = 20

FREE = "bulk write"
COMPUTED = "bulk write, one generated column computed"
GIVEN = "bulk write, one generated column given"
COUNTED = "bulk write, an identity column"
PLANNED = "plan one day of 1,000, asked by timestamp"
FILES = "files read"

# Columns of the rows that are written, as SQL over `id` of a range.
COLUMNS = {
    "id": ("BIGINT", "id"),
    "k": ("BIGINT", "id % 1000"),
    "i": ("INT", "cast(id % 100000 AS int)"),
    "d": ("DOUBLE", "rand(1)"),
    "dec": ("DECIMAL(12, 2)", "cast(rand(2) * 1e6 AS decimal(12, 2))"),
    "v": ("STRING", "concat('customer#', cast(id % 50000 AS string))"),
    "ts": ("TIMESTAMP", "timestamp_micros(1577836800000000 + id * 1000)"),
    "comment": ("STRING", "md5(cast(id AS string))"),
    "day": ("DATE", "cast(timestamp_micros(1577836800000000 + id * 1000) AS date)"),
}
DAY = {"day": "CAST(ts AS DATE)"}
EVENTS = {"id": "BIGINT", "ts": "TIMESTAMP", "day": "DATE"}
TYPES = {name: kind for name, (kind, _) in COLUMNS.items()}


def seconds(action: Callable[[], Any]) -> float:
    """Return how long an action took."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def declare(
    spark: Any,
    path: str,
    types: Mapping[str, str],
    generated: Mapping[str, str] | None = None,
    identity: str | None = None,
    partition: str | None = None,
) -> None:
    """Make a table on our side, by SQL, or on that of delta-spark, whose SQL cannot say it."""
    if sys.argv[2] == "delta-spark":
        _build(spark, path, types, generated or {}, identity, partition)
        return
    clauses = {name: f" GENERATED ALWAYS AS ({text})" for name, text in (generated or {}).items()}
    if identity:
        clauses[identity] = " GENERATED ALWAYS AS IDENTITY"
    columns = ", ".join(f"{name} {kind}{clauses.get(name, '')}" for name, kind in types.items())
    by = f" PARTITIONED BY ({partition})" if partition else ""
    spark.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta{by}")


def _build(
    spark: Any,
    path: str,
    types: Mapping[str, str],
    generated: Mapping[str, str],
    identity: str | None,
    partition: str | None,
) -> None:
    tables = spark._jvm.io.delta.tables.DeltaTable
    builder = tables.create(spark._jsparkSession).location(path)
    for name, kind in types.items():
        column = tables.columnBuilder(spark._jsparkSession, name).dataType(kind)
        if name in generated:
            column = column.generatedAlwaysAs(generated[name])
        elif name == identity:
            column = column.generatedAlwaysAsIdentity(1, 1)
        builder = builder.addColumn(column.build())
    if partition:
        names = spark.sparkContext._gateway.new_array(spark._jvm.java.lang.String, 1)
        names[0] = partition
        builder = builder.partitionedBy(names)
    builder.execute()


def rows(spark: Any, count: int, without: str = "") -> Any:
    """Return the rows that are written, all columns or without one."""
    texts = [f"{text} AS {name}" for name, (_, text) in COLUMNS.items() if name != without]
    return spark.range(0, count, 1, 2).selectExpr(*texts)


def bulk_writes(spark: Any, folder: Path) -> dict[str, list[float]]:
    """Time the same write into a table without rules and into those with them, taking turns."""
    declare(spark, f"{folder}/free", TYPES)
    declare(spark, f"{folder}/day", TYPES, DAY)
    declare(spark, f"{folder}/key", TYPES, identity="id")
    writes = {
        FREE: ("free", ""),
        COMPUTED: ("day", "day"),
        GIVEN: ("day", ""),
        COUNTED: ("key", "id"),
    }
    taken: dict[str, list[float]] = {name: [] for name in writes}
    for repeat in range(REPEATS + 1):
        for operation, (table, without) in writes.items():
            # The first round warms up.
            frame = rows(spark, ROWS if repeat else ROWS // 20, without)
            to = frame.write.format("delta").mode("overwrite")
            passed = seconds(lambda to=to, table=table: to.save(f"{folder}/{table}"))
            if repeat:
                taken[operation].append(passed)
            for old in Path(folder, table).glob("*.parquet"):
                if old.stat().st_mtime < time.time() - 60:
                    old.unlink()
    return taken


def one_day(spark: Any, folder: Path) -> dict[str, list[float]]:
    """Time from the text of a query for one day to the tasks that would run, and count files."""
    path = f"{folder}/events"
    declare(spark, path, EVENTS, DAY, partition="day")
    events = spark.range(0, DAYS, 1, 2).selectExpr(
        "id", "timestamp'2020-01-01 12:00:00' + make_dt_interval(cast(id AS int)) AS ts"
    )
    events.write.format("delta").mode("append").save(path)
    # The leaves of an adaptive plan are hidden in it.
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    taken: dict[str, list[float]] = {PLANNED: [], FILES: []}
    for repeat in range(PLANS + 5):
        moment = f"timestamp'2021-03-{repeat + 1:02} "
        text = (
            f"SELECT * FROM delta.`{path}` WHERE ts >= {moment}00:00:00'"
            f" AND ts <= {moment}23:59:59'"
        )
        passed = seconds(lambda text=text: spark.sql(text)._jdf.queryExecution().toRdd())
        if repeat >= 5:
            taken[PLANNED].append(passed)
    frame = spark.sql(text)
    assert len(frame.collect()) == 1
    scan = frame._jdf.queryExecution().executedPlan().collectLeaves().apply(0)
    taken[FILES].append(float(scan.metrics().apply("numFiles").value()))
    return taken


def main(spark: Any) -> None:
    """Run all operations of one side."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    try:
        result = bulk_writes(spark, folder) | one_day(spark, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("RESULT " + json.dumps(result), flush=True)


if __name__ == "__main__":
    main(spark)  # type: ignore[name-defined]  # noqa: F821  # given by the runner
