"""What a write tells of columns that do not fit, and what of its columns lies in the files."""

import pyarrow.parquet as pq
import pytest
from pyspark.errors import AnalysisException


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT 1 AS id, named_struct('a', array(1)) AS s", ["s.a", "INT", "ARRAY<INT>"]),
        ("SELECT array(1) AS id", ["id", "INT", "ARRAY<INT>"]),
        (
            "SELECT 1 AS id, named_struct('a', 1, 'b', 2L) AS s, 'x' AS more",
            ["`s.b` bigint", "`more` string", '.option("mergeSchema", "true")', "autoMerge"],
        ),
        (
            "SELECT 1 AS id, array(named_struct('x', 1, 'X', 2)) AS l",
            ["l.element.x", "differ in more than case"],
        ),
    ],
)
def test_columns_that_do_not_fit_are_told_by_path_and_type(spark, table_name, query, told):
    columns = "id INT, s STRUCT<a: INT>, l ARRAY<STRUCT<x: INT>>"
    spark.sql(f"CREATE TABLE {table_name} ({columns}) USING delta")

    with pytest.raises(AnalysisException) as caught:
        spark.sql(query).write.format("delta").mode("append").saveAsTable(table_name)

    for part in told:
        assert part in str(caught.value)
    assert spark.table(table_name).count() == 0


def test_path_write_tells_path_types_and_what_would_do(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.sql("SELECT named_struct('a', array(1)) AS s").write.format("delta").save(path)

    wrong = spark.sql("SELECT named_struct('a', array('x')) AS s")

    with pytest.raises(AnalysisException) as caught:
        wrong.write.format("delta").mode("append").save(path)

    for part in ("`s.a.element`", "int", "string", '.option("overwriteSchema", "true")'):
        assert part in str(caught.value)


def test_void_columns_are_in_the_table_and_not_in_its_files(spark, tmp_path):
    path = tmp_path / "t"
    frame = spark.sql("SELECT 1 AS id, NULL AS v, named_struct('x', 1, 'v', NULL) AS s")

    frame.coalesce(1).write.format("delta").save(str(path))

    [file] = path.glob("*.parquet")
    assert pq.read_schema(file).names == ["id", "s"]
    assert [field.name for field in pq.read_schema(file).field("s").type] == ["x"]
    assert spark.read.format("delta").load(str(path)).columns == ["id", "v", "s"]


def test_write_of_the_same_columns_does_not_touch_the_schema(spark, table_name):
    spark.sql(
        f"CREATE TABLE {table_name} (id INT, n INT DEFAULT 1 COMMENT 'c', v VARCHAR(5) DEFAULT 'x')"
        " USING delta TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
    )

    rows = spark.sql("SELECT 1 AS id, 2 AS n, 'y' AS v")
    rows.write.format("delta").mode("append").option("mergeSchema", "true").saveAsTable(table_name)

    location = spark.sql(f"DESCRIBE DETAIL {table_name}").first().location
    commit = spark.read.text(f"{location}/_delta_log/{1:020}.json").collect()
    assert not [row for row in commit if "metaData" in row.value]


def test_default_of_a_partition_column_is_its_folder(spark, table_name):
    spark.sql(
        f"CREATE TABLE {table_name} (id INT, p STRING DEFAULT 'a b') USING delta PARTITIONED BY (p)"
        " TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"
    )

    spark.sql(f"INSERT INTO {table_name} (id) VALUES (1)")
    spark.range(3).selectExpr("INT(id) AS id").writeTo(table_name).append()

    found = spark.table(table_name).where("p = 'a b'")
    assert sorted(row.id for row in found.collect()) == [0, 1, 1, 2]
