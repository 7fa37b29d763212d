"""MERGE whose matches the driver finds by key: all is as with the search by Spark."""

from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from puredelta.commands.merge import key_search
from puredelta.engine.exceptions import DeltaUnsupportedOperationException
from puredelta.settings import SEARCH_ON_DRIVER

MERGE = """MERGE INTO {t} t USING source s ON {on}
    WHEN MATCHED THEN UPDATE SET v = s.v
    WHEN NOT MATCHED THEN INSERT *"""


@pytest.fixture
def runs(monkeypatch):
    """What each search by keys returned."""
    seen = []
    run = key_search.KeySearch.run

    def noted(search):
        seen.append(run(search))
        return seen[-1]

    monkeypatch.setattr(key_search.KeySearch, "run", noted)
    return seen


def both_ways(spark, make, statement):
    """Return the rows and the answer of a statement on two equal tables, by keys and by Spark."""
    results = []
    for name, most in (("by_keys", "1000000"), ("by_spark", "0")):
        spark.sql(f"DROP TABLE IF EXISTS {name}")
        make(name)
        spark.conf.set(SEARCH_ON_DRIVER, most)
        try:
            answer = spark.sql(statement.format(t=name)).first()
        finally:
            spark.conf.unset(SEARCH_ON_DRIVER)
        rows = sorted(map(tuple, spark.table(name).collect()), key=repr)
        results.append((tuple(answer), rows))
    return results


VALUES = {
    "INT": [1, 2, None, -5],
    "BIGINT": [2**40, 0, None, -(2**62)],
    "TINYINT": [1, None, -128, 127],
    "STRING": ["a", "", None, "ä \u2603"],
    "DATE": [date(2026, 1, 1), date(1850, 5, 5), None, date(9999, 12, 31)],
    "DECIMAL(20,4)": [Decimal("1.5000"), Decimal("-2.2500"), None, Decimal("0.0001")],
}


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("by", ["", "PARTITIONED BY (id)"], ids=["plain", "partitioned"])
def test_keys_of_each_type(spark, runs, kind, by):
    values = VALUES[kind]
    rows = spark.createDataFrame(
        [(value, at) for at, value in enumerate(values)], f"id {kind}, v INT"
    )
    given = [(value, 100) for value in (values[0], None, values[3])]
    spark.createDataFrame(given, f"id {kind}, v INT").createOrReplaceTempView("source")

    def make(name):
        spark.sql(f"CREATE TABLE {name} (id {kind}, v INT) USING delta {by}")
        rows.write.format("delta").mode("append").saveAsTable(name)

    keys, by_spark = both_ways(spark, make, MERGE.replace("{on}", "t.id = s.id"))

    assert keys == by_spark
    assert [len(found.files) for found in runs] == [2]


def test_several_keys_on_either_side_and_many_rows(spark, runs):
    spark.range(6000).selectExpr(
        "id % 3000 AS a", "cast(id AS STRING) AS b", "id AS v"
    ).createOrReplaceTempView("source")

    def make(name):
        spark.sql(f"CREATE TABLE {name} (a BIGINT, b STRING, v BIGINT) USING delta")
        rows = spark.range(0, 9000, 2, 5).selectExpr("id % 3000", "cast(id AS STRING)", "-1L")
        rows.toDF("a", "b", "v").write.format("delta").mode("append").saveAsTable(name)

    keys, by_spark = both_ways(spark, make, MERGE.replace("{on}", "s.b = t.b AND t.a = s.a"))

    assert keys == by_spark
    # Every second row of the source has a match, so its numbers are listed as bits.
    assert [len(found.files) for found in runs] == [3000]


@pytest.mark.parametrize("mode", ["none", "name"])
def test_deleted_rows_renamed_and_new_columns(spark, runs, mode):
    rows = "SELECT 3 AS id, 30 AS v, 'x' AS k UNION ALL SELECT 4, 90, 'y'"
    spark.sql(rows).createOrReplaceTempView("source")
    column = "id" if mode == "none" else "first"

    def make(name):
        spark.sql(f"""CREATE TABLE {name} ({column} INT, v INT) USING delta TBLPROPERTIES (
            'delta.enableDeletionVectors' = 'true', 'delta.columnMapping.mode' = '{mode}')""")
        spark.sql(f"INSERT INTO {name} SELECT id, id FROM range(10)")
        spark.sql(f"DELETE FROM {name} WHERE {column} IN (2, 3)")
        spark.sql(f"INSERT INTO {name} VALUES (3, 33)")
        if column != "id":
            spark.sql(f"ALTER TABLE {name} RENAME COLUMN {column} TO id")
        spark.sql(f"ALTER TABLE {name} ADD COLUMNS (k STRING)")

    keys, by_spark = both_ways(spark, make, MERGE.replace("{on}", "t.id = s.id"))
    assert keys == by_spark

    keys, by_spark = both_ways(spark, make, MERGE.replace("{on}", "t.k = s.k"))
    assert keys == by_spark
    assert [len(found.files) for found in runs] == [2, 0]


@pytest.mark.parametrize(
    "on",
    ["t.id = s.big", "t.id = s.id AND t.v > 0", "t.id <=> s.id", "t.id + 0 = s.id", "t.d = s.d"],
)
def test_other_conditions_are_searched_by_spark(spark, runs, on):
    spark.sql("SELECT 1 AS id, 1L AS big, 5 AS v, 1.0D AS d").createOrReplaceTempView("source")

    def make(name):
        spark.sql(f"CREATE TABLE {name} USING delta AS SELECT 1 AS id, 2 AS v, 1.0D AS d")

    keys, by_spark = both_ways(
        spark,
        make,
        MERGE.replace("{on}", on).replace("INSERT *", "INSERT (id, v) VALUES (s.id, s.v)"),
    )

    assert keys == by_spark
    assert not runs


@pytest.mark.parametrize("limit", ["_MOST_SOURCE_ROWS", "_MOST_SOURCE_BYTES"])
def test_large_sources_are_left_to_spark(spark, runs, monkeypatch, limit):
    monkeypatch.setattr(key_search, limit, 0)
    spark.sql("SELECT 1 AS id, 5 AS v").createOrReplaceTempView("source")

    def make(name):
        spark.sql(f"CREATE TABLE {name} USING delta AS SELECT 1 AS id, 2 AS v")

    keys, by_spark = both_ways(spark, make, MERGE.replace("{on}", "t.id = s.id"))

    assert keys == by_spark
    assert not runs


def test_several_matches_are_refused_by_name_or_deleted(spark, table_name):
    spark.sql(
        f"CREATE TABLE {table_name} USING delta AS"
        " SELECT * FROM VALUES (1, 'a'), (2, 'b') AS t(id, v)"
    )
    spark.sql("SELECT * FROM VALUES (1, 'x'), (1, 'y') AS s(id, v)").createOrReplaceTempView(
        "source"
    )

    with pytest.raises(DeltaUnsupportedOperationException, match="id = 1"):
        spark.sql(MERGE.format(t=table_name, on="t.id = s.id"))
    gone = spark.sql(
        f"MERGE INTO {table_name} t USING source s ON t.id = s.id WHEN MATCHED THEN DELETE"
    ).first()

    assert gone.num_deleted_rows == 1
    assert [row.id for row in spark.table(table_name).collect()] == [2]


def test_missing_file_is_reported_by_spark(spark, tmp_path, runs):
    path = str(tmp_path / "t")
    spark.range(4).selectExpr("id", "id AS v").coalesce(1).write.format("delta").save(path)
    spark.range(2).selectExpr("id", "5L AS v").createOrReplaceTempView("source")
    for file in Path(path).glob("*.parquet"):
        file.unlink()

    with pytest.raises(Exception, match=r"(?i)not.?(found|exist)"):
        spark.sql(MERGE.format(t=f"delta.`{path}`", on="t.id = s.id"))

    assert runs == [None]
