"""The folder of a partition is read as the table with a filter."""

import logging

import pytest
from pyspark.errors import AnalysisException

from puredelta.tables import DeltaTable
from tests.spark.hand_made import adds_of, field, map_columns, take_away


def load(spark, path, **options):
    return spark.read.format("delta").options(**options).load(str(path))


def test_a_warning_names_the_column(spark, tmp_path, caplog):
    rows = spark.range(4).selectExpr("id", "id % 2 AS p")
    rows.write.format("delta").partitionBy("p").save(f"{tmp_path}/t")

    with caplog.at_level(logging.WARNING, "puredelta"):
        load(spark, tmp_path / "t" / "p=1")

    assert "condition on p" in caplog.text


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_a_time_is_in_the_session_zone_or_as_the_folder_has_it(spark, tmp_path, zone):
    rows = spark.sql("SELECT 1 AS id, TIMESTAMP'2020-07-01 04:00:00Z' AS at")
    rows.write.format("delta").partitionBy("at").save(f"{tmp_path}/t")
    spark.conf.set("spark.sql.session.timeZone", zone)
    wall = "00" if zone != "UTC" else "04"
    try:
        local = load(spark, tmp_path / "t" / f"at=2020-07-01 {wall}%3A00%3A00").count()
        folder = next(path for path in (tmp_path / "t").iterdir() if path.name.startswith("at="))
        as_is = load(spark, folder).count()
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")

    assert (local, as_is) == (1, 1)


def test_columns_that_files_know_by_another_name(spark, tmp_path):
    root = tmp_path / "t"
    rows = spark.range(6).selectExpr("id AS c1", "cast(id % 3 as int) AS c2")
    rows.write.format("delta").partitionBy("c2").save(str(root))
    fields = [field("id", "long", "c1", 1), field("the part", "integer", "c2", 2)]
    map_columns(root, fields, ["the part"], "name")

    found = load(spark, root / "the part=2")

    assert sorted(row.id for row in found.collect()) == [2, 5]
    with pytest.raises(AnalysisException, match="DELTA_NON_PARTITION_COLUMN_SPECIFIED"):
        load(spark, root / "c2=2")


def test_rows_that_vectors_take_away_stay_away(spark, tmp_path):
    root = tmp_path / "t"
    rows = spark.range(0, 10, 1, 1).selectExpr("id", "id % 2 AS p")
    rows.write.format("delta").partitionBy("p").save(str(root))
    take_away(root, {add["path"]: {0} for add in adds_of(root)}, as_file=True)

    part = load(spark, root / "p=1")

    assert sorted(row.id for row in part.collect()) == [3, 5, 7, 9]
    assert part.count() == 4


def test_counts_and_limits_are_those_of_the_part(spark, tmp_path):
    root = tmp_path / "t"
    rows = spark.range(100).selectExpr("id", "id % 10 AS p")
    rows.write.format("delta").partitionBy("p").save(str(root))
    part = load(spark, root / "p=7")

    assert part.count() == 10
    assert part.agg({"id": "max"}).first()[0] == 97
    assert part.limit(3).count() == 3
    assert part.where("p = 6").count() == 0
    assert load(spark, root / "p=7", versionAsOf=0).count() == 10


def test_table_of_a_part_reads_the_part_and_tells_of_the_table(spark, tmp_path):
    root = tmp_path / "t"
    rows = spark.range(10).selectExpr("id", "id % 2 AS p")
    rows.write.format("delta").partitionBy("p").save(str(root))

    table = DeltaTable.forPath(spark, f"{root}/p=0")

    assert table.toDF().count() == 5
    assert table.alias("a").toDF().where("a.id > 3").count() == 3
    assert table.detail().first().location == f"file:{root}"
