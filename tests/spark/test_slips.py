"""A name that is nearly right: the error, or the log, says which one was meant."""

import logging
import traceback

import pytest
from pyspark.errors import AnalysisException

from puredelta import DeltaTable
from puredelta.exceptions import (
    DeltaAnalysisException,
    DeltaIllegalArgumentException,
    DeltaTableNotFoundException,
)
from puredelta.exceptions import DeltaTableFeatureException as FeatureException


@pytest.fixture
def people(spark, path):
    """A table of three columns, in a folder called t."""
    spark.sql("SELECT 1 AS id, 'Ann' AS name, 'Bergen' AS city").write.format("delta").save(path)
    return DeltaTable.forPath(spark, path)


def test_missing_table_names_those_like_it(spark, people):
    spark.sql("CREATE OR REPLACE TABLE slips_orders (id INT) USING delta")

    with pytest.raises(DeltaAnalysisException, match=r"slips_order \(like it: slips_orders\)"):
        DeltaTable.forName(spark, "slips_order")


def test_time_of_a_path_that_is_computed_is_refused_as_by_spark(spark, path, people):
    with pytest.raises(AnalysisException) as refused:
        spark.sql(f"SELECT * FROM delta.`{path}` TIMESTAMP AS OF current_timestamp()")

    assert refused.value.getCondition() == "UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY"


def test_missing_path_names_folders_like_it(spark, tmp_path):
    spark.range(1).write.format("delta").save(str(tmp_path / "people"))

    with pytest.raises(DeltaAnalysisException, match=r"peple \(like it: people\) is not"):
        DeltaTable.forPath(spark, str(tmp_path / "peple"))


def test_folder_without_a_log_is_not_said_to_be_like_itself(spark, tmp_path):
    (tmp_path / "plain").mkdir()

    with pytest.raises(DeltaAnalysisException, match="plain is not a Delta table"):
        DeltaTable.forPath(spark, str(tmp_path / "plain"))


def test_argument_in_the_place_of_the_session(spark, path):
    with pytest.raises(TypeError, match=r"sparkSession must be a SparkSession, not <class 'str'>"):
        DeltaTable.forPath(path, spark)


def test_condition_of_a_merge_names_the_wrong_column(people, spark):
    merge = people.alias("t").merge(spark.range(1).alias("s"), "t.idd = s.id").whenMatchedDelete()

    with pytest.raises(DeltaAnalysisException, match=r"`t`\.`idd` in .*\(like it: t\.id"):
        merge.execute()


def test_rows_with_a_wrong_column_name_no_alias_of_ours(people, spark):
    rows = spark.sql("SELECT 1 AS id, 'Bo' AS nme")

    with pytest.raises(DeltaAnalysisException, match=r"nme in .*: id, name, city \(like it: name"):
        people.upsert(rows, "id")


def test_property_and_features(people):
    with pytest.raises(DeltaAnalysisException, match=r"like it: delta\.enableChangeDataFeed"):
        people.setProperties({"delta.enableChangeDataFed": "true"})
    with pytest.raises(FeatureException, match=r"deletionVector \(like it: deletionVectors"):
        people.addFeatureSupport("deletionVector")
    with pytest.raises(FeatureException, match=r"deletionVector .*\(like it: deletionVectors"):
        people.dropFeatureSupport("deletionVector")


def test_column_of_a_curve(people):
    with pytest.raises(DeltaIllegalArgumentException, match=r"\(like it: city\)"):
        people.optimize().executeZOrderBy("citty")


def test_option_of_a_writer(spark, path, caplog):
    with caplog.at_level(logging.WARNING, "puredelta"):
        spark.range(1).write.format("delta").option("mergeShema", "true").save(path)

    # Spark hands the names of options over in lower case.
    assert "mergeshema is not known and has no effect; did you mean mergeSchema?" in caplog.text


def test_option_of_a_reader(spark, people, path, caplog):
    with caplog.at_level(logging.WARNING, "puredelta"):
        spark.read.format("delta").option("versionAsOff", 0).load(path)

    assert "did you mean versionAsOf?" in caplog.text


def test_options_of_others_are_left_alone(spark, path, caplog):
    writer = spark.range(1).write.format("delta").option("parquet.bloom.filter.enabled", "true")

    with caplog.at_level(logging.WARNING, "puredelta"):
        writer.option("fs.s3a.endpoint", "x").option("mergeSchema", "true").save(path)

    assert caplog.text == ""


def test_setting(spark, people, setting, caplog):
    setting("spark.databricks.delta.schema.autoMerge.enable", "true")

    with caplog.at_level(logging.WARNING, "puredelta"):
        people.delete("id = 99")

    assert "did you mean spark.databricks.delta.schema.autoMerge.enabled?" in caplog.text


@pytest.mark.parametrize(
    ("fails", "condition"),
    [
        (lambda spark, p: spark.read.format("delta").load(f"{p}/none"), "PATH_NOT_FOUND"),
        (lambda spark, p: spark.read.format("delta").load(p), "DELTA_TABLE_NOT_FOUND"),
        (DeltaTable.forPath, "DELTA_MISSING_DELTA_TABLE"),
        (lambda spark, p: spark.sql(f"OPTIMIZE delta.`{p}`"), "DELTA_MISSING_DELTA_TABLE"),
        (
            lambda spark, p: spark.sql(f"DESCRIBE HISTORY delta.`{p}`"),
            "DELTA_TABLE_ONLY_OPERATION",
        ),
        (lambda spark, p: spark.readStream.format("delta").load(p), "DELTA_SCHEMA_NOT_SET"),
    ],
)
def test_missing_table_is_one_class_by_all_its_conditions(spark, tmp_path, fails, condition):
    with pytest.raises(DeltaTableNotFoundException) as caught:
        fails(spark, str(tmp_path))

    assert caught.value.getCondition() == condition
    assert isinstance(caught.value, DeltaAnalysisException)


@pytest.mark.parametrize(
    "fails",
    [
        lambda spark, p: DeltaTable.forPath(spark, p).delete("nothing = 1"),
        lambda spark, p: spark.sql(f"DELETE FROM delta.`{p}` WHERE nothing = 1"),
        lambda spark, p: spark.sql(f"INSERT INTO delta.`{p}` VALUES (1, 2)"),
    ],
    ids=["method", "condition", "rows"],
)
def test_traceback_of_a_slip_ends_where_the_user_called_us(spark, people, path, fails):
    with pytest.raises(AnalysisException) as caught:
        fails(spark, path)

    frames = [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert len(frames) <= 6
    assert not any("commands" in frame or "callbacks" in frame for frame in frames)
