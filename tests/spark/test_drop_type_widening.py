"""DROP FEATURE typeWidening where files have the types that columns had before."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.spark.changed_rows import actions, last

COLUMNS = "id BIGINT, p INT, n INT, s STRUCT<x: SMALLINT>, l ARRAY<FLOAT>, m MAP<STRING, INT>"
WIDER = ("p TYPE BIGINT", "n TYPE DOUBLE", "s.x TYPE INT", "l.element TYPE DOUBLE")
PROPERTIES = {
    "plain": {},
    "names and vectors": {
        "delta.columnMapping.mode": "name",
        "delta.enableDeletionVectors": "true",
        "delta.enableChangeDataFeed": "true",
    },
    "row ids": {"delta.enableRowTracking": "true"},
}


def row(number):
    return (
        f"({number}, {number % 2}, {number}, named_struct('x', {number}), array({number}.5), NULL)"
    )


def rows_of(spark, root, *more):
    columns = ("id", "p", "n", "s.x", "l", "m", *more)
    found = spark.read.format("delta").load(str(root)).selectExpr(*columns).orderBy("id")
    return [tuple(one) for one in found.collect()]


@pytest.mark.parametrize("properties", PROPERTIES.values(), ids=PROPERTIES)
def test_files_of_older_types_are_written_anew_and_others_stay(spark, tmp_path, properties):
    root = tmp_path / "t"
    wanted = {"delta.enableTypeWidening": "true", **properties}
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in wanted.items())
    spark.sql(
        f"CREATE TABLE delta.`{root}` ({COLUMNS}) USING delta PARTITIONED BY (p) TBLPROPERTIES"
        f" ({listed})"
    )
    spark.sql(f"INSERT INTO delta.`{root}` VALUES {', '.join(map(row, range(4)))}")
    if "delta.enableDeletionVectors" in properties:
        spark.sql(f"DELETE FROM delta.`{root}` WHERE id = 2")
    for change in WIDER:
        spark.sql(f"ALTER TABLE delta.`{root}` ALTER COLUMN {change}")
    spark.sql(f"INSERT INTO delta.`{root}` VALUES {row(9)}")
    more = ("_metadata.row_id",) if "delta.enableRowTracking" in properties else ()
    before, [new] = rows_of(spark, root, *more), actions(root, last(root), "add")

    spark.sql(f"ALTER TABLE delta.`{root}` DROP FEATURE typeWidening")

    assert rows_of(spark, root, *more) == before
    latest = actions(root, last(root), "protocol")[0]
    assert "typeWidening" not in latest["writerFeatures"]
    history = spark.sql(f"DESCRIBE HISTORY delta.`{root}`").collect()
    operations = {one.operation: one for one in history}
    assert operations["REORG"].operationParameters["applyPurge"] == "true"
    removed = {one["path"] for one in actions(root, operations["REORG"].version, "remove")}
    assert new["path"] not in removed
    files = spark.read.format("delta").load(str(root)).inputFiles()
    for file in files:
        types = {
            column.type for column in pq.read_schema(file.removeprefix("file:").replace("//", "/"))
        }
        assert not types & {pa.float32(), pa.int16()}
    spark.sql(f"INSERT INTO delta.`{root}` VALUES {row(10)}")
    assert len(rows_of(spark, root)) == len(before) + 1
