"""ALTER TABLE ... SET LOCATION: the catalog's entry names another Delta table."""

import pytest

from puredelta.engine.exceptions import DeltaAnalysisException

_BYPASS = "spark.databricks.delta.alterLocation.bypassSchemaCheck"


@pytest.fixture
def named(spark, tmp_path, table_name):
    """A table of three rows in the folder `a`, by name; other tables beside it."""
    spark.range(3).write.format("delta").save(str(tmp_path / "a"))
    spark.range(5).write.format("delta").save(str(tmp_path / "b"))
    spark.range(5).selectExpr("id", "id AS x").write.format("delta").save(str(tmp_path / "wider"))
    spark.range(5).write.parquet(str(tmp_path / "parquet"))
    spark.sql(f"CREATE TABLE {table_name} USING delta LOCATION '{tmp_path}/a'")
    return table_name


def test_name_stands_for_the_table_of_the_new_location(spark, named, tmp_path):
    before = spark.table(named)

    spark.sql(f"ALTER TABLE {named} SET LOCATION '{tmp_path}/b'")

    assert (before.count(), spark.table(named).count()) == (3, 5)
    spark.sql(f"INSERT INTO {named} VALUES (5)")
    assert spark.read.format("delta").load(str(tmp_path / "b")).count() == 6
    detail = spark.sql(f"DESCRIBE DETAIL {named}").first()
    assert detail["location"] == f"file:{tmp_path}/b"
    assert spark.sql(f"DESCRIBE HISTORY delta.`{tmp_path}/a`").count() == 1


@pytest.mark.parametrize(
    ("folder", "condition", "said"),
    [
        ("wider", "DELTA_SET_LOCATION_SCHEMA_MISMATCH", "x: added, BIGINT"),
        ("parquet", "DELTA_MISSING_DELTA_TABLE", "is not a Delta table"),
        ("none", "DELTA_MISSING_DELTA_TABLE", "is not a Delta table"),
    ],
)
def test_location_that_does_not_fit_is_refused(spark, named, tmp_path, folder, condition, said):
    with pytest.raises(DeltaAnalysisException, match=said) as caught:
        spark.sql(f"ALTER TABLE {named} SET LOCATION '{tmp_path}/{folder}'")

    assert caught.value.getCondition() == condition
    assert spark.table(named).count() == 3


def test_other_columns_come_where_the_session_allows_it(spark, named, tmp_path):
    spark.conf.set(_BYPASS, "true")
    try:
        spark.sql(f"ALTER TABLE {named} SET LOCATION '{tmp_path}/wider'")
    finally:
        spark.conf.unset(_BYPASS)

    assert spark.table(named).columns == ["id", "x"]


def test_path_has_no_other_location(spark, named, tmp_path):
    with pytest.raises(DeltaAnalysisException) as caught:
        spark.sql(f"ALTER TABLE delta.`{tmp_path}/a` SET LOCATION '{tmp_path}/b'")

    assert caught.value.getCondition() == "DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER"
