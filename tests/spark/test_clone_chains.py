"""Clones of clones: each is written, optimized, vacuumed, restored, and no source loses a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from puredelta.table.check import check_table

if TYPE_CHECKING:
    from pathlib import Path

VECTORS = "'delta.enableDeletionVectors' = 'true'"
MAPPED = "'delta.columnMapping.mode' = 'name'"
RETENTION = "spark.databricks.delta.retentionDurationCheck.enabled"
COLUMN = "p ä"


@pytest.fixture(params=[VECTORS, f"{VECTORS}, {MAPPED}"])
def chain(request, spark, tmp_path):
    """A table of partitions of odd names with vectors, a clone of it, and a clone of the clone."""
    names = "so urce%", "clone ü", "second+"
    source, clone, second = (tmp_path / name for name in names)
    column = COLUMN if MAPPED in request.param else "p"
    spark.sql(
        f"CREATE TABLE delta.`{source}` (id INT, v STRING, `{column}` STRING) USING delta"
        f" PARTITIONED BY (`{column}`) TBLPROPERTIES ({request.param})"
    )
    for start in (0, 10):
        spark.sql(
            f"INSERT INTO delta.`{source}` SELECT /*+ COALESCE(1) */ INT(id), 'v', CASE id % 3"
            f" WHEN 0 THEN 'a/b=%' WHEN 1 THEN 'ü :#?' END FROM RANGE({start}, {start + 10})"
        )
    spark.sql(f"DELETE FROM delta.`{source}` WHERE id IN (1, 12)")
    spark.sql(f"CREATE TABLE delta.`{clone}` SHALLOW CLONE delta.`{source}`")
    spark.sql(f"DELETE FROM delta.`{clone}` WHERE id IN (2, 13)")
    spark.sql(f"CREATE TABLE delta.`{second}` SHALLOW CLONE delta.`{clone}`")
    return source, clone, second


def ids(spark, path: Path) -> set[int]:
    return {row.id for row in spark.read.format("delta").load(str(path)).collect()}


def contents(path: Path) -> dict[str, bytes]:
    return {str(file): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def test_last_of_a_chain_is_maintained_and_the_others_stay(spark, chain):
    source, clone, second = chain
    before = [contents(path) for path in (source, clone)]
    there = set(range(20)) - {1, 2, 12, 13}
    assert ids(spark, second) == there

    spark.sql(f"DELETE FROM delta.`{second}` WHERE id = 4")
    spark.sql(f"UPDATE delta.`{second}` SET v = 'w' WHERE id = 5")
    spark.sql(f"OPTIMIZE delta.`{second}`")
    spark.conf.set(RETENTION, "false")
    try:
        spark.sql(f"VACUUM delta.`{second}` RETAIN 0 HOURS")
    finally:
        spark.conf.unset(RETENTION)
    assert ids(spark, second) == there - {4}
    spark.sql(f"RESTORE TABLE delta.`{second}` TO VERSION AS OF 0")

    assert ids(spark, second) == there
    assert [contents(path) for path in (source, clone)] == before
    assert [list(check_table(str(path)).findings) for path in chain] == [[], [], []]


def test_vacuum_of_the_source_takes_files_that_a_clone_needs(spark, chain):
    source, clone, second = chain
    spark.sql(f"OPTIMIZE delta.`{source}`")
    spark.conf.set(RETENTION, "false")
    try:
        spark.sql(f"VACUUM delta.`{source}` RETAIN 0 HOURS")
    finally:
        spark.conf.unset(RETENTION)

    assert ids(spark, source) == set(range(20)) - {1, 12}
    for path in (clone, second):
        assert "file-missing" in {one.code for one in check_table(str(path)).findings}
