"""The source of a MERGE while it runs: computed once, and not at all where the driver knows it."""

import pytest
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.merge.source import SOURCE_ROW, held_source


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 5L AS id, concat('a', 'b') AS v",
        "SELECT * FROM VALUES (5L, 'ab') AS r(id, v)",
        "SELECT id, concat(v, 'b') AS v FROM (SELECT 5L AS id, 'a' AS v)",
    ],
)
def test_values_are_known_without_a_job(spark, query):
    spark.sparkContext.setJobGroup("values", query)
    with held_source(spark.sql(query)) as source:
        assert source.count == 1
        assert not spark.sparkContext.statusTracker().getJobIdsForGroup("values")
        assert [tuple(row) for row in source.frame.drop(SOURCE_ROW).collect()] == [(5, "ab")]


def test_random_value_is_the_same_each_time(spark):
    with held_source(spark.sql("SELECT rand() AS v, uuid() AS w")) as source:
        first, second = source.frame.collect(), source.frame.collect()

    assert first == second


def test_columns_keep_their_ids(spark):
    frame = spark.sql("SELECT 5L AS id")

    with held_source(frame) as source:
        assert source.frame.select(frame["id"] + 1).first()[0] == 6


def test_rows_without_some_numbers_are_left(spark):
    with held_source(spark.range(5).coalesce(1)) as source:
        rows = {row.id: row[SOURCE_ROW] for row in source.frame.collect()}
        left = source.without({rows[1], rows[3]}).select(F.col("id")).collect()
        everything = source.without(()).count()

    assert sorted(row.id for row in left) == [0, 2, 4]
    assert everything == 5
