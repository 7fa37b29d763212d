"""Changes of rows, timed: MERGE, UPDATE and DELETE on 8,000,000 rows, and a scan with vectors.

Run by `bench/changes.py` for each side, with `spark` ready. Its arguments are the format, the name
of the side, how many rows there are, and how often a large change is repeated. Prints one JSON
object: seconds of each repetition by operation, and the peak memory.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

ROWS = 8_000_000
PART = 40
"""The source of a large MERGE has one of so many rows."""

FILES = 16
REPEATS = 3
SCANS = 7
ONE_IN = 1_000

SPREAD, CLUSTERED, VECTORS = "spread", "clustered", "vectors"
KEYS = {SPREAD: "keys in any file", CLUSTERED: "files by key"}

MERGE_MANY = {table: f"MERGE {ROWS // PART:,} rows, {keys}" for table, keys in KEYS.items()}
MERGE_ONE = {table: f"MERGE one row, {keys}" for table, keys in KEYS.items()}
UPDATE_ONE = {table: f"UPDATE one row, {keys}" for table, keys in KEYS.items()}
DELETE_FEW = "DELETE 0.1 % of rows, vectors"
UPDATE_MARKED = "UPDATE one row, vectors"
SCAN = "scan with aggregate, vectors"
UNCHECKED = "MERGE without the count of rows"

CHECK_ROWS = "spark.puredelta.checkRows"

# Columns as SQL over `id`.
COLUMNS = {
    "id": ("BIGINT", "id"),
    "k": ("BIGINT", "id % 1000"),
    "i": ("INT", "cast(id % 100000 AS int)"),
    "d": ("DOUBLE", "rand(1)"),
    "dec": ("DECIMAL(12, 2)", "cast(rand(2) * 1e6 AS decimal(12, 2))"),
    "v": ("STRING", "concat('customer#', cast(id % 50000 AS string))"),
    "day": ("DATE", "date_add(date'2020-01-01', cast(id % 1000 AS int))"),
    "ts": ("TIMESTAMP", "timestamp_micros(1577836800000000 + id * 1000)"),
    "comment": ("STRING", "md5(cast(id AS string))"),
    "flag": ("BOOLEAN", "id % 7 = 0"),
    "s": ("SMALLINT", "cast(id % 97 AS smallint)"),
    "region": ("STRING", "concat('region ', cast(id % 13 AS string))"),
}
# Has no factor in common with any likely number of rows.
_STEP = 1_618_033


@dataclass(frozen=True)
class Size:
    """How much is done.

    Attributes:
        rows: how many rows a table has.
        repeats: how often a large change is made.
    """

    rows: int
    repeats: int = REPEATS

    @property
    def small_repeats(self) -> int:
        """How often a small change is made."""
        return self.repeats + 2

    def key(self, repeat: int) -> int:
        """Return the key of a row, another one for each small change."""
        return (2 * repeat + 1) * self.rows // (3 * self.small_repeats)


def seconds(action: Callable[[], Any]) -> float:
    """Return how long an action took."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def made(ids: Any) -> Any:
    """Return rows with all columns, made of their ids."""
    return ids.selectExpr(*(f"{text} AS {name}" for name, (_, text) in COLUMNS.items()))


def rows_of(spark: Any, table: str, count: int) -> Any:
    """Return the rows of a table, each task with those of one file."""
    ids = spark.range(0, count, 1, FILES)
    if table != CLUSTERED:
        ids = ids.selectExpr(f"pmod(id * {_STEP}, {count}) AS id")
    return made(ids)


def source_rows(spark: Any, table: str, count: int) -> Any:
    """Return rows to be merged: every second one is there, from all of the keys or the last."""
    merged = count // PART
    first, step = (0, PART) if table == SPREAD else (count - count // 10, 4)
    known = f"{first} + id * {step}"
    return made(
        spark.range(0, merged, 1, 2).selectExpr(f"if(id % 2 = 0, {known}, {count} + id) AS id")
    )


def declare(spark: Any, path: Path, *, vectors: bool) -> None:
    """Make a table without rows."""
    columns = ", ".join(f"{name} {kind}" for name, (kind, _) in COLUMNS.items())
    told = f"'delta.enableDeletionVectors' = '{str(vectors).lower()}'"
    spark.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta TBLPROPERTIES ({told})")


def copied(table: Path, place: Path) -> Path:
    """Copy a table; its data files, which nobody changes, are the same ones."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(
        table, place, copy_function=os.link, ignore=shutil.ignore_patterns("_delta_log")
    )
    shutil.copytree(table / "_delta_log", place / "_delta_log")
    return place


def merge_many(
    spark: Any, folder: Path, name: str, size: Size, *, ours: bool
) -> dict[str, list[float]]:
    """Time a MERGE of many rows into a table that is as it was each time."""
    source = folder / f"source-{name}"
    source_rows(spark, name, size.rows).write.parquet(str(source))
    result: dict[str, list[float]] = {MERGE_MANY[name]: []}
    forms = {MERGE_MANY[name]: "true"}
    if ours and name == SPREAD:
        forms[UNCHECKED] = "false"
        result[UNCHECKED] = []
    for repeat in range(size.repeats + 1):
        for operation, check in forms.items():
            table = copied(folder / name, folder / "target")
            spark.conf.set(CHECK_ROWS, check)
            # What is known of a table from an earlier query is known on each side.
            spark.sql(f"SELECT min(id) FROM delta.`{table}`").collect()
            text = (
                f"MERGE INTO delta.`{table}` t USING parquet.`{source}` s ON t.id = s.id"
                " WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
            )
            taken = seconds(lambda text=text: spark.sql(text))
            # The first round warms up.
            if repeat:
                result[operation].append(taken)
            there = spark.sql(f"SELECT count(*), count(DISTINCT id) FROM delta.`{table}`").first()
            assert set(there) == {size.rows + size.rows // PART // 2}, there
            shutil.rmtree(table)
    spark.conf.unset(CHECK_ROWS)
    return result


def one_row(spark: Any, table: Path, name: str, size: Size) -> dict[str, list[float]]:
    """Time MERGE and UPDATE of one row."""
    result: dict[str, list[float]] = {MERGE_ONE[name]: [], UPDATE_ONE[name]: []}
    for repeat in range(size.small_repeats + 1):
        merged = size.key(repeat)
        texts = {
            MERGE_ONE[name]: (
                f"MERGE INTO delta.`{table}` t"
                f" USING (SELECT {merged}L AS id, 'merged' AS v) s ON t.id = s.id"
                " WHEN MATCHED THEN UPDATE SET v = s.v"
                " WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"
            ),
            UPDATE_ONE[name]: f"UPDATE delta.`{table}` SET v = 'updated' WHERE id = {merged + 7}",
        }
        for operation, text in texts.items():
            taken = seconds(lambda text=text: spark.sql(text))
            if repeat:
                result[operation].append(taken)
    return result


def scans(frame: Callable[[], Any]) -> list[float]:
    """Time a scan with aggregate."""

    def scan() -> None:
        frame().selectExpr("sum(i)", "max(v)", "sum(dec)", "count(*)").collect()

    return [seconds(scan) for _ in range(SCANS + 2)][2:]


def with_vectors(spark: Any, table: Path, size: Size) -> dict[str, list[float]]:
    """Time DELETE of a few rows of all files, a scan of what is left, and UPDATE of one row."""
    deleted, updated = [], []
    for number in range(size.repeats + 1):
        text = f"DELETE FROM delta.`{table}` WHERE id % {ONE_IN} = {number}"
        deleted.append(seconds(lambda text=text: spark.sql(text)))
    scanned = scans(lambda: spark.read.format("delta").load(str(table)))
    for repeat in range(size.small_repeats + 1):
        row = size.key(repeat) // ONE_IN * ONE_IN + 500
        text = f"UPDATE delta.`{table}` SET v = 'updated' WHERE id = {row}"
        updated.append(seconds(lambda text=text: spark.sql(text)))
    return {DELETE_FEW: deleted[1:], SCAN: scanned, UPDATE_MARKED: updated[1:]}


def delta(spark: Any, folder: Path, size: Size, *, ours: bool) -> dict[str, list[float]]:
    """Run all operations of one side of Delta."""
    result: dict[str, list[float]] = {}
    for name in (SPREAD, CLUSTERED, VECTORS):
        table = folder / name
        declare(spark, table, vectors=name == VECTORS)
        rows_of(spark, name, size.rows).write.format("delta").mode("append").save(str(table))
        if name == VECTORS:
            result |= with_vectors(spark, table, size)
        else:
            result |= merge_many(spark, folder, name, size, ours=ours)
            result |= one_row(spark, table, name, size)
        shutil.rmtree(table)
    return result


def parquet(spark: Any, folder: Path, size: Size) -> dict[str, list[float]]:
    """Scan a folder of the rows that are left in the table with vectors."""
    path = str(folder / VECTORS)
    left = rows_of(spark, VECTORS, size.rows).where(f"id % {ONE_IN} > {size.repeats}")
    left.write.parquet(path)
    return {SCAN: scans(lambda: spark.read.parquet(path))}


def main(spark: Any, form: str, side: str, size: Size) -> None:
    """Run all operations of one side."""
    # The same timestamps on each side: ours are never INT96.
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    try:
        if form == "delta":
            result = delta(spark, folder, size, ours=side == "puredelta")
        else:
            result = parquet(spark, folder, size)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    operations = import_module("operations")
    result[operations.PEAK] = [operations.peak_memory(spark)]
    print("RESULT " + json.dumps(result), flush=True)


if __name__ == "__main__":
    main(
        spark,  # type: ignore[name-defined]  # noqa: F821  # given by the runner
        *sys.argv[1:3],
        Size(*map(int, sys.argv[3:5])),
    )
