"""Writers of other formats in the folder of a table."""

import logging

import pytest

from puredelta.errors import DeltaAnalysisError


@pytest.fixture
def table(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.range(4).selectExpr("id", "id % 2 AS p").write.format("delta").partitionBy("p").save(path)
    return path


@pytest.mark.parametrize("below", ["", "/p=1"], ids=["table", "partition"])
def test_overwrite_is_refused_and_the_table_stays(spark, table, below):
    with pytest.raises(DeltaAnalysisError) as refused:
        spark.range(2).write.mode("overwrite").parquet(table + below)

    assert refused.value.getCondition() == "PUREDELTA_FOLDER_IS_TABLE"
    assert "Parquet" in refused.value.message
    assert spark.read.format("delta").load(table).count() == 4


def test_overwrite_is_allowed_where_the_check_is_off(spark, table):
    other = spark.newSession()
    other.conf.set("spark.databricks.delta.formatCheck.enabled", "false")

    other.range(2).write.mode("overwrite").parquet(table)

    assert other.read.parquet(table).count() == 2


def test_append_is_warned_of(spark, table, caplog):
    with caplog.at_level(logging.WARNING, "puredelta"):
        spark.range(2).write.mode("append").csv(table)

    assert "are no part of it" in caplog.text
    assert spark.read.format("delta").load(table).count() == 4


def test_other_folders_are_left_alone(spark, tmp_path, caplog):
    path = str(tmp_path / "files")
    with caplog.at_level(logging.WARNING, "puredelta"):
        for _ in range(2):
            spark.range(2).write.mode("overwrite").parquet(path)
        spark.range(2).write.mode("append").parquet(path)

    assert not caplog.text
    assert spark.read.parquet(path).count() == 4
