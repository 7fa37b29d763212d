"""Constraints on 8,000,000 rows, timed: added by proof, added by a scan, kept by a write.

Run by `bench/constraints.py` for each side of Delta, with `spark` ready. Prints one JSON object:
seconds of each repetition by operation.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROWS = 8_000_000
REPEATS = 3

PROVEN, SCANNED = "ADD CONSTRAINT, proven", "ADD CONSTRAINT, scanned"
FREE, KEPT = "bulk write", "bulk write, three constraints"

CONSTRAINTS = {
    "positive": "id >= 0 AND k < 1000",
    "named": "v LIKE 'customer#%'",
    "recent": "day >= date'2020-01-01' AND ts IS NOT NULL",
}


def seconds(action: Callable[[], Any]) -> float:
    """Return how long an action took."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def rows(spark: Any) -> Any:
    """Return the rows that are written."""
    return spark.range(0, ROWS, 1, 2).selectExpr(
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


def added(spark: Any, table: str, expression: str) -> float:
    """Time ADD CONSTRAINT alone; the constraint goes again."""
    taken = seconds(lambda: spark.sql(f"ALTER TABLE {table} ADD CONSTRAINT c CHECK ({expression})"))
    spark.sql(f"ALTER TABLE {table} DROP CONSTRAINT c")
    return taken


def main(spark: Any) -> None:
    """Run all operations of one side."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    result: dict[str, list[float]] = {name: [] for name in (FREE, KEPT, PROVEN, SCANNED)}
    try:
        for name in ("free", "kept"):
            rows(spark).limit(0).write.format("delta").save(f"{folder}/{name}")
        for name, expression in CONSTRAINTS.items():
            table = f"delta.`{folder}/kept`"
            spark.sql(f"ALTER TABLE {table} ADD CONSTRAINT {name} CHECK ({expression})")
        for repeat in range(REPEATS + 1):
            for name, operation in (("free", FREE), ("kept", KEPT)):
                to = rows(spark).write.format("delta").mode("overwrite")
                taken = seconds(lambda to=to, name=name: to.save(f"{folder}/{name}"))
                if repeat:
                    result[operation].append(taken)
                for old in Path(folder, name).glob("*.parquet"):
                    if old.stat().st_mtime < time.time() - 60:
                        old.unlink()
        table = f"delta.`{folder}/free`"
        for repeat in range(2 * REPEATS + 1):
            proven = added(spark, table, "id >= 0 AND day >= date'2020-01-01'")
            scanned = added(spark, table, "v LIKE '%#%' AND length(comment) = 32")
            if repeat:
                result[PROVEN].append(proven)
                result[SCANNED].append(scanned)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("RESULT " + json.dumps(result), flush=True)


if __name__ == "__main__":
    main(spark)  # type: ignore[name-defined]  # noqa: F821  # given by the runner
