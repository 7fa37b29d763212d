"""Definitions of columns under a protocol that does not know them say nothing, and stay so."""

import json

import pytest

from tests.spark.hand_made import commit

GENERATED = {"delta.generationExpression": "CAST(ts AS DATE)"}
IDENTITY = {
    "delta.identity.start": 1,
    "delta.identity.step": 1,
    "delta.identity.allowExplicitInsert": False,
}
AT_TEN = "TIMESTAMP'2024-01-01 10:00:00'"


@pytest.fixture
def table(spark, tmp_path):
    """Make a table under protocol (1, 2) whose columns have definitions; return its name."""
    root = tmp_path / "t"
    name = f"delta.`{root}`"
    spark.sql(
        f"CREATE TABLE {name} (ts TIMESTAMP, d DATE, id BIGINT) USING delta PARTITIONED BY (d)"
    )
    log = (root / "_delta_log" / f"{0:020}.json").read_text("utf-8")
    found = next(a["metaData"] for a in map(json.loads, log.splitlines()) if "metaData" in a)
    schema = json.loads(found["schemaString"])
    schema["fields"][1]["metadata"] = GENERATED
    schema["fields"][2]["metadata"] = IDENTITY
    commit(root, {"metaData": {**found, "schemaString": json.dumps(schema)}})
    spark.sql(f"INSERT INTO {name} VALUES ({AT_TEN}, DATE'2020-05-05', 7)")
    return name


def ids_found(spark, name):
    return [row.id for row in spark.sql(f"SELECT id FROM {name} WHERE ts = {AT_TEN}").collect()]


def features(spark, name):
    return set(spark.sql(f"DESCRIBE DETAIL {name}").first().tableFeatures)


@pytest.mark.parametrize(
    "change", ["ADD COLUMN w INT", "SET TBLPROPERTIES ('a.b' = 'c')", "ALTER COLUMN id COMMENT 'x'"]
)
def test_another_change_does_not_bring_them_into_force(spark, table, change):
    spark.sql(f"ALTER TABLE {table} {change}")

    assert ids_found(spark, table) == [7]
    assert not {"generatedColumns", "identityColumns"} & features(spark, table)


def test_columns_left_out_are_null_and_change_no_metadata(spark, table):
    spark.sql(f"INSERT INTO {table} (ts) VALUES ({AT_TEN})")

    assert sorted(map(str, ids_found(spark, table))) == ["7", "None"]
    assert not {"generatedColumns", "identityColumns"} & features(spark, table)


def test_growth_by_a_write_leaves_them_out(spark, table):
    frame = spark.sql(f"SELECT {AT_TEN} AS ts, DATE'2020-05-06' AS d, 8L AS id, 1 AS w")
    frame.write.format("delta").mode("append").option("mergeSchema", True).save(table[7:-1])

    assert sorted(ids_found(spark, table)) == [7, 8]
    assert not {"generatedColumns", "identityColumns"} & features(spark, table)
