"""foreachBatch into Delta tables: merges and numbered writes, each batch once."""

import pytest
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta import DeltaTable
from puredelta.engine.exceptions import DeltaRuntimeException
from tests.spark.streams import Feed, error_of, finish, history, rows


@pytest.fixture
def feed(spark, tmp_path):
    return Feed(spark, tmp_path, "id BIGINT, v STRING")


def each_batch(source, write):
    return source.given(source.read().writeStream.foreachBatch(write))


def test_batch_write_of_an_application_is_made_once(spark, feed, path):
    source = feed.add({"id": 1}).add({"id": 2})

    def write(batch, number):
        numbered = batch.write.format("delta").mode("append").option("txnAppId", "mine")
        numbered.option("txnVersion", number).save(path)

    finish(each_batch(source, write).start())
    source.forget_last_batch()
    finish(each_batch(source, write).start())

    assert [row[0] for row in rows(spark, path)] == [1, 2]
    assert [shown["operation"] for shown in history(spark, path)] == ["WRITE", "WRITE"]


def test_merges_of_each_batch(spark, feed, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, v STRING) USING delta")
    source = feed.add({"id": 1, "v": "a"}).add({"id": 1, "v": "b"}, {"id": 2, "v": "c"})
    source.add({"id": 2, "v": "d"})

    def merge(batch, number):
        if number == 0:
            table = DeltaTable.forPath(batch.sparkSession, path)
            merged = table.alias("t").merge(batch.alias("s"), "t.id = s.id")
            merged.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
        elif number == 1:
            batch.createOrReplaceTempView("batch")
            batch.sparkSession.sql(
                f"MERGE INTO delta.`{path}` t USING batch s ON t.id = s.id "
                "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
            )
        else:
            DeltaTable.forPath(spark, path).upsert(batch, key="id")

    finish(each_batch(source, merge).start())

    assert rows(spark, path) == [(1, "b"), (2, "d")]


def test_merge_of_an_application_is_made_once(spark, feed, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, v STRING) USING delta")
    source = feed.add({"id": 1, "v": "a"})
    calls = []

    def merge(batch, number):
        calls.append(number)
        settings = batch.sparkSession.conf
        settings.set("spark.databricks.delta.write.txnAppId", "mine")
        settings.set("spark.databricks.delta.write.txnVersion", number)
        DeltaTable.forPath(batch.sparkSession, path).upsert(batch, key="id")

    finish(each_batch(source, merge).start())
    source.forget_last_batch()
    finish(each_batch(source, merge).start())

    assert calls == [0, 0]
    assert [shown["operation"] for shown in history(spark, path)] == ["CREATE TABLE", "MERGE"]


def test_dimension_of_each_batch(spark, feed, path):
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id BIGINT, v STRING, valid_from TIMESTAMP, "
        "valid_to TIMESTAMP, is_current BOOLEAN) USING delta"
    )
    source = feed.add({"id": 1, "v": "a"}).add({"id": 1, "v": "b"})

    finish(
        each_batch(
            source,
            lambda batch, number: DeltaTable.forPath(batch.sparkSession, path).scd2(
                batch, key="id", at=F.lit(f"2024-01-0{number + 1}").cast("timestamp")
            ),
        ).start()
    )

    found = spark.read.format("delta").load(path).orderBy("valid_from").collect()
    assert [(row.v, row.is_current) for row in found] == [("a", False), ("b", True)]


def test_failure_in_a_batch_function_ends_the_query_as_itself(spark, feed, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, v STRING) USING delta")
    source = feed.add({"id": 1, "v": "a"}, {"id": 1, "v": "b"})

    def merge(batch, _number):
        DeltaTable.forPath(batch.sparkSession, path).upsert(batch, key="id")

    query = each_batch(source, merge).start()
    error = error_of(query)

    assert isinstance(error, DeltaRuntimeException)
    assert error.getCondition() == "PUREDELTA_DUPLICATE_KEYS"
    assert query.exception().getCondition() == "PUREDELTA_DUPLICATE_KEYS"
