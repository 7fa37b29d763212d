"""Variants of which files keep parts as columns of their own: written, read and changed."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

from puredelta.engine.exceptions import DeltaAnalysisException
from puredelta.table.check import check_table
from tests.spark.changed_rows import actions

FORCED = "spark.sql.variant.forceShreddingSchemaForTest"
# PySpark 4.0 shreds when it is told to, and as it is told; later ones infer what to shred.
WRITES = "spark.sql.variant.writeShredding.enabled"
SHREDDING = {WRITES: "true", FORCED: "a int, b string"}
TEXT = """concat('{"a":', id, ',"b":"x', id, '","c":[1]}')"""
ROWS = f"SELECT CAST(id AS INT) AS id, parse_json({TEXT}) AS v"
PROPERTIES = {
    "plain": {},
    "vectors and names": {
        "delta.enableDeletionVectors": "true",
        "delta.columnMapping.mode": "name",
    },
    "ids and changes": {
        "delta.columnMapping.mode": "id",
        "delta.enableChangeDataFeed": "true",
        "delta.enableRowTracking": "true",
    },
}


@pytest.fixture
def shreds(spark):
    for key, value in SHREDDING.items():
        spark.conf.set(key, value)
    yield
    for key in SHREDDING:
        spark.conf.unset(key)


def made(spark, root, properties):
    wanted = {"delta.enableVariantShredding": "true", **properties}
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in wanted.items())
    spark.sql(
        f"CREATE TABLE delta.`{root}` (id INT, v VARIANT, s STRUCT<v: VARIANT>)"
        f" USING delta TBLPROPERTIES ({listed})"
    )


def protocol(root):
    return actions(root, 0, "protocol")[0]


def is_shredded(file):
    return any(".typed_value" in column.path for column in pq.ParquetFile(file).schema)


def shown(spark, root):
    rows = spark.sql(f"SELECT id, to_json(v), to_json(s.v) FROM delta.`{root}` ORDER BY id")
    return [tuple(row) for row in rows.collect()]


def of(number, value=None):
    text = f'{{"a":{number},"b":"x{number}","c":[1]}}'
    return number, value or text, text


@pytest.mark.usefixtures("shreds")
@pytest.mark.parametrize("properties", PROPERTIES.values(), ids=PROPERTIES)
def test_shredded_files_are_written_read_and_changed(spark, tmp_path, properties):
    root = tmp_path / "t"
    made(spark, root, properties)
    insert = f"INSERT INTO delta.`{root}` SELECT id, v, struct(v) FROM ({ROWS} FROM range"
    spark.sql(f"{insert}(3))")
    # Spark itself fails where it is forced to shred more than three columns.
    spark.conf.unset(FORCED)
    allow = f"ALTER TABLE delta.`{root}` SET TBLPROPERTIES (delta.enableVariantShredding = {{}})"
    spark.sql(allow.format("false"))
    spark.sql(f"{insert}(3, 6))")
    spark.sql(allow.format("true"))
    assert {is_shredded(file) for file in root.rglob("*.parquet")} == {True, False}
    assert shown(spark, root) == [of(number) for number in range(6)]

    found = f"SELECT id FROM delta.`{root}` WHERE variant_get(v, '$.a', 'int') = 4"
    assert [row.id for row in spark.sql(found).collect()] == [4]
    new = 'parse_json(\'{"a":"text","z":1}\')'
    spark.sql(f"UPDATE delta.`{root}` SET v = {new} WHERE variant_get(s.v, '$.b', 'string') = 'x1'")
    spark.sql(f"DELETE FROM delta.`{root}` WHERE variant_get(s.v, '$.a', 'int') = 2")
    spark.sql(
        f"MERGE INTO delta.`{root}` t USING (SELECT 3 AS id, parse_json('null') AS v) n"
        " ON t.id = n.id WHEN MATCHED THEN UPDATE SET v = n.v"
    )

    assert shown(spark, root) == [
        of(0), of(1, '{"a":"text","z":1}'), of(3, "null"), of(4), of(5)
    ]  # fmt: skip
    assert not check_table(str(root)).findings


@pytest.mark.usefixtures("shreds")
def test_statistics_of_shredded_files_count_nulls(spark, tmp_path):
    root = tmp_path / "t"
    made(spark, root, {})
    text = 'parse_json(\'{"a": 1, "b": ""}\')'
    spark.sql(f"INSERT INTO delta.`{root}` VALUES (1, {text}, NULL), (2, NULL, NULL)")

    [add] = actions(root, 1, "add")

    assert json.loads(add["stats"])["nullCount"] == {"id": 0, "v": 1, "s": {"v": 2}}
    found = spark.sql(f"SELECT id FROM delta.`{root}` WHERE v IS NULL").collect()
    assert [row.id for row in found] == [2]


def test_property_asks_for_the_preview_unless_a_feature_is_named(spark, tmp_path):
    made(spark, tmp_path / "preview", {})
    made(spark, tmp_path / "final", {"delta.feature.variantShredding": "supported"})

    assert protocol(tmp_path / "preview")["readerFeatures"] == [
        "variantType",
        "variantShredding-preview",
    ]
    assert protocol(tmp_path / "final")["readerFeatures"] == ["variantType", "variantShredding"]


@pytest.mark.usefixtures("shreds")
def test_shredding_that_the_session_forces_is_refused_elsewhere(spark, tmp_path):
    root = tmp_path / "t"
    spark.sql(f"CREATE TABLE delta.`{root}` (id INT, v VARIANT) USING delta")

    with pytest.raises(DeltaAnalysisException) as raised:
        spark.sql(f"INSERT INTO delta.`{root}` {ROWS} FROM range(1)")

    assert raised.value.getCondition() == "DELTA_SHREDDING_TABLE_PROPERTY_DISABLED"
    assert not list(root.glob("*.parquet"))


@pytest.mark.usefixtures("shreds")
def test_shredding_that_the_session_forces_is_refused_where_spark_shreds_by_default(
    spark, tmp_path
):
    spark.conf.unset(WRITES)
    if spark.conf.get(WRITES) != "true":
        pytest.skip("this Spark shreds only where a session asks for it")
    spark.sql(f"CREATE TABLE delta.`{tmp_path / 't'}` (id INT, v VARIANT) USING delta")

    with pytest.raises(DeltaAnalysisException, match="DELTA_SHREDDING_TABLE_PROPERTY_DISABLED"):
        spark.sql(f"INSERT INTO delta.`{tmp_path / 't'}` {ROWS} FROM range(1)")
