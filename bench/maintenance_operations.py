"""The statements of maintenance, timed.

Run by `bench/maintenance.py` for each side of Delta, with `spark` ready. Prints one JSON object:
seconds of each repetition by operation, and what the incremental clustering rewrote. Arguments
after the format are the names of the steps to run; without any, all run.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FILES = 2_000
MORE_FILES = 100_000
ROWS = 8_000_000

OPTIMIZE = "OPTIMIZE, 2,000 files"
ZORDER = "OPTIMIZE ZORDER BY two columns, 8,000,000 rows"
VACUUM_SMALL = "VACUUM DRY RUN, 2,000 files to delete"
VACUUM_LARGE = "VACUUM DRY RUN, 100,000 files to delete"
RESTORE = "RESTORE, 2,000 files come and go"
CLONE = "SHALLOW CLONE, 2,000 files"
CLUSTER_ALL = "OPTIMIZE, clustered by two columns, 8,000,000 rows"
CLUSTER_MORE = "OPTIMIZE after 1 % of new rows, clustered"
REWRITTEN_FILES = "files rewritten after 1 % of new rows"
REWRITTEN_BYTES = "bytes rewritten after 1 % of new rows"


def main(spark: Any) -> None:
    """Run all operations of one side."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    taken: dict[str, list[float]] = {}
    try:
        chosen = sys.argv[2:]
        for steps in STEPS:
            if chosen and steps.__name__ not in chosen:
                continue
            for operation, value in steps(spark, folder):
                taken.setdefault(operation, []).append(value)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("RESULT " + json.dumps(taken), flush=True)


def compaction(spark: Any, folder: Path) -> Iterator[tuple[str, float]]:
    """Time the compaction of 2,000 files of ten rows."""
    base = _small_files(spark, folder / "compacted")
    for repeat in range(4):
        copy = _copied(base, folder / f"optimize-{repeat}")
        seconds = _seconds(spark, f"OPTIMIZE delta.`{copy}`")
        if repeat:
            yield OPTIMIZE, seconds
        shutil.rmtree(copy)


def file_lists(spark: Any, folder: Path) -> Iterator[tuple[str, float]]:
    """Time what works on the lists of 2,000 files that replaced 2,000 others."""
    base = _small_files(spark, folder / "small")
    yield from _vacuum(spark, base, VACUUM_SMALL, 2)
    for repeat in range(6):
        seconds = _seconds(
            spark, f"CREATE TABLE delta.`{folder}/c{repeat}` SHALLOW CLONE delta.`{base}`"
        )
        if repeat:
            yield CLONE, seconds
    for index in range(MORE_FILES - FILES):
        (base / f"part-{index:05}-stray.parquet").touch()
    yield from _vacuum(spark, base, VACUUM_LARGE, 2)
    for repeat in range(6):
        seconds = _seconds(spark, f"RESTORE TABLE delta.`{base}` TO VERSION AS OF {repeat % 2}")
        if repeat:
            yield RESTORE, seconds


def wide_rows(spark: Any, folder: Path) -> Iterator[tuple[str, float]]:
    """Time the rewrite of 8,000,000 rows in the order of a Z-curve over two columns."""
    base = folder / "wide"
    _rows(spark, 0, ROWS).repartition(8).write.format("delta").save(str(base))
    for repeat in range(2):
        copy = _copied(base, folder / f"zorder-{repeat}")
        yield ZORDER, _seconds(spark, f"OPTIMIZE delta.`{copy}` ZORDER BY (a, b)")
        shutil.rmtree(copy)
    shutil.rmtree(base)


def clustered_rows(spark: Any, folder: Path) -> Iterator[tuple[str, float]]:
    """Time the first clustering of a table, and the next after 1 % of new rows."""
    path = folder / "clustered"
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id BIGINT, a BIGINT, b BIGINT, s STRING) USING delta "
        "CLUSTER BY (a, b)"
    )
    _rows(spark, 0, ROWS).repartition(8).write.format("delta").mode("append").save(str(path))
    yield CLUSTER_ALL, _seconds(spark, f"OPTIMIZE delta.`{path}`")
    _rows(spark, ROWS, ROWS + ROWS // 100).write.format("delta").mode("append").save(str(path))
    yield CLUSTER_MORE, _seconds(spark, f"OPTIMIZE delta.`{path}`")
    metrics = spark.sql(f"DESCRIBE HISTORY delta.`{path}` LIMIT 1").first()["operationMetrics"]
    yield REWRITTEN_FILES, float(metrics["numRemovedFiles"])
    yield REWRITTEN_BYTES, float(metrics["numRemovedBytes"])


STEPS = (compaction, file_lists, wide_rows, clustered_rows)


def _small_files(spark: Any, table: Path) -> Path:
    for start in (0, 1_000_000):
        rows = spark.range(start, start + 10 * FILES).repartition(FILES)
        rows.write.format("delta").mode("overwrite").save(str(table))
    return table


def _rows(spark: Any, start: int, end: int) -> Any:
    return spark.range(start, end).selectExpr(
        "id", "hash(id) % 100000L AS a", "hash(id, 7) % 100000L AS b", "sha2(string(id), 256) AS s"
    )


def _vacuum(spark: Any, table: Path, operation: str, repeats: int) -> Iterator[tuple[str, float]]:
    for repeat in range(repeats):
        seconds = _seconds(spark, f"VACUUM delta.`{table}` RETAIN 0 HOURS DRY RUN")
        if repeat:
            yield operation, seconds


def _copied(source: Path, target: Path) -> Path:
    return Path(shutil.copytree(source, target))


def _seconds(spark: Any, statement: str) -> float:
    begin = time.perf_counter()
    spark.sql(statement).collect()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main(spark)  # type: ignore[name-defined]  # noqa: F821  # given by the runner
