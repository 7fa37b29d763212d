"""writeStream into Delta tables: each batch is one commit, whatever is repeated."""

import json
import shutil
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, StreamingQueryException
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.engine.exceptions import (
    ConcurrentTransactionException,
    DeltaAnalysisException,
    DeltaIllegalArgumentException,
    DeltaIllegalStateException,
    DeltaInvariantViolationException,
    DeltaUnsupportedOperationException,
)
from tests.spark.streams import Feed, error_of, finish, history, rows


@pytest.fixture
def feed(spark, tmp_path):
    return lambda schema="id BIGINT, v STRING": Feed(spark, tmp_path, schema)


# ------------------------------------------------------------------------------------ once a batch


def test_each_batch_is_a_commit_that_names_query_and_batch(spark, feed, path):
    source = feed().add({"id": 1, "v": "a"}).add({"id": 2, "v": "b"}, {"id": 3, "v": "c"})

    query = finish(source.writer().option("userMetadata", "mine").start(path))

    assert rows(spark, path) == [(1, "a"), (2, "b"), (3, "c")]
    first, second = history(spark, path)
    for number, shown in enumerate((first, second)):
        assert shown["operation"] == "STREAMING UPDATE"
        assert shown["operationParameters"] == {
            "outputMode": "Append",
            "queryId": str(query.id),
            "epochId": str(number),
        }
        assert shown["isBlindAppend"]
        assert shown["userMetadata"] == "mine"
    assert second["operationMetrics"]["numOutputRows"] == "2"
    assert second["operationMetrics"]["numAddedFiles"] == "1"
    assert second["operationMetrics"]["numRemovedFiles"] == "0"
    assert [done["numInputRows"] for done in query.recentProgress] == [1, 2]
    assert query.lastProgress["sink"]["description"] == f"DeltaSink[{path}]"


def test_batch_that_another_run_of_the_query_writes_meanwhile_is_refused(
    spark, feed, path, meanwhile
):
    source = feed("id BIGINT").add({"id": 1})
    query = finish(source.writer().start(path))
    source.add({"id": 2})
    other_run = {"txn": {"appId": str(query.id), "version": 1}}
    meanwhile(lambda: Path(path, "_delta_log", f"{1:020}.json").write_text(json.dumps(other_run)))

    error = error_of(source.writer().start(path))

    assert isinstance(error, ConcurrentTransactionException)
    assert error.getCondition() == "DELTA_CONCURRENT_TRANSACTION"
    assert rows(spark, path) == [(1,)]
    # The other run has written the batch.
    finish(source.writer().start(path))
    assert rows(spark, path) == [(1,)]


def test_batch_repeated_after_a_crash_is_left_out(spark, feed, path):
    source = feed().add({"id": 1}).add({"id": 2})
    finish(source.writer().start(path))
    source.forget_last_batch()
    source.add({"id": 3})

    finish(source.writer().start(path))

    assert [row[0] for row in rows(spark, path)] == [1, 2, 3]
    assert [shown["operationParameters"]["epochId"] for shown in history(spark, path)] == [
        "0",
        "1",
        "2",
    ]


def test_repeated_batch_is_left_out_though_the_table_has_changed(spark, feed, path):
    source = feed().add({"id": 1, "v": "a"})
    finish(source.writer().start(path))
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT big CHECK (id < 100)")
    source.forget_last_batch()

    finish(source.writer().start(path))

    assert len(rows(spark, path)) == 1


def test_new_checkpoint_is_another_query(spark, feed, path):
    source = feed().add({"id": 1})
    finish(source.writer().start(path))
    shutil.rmtree(source.checkpoint)

    finish(source.writer().start(path))

    assert [row[0] for row in rows(spark, path)] == [1, 1]


def test_two_queries_write_one_table(spark, feed, path):
    one, two = feed(), feed()
    for number in range(3):
        one.add({"id": number})
        two.add({"id": 100 + number})
    spark.range(0).selectExpr("id", "'' AS v").write.format("delta").save(path)

    queries = [source.writer().start(path) for source in (one, two)]
    for query in queries:
        finish(query)

    assert [row[0] for row in rows(spark, path)] == [0, 1, 2, 100, 101, 102]


def test_batch_without_rows_is_committed(spark, feed, path):
    source = feed().add({"id": 1}).add({"id": -1})

    finish(source.writer(source.read().where("id > 0")).start(path))

    assert [shown["operationMetrics"]["numOutputRows"] for shown in history(spark, path)] == [
        "1",
        "0",
    ]


def test_table_that_reads_itself_is_no_blind_append(spark, feed, path):
    spark.range(1).selectExpr("id", "'old' AS v").write.format("delta").save(path)
    source = feed().add({"id": 0}, {"id": 5})
    known = spark.read.format("delta").load(path).select("id")

    finish(source.writer(source.read().join(known, "id", "left_anti")).start(path))

    assert [row[0] for row in rows(spark, path)] == [0, 5]
    assert not history(spark, path)[-1]["isBlindAppend"]


def test_stopped_query_has_no_exception(spark, path, tmp_path):
    slow = F.expr("IF(reflect('java.lang.Thread', 'sleep', 3000L) IS NULL, null, value)")
    stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 4).load()
    writer = stream.select(slow.alias("id")).writeStream.format("delta")
    query = writer.option("checkpointLocation", str(tmp_path / "c")).start(path)
    while not query.status["isTriggerActive"]:
        pass
    query.awaitTermination(3)

    query.stop()

    assert query.exception() is None


# ------------------------------------------------------------------------------ state and watermark


def test_watermark_and_state_go_on_over_batches(spark, feed, path):
    source = feed("at TIMESTAMP, n INT")
    for second in (1, 5, 25, 2, 60):
        source.add({"at": f"2024-01-01T00:00:{second % 60:02}Z", "n": 1})
    source.add({"at": "2024-01-01T00:05:00Z", "n": 1}).add({"at": "2024-01-01T00:06:00Z", "n": 1})
    stream = source.read().withWatermark("at", "10 seconds")
    counted = stream.groupBy(F.window("at", "10 seconds").alias("w")).agg(F.sum("n").alias("n"))

    query = finish(source.writer(counted.selectExpr("w.start AS start", "n")).start(path))

    found = [(row[0].second, row[0].minute, row[1]) for row in rows(spark, path, "start")]
    # The row of second 2 comes after the watermark has passed its window: it is dropped.
    assert (0, 0, 3) in found or (0, 0, 2) in found
    assert len(found) == len(set(found))
    states = [done["stateOperators"][0]["numRowsTotal"] for done in query.recentProgress]
    assert max(states) >= 1
    assert sum(done["numInputRows"] for done in query.recentProgress) == 7


def test_watermark_does_not_become_part_of_a_column(spark, feed, path):
    source = feed("at TIMESTAMP, n INT").add({"at": "2024-01-01T00:00:00Z", "n": 1})

    finish(source.writer(source.read().withWatermark("at", "10 seconds")).start(path))

    assert [field.metadata for field in spark.read.format("delta").load(path).schema] == [{}, {}]


def test_complete_mode_replaces_all_rows(spark, feed, path):
    source = feed().add({"id": 1, "v": "a"}).add({"id": 2, "v": "a"}, {"id": 3, "v": "b"})
    counted = source.read().groupBy("v").count()

    finish(source.writer(counted).outputMode("complete").start(path))

    assert rows(spark, path, "v") == [("a", 2), ("b", 1)]
    shown = history(spark, path)[-1]
    assert shown["operationParameters"]["outputMode"] == "Complete"
    assert not shown["isBlindAppend"]


def test_complete_mode_needs_a_table_that_gives_rows_up(spark, feed, path):
    spark.sql(
        f"CREATE TABLE delta.`{path}` (v STRING, count BIGINT) USING delta "
        "TBLPROPERTIES (delta.appendOnly = true)"
    )
    source = feed().add({"id": 1, "v": "a"})
    counted = source.read().groupBy("v").count()

    error = error_of(source.writer(counted).outputMode("complete").start(path))

    assert isinstance(error, DeltaUnsupportedOperationException)
    assert error.getCondition() == "DELTA_CANNOT_MODIFY_APPEND_ONLY"


def test_update_mode_is_refused_at_start(feed, path):
    source = feed().add({"id": 1})

    with pytest.raises(DeltaAnalysisException) as caught:
        source.writer(source.read().groupBy("id").count()).outputMode("update").start(path)

    assert caught.value.getCondition() == "DELTA_UNSUPPORTED_OUTPUT_MODE"
    assert caught.value.getMessageParameters()["mode"] == "Update"
    assert not Path(path).exists()


# --------------------------------------------------------------------------------- columns and rows


def test_columns_are_matched_by_name_and_cast(spark, feed, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (V STRING, id INT, n INT) USING delta")
    source = feed("id BIGINT, v INT").add({"id": 7, "v": 70})

    finish(source.writer().start(path))

    assert rows(spark, path) == [("70", 7, None)]


def test_new_columns_need_merge_schema(spark, feed, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT) USING delta")
    source = feed().add({"id": 1, "v": "a"})

    error = error_of(source.writer().start(path))
    assert error.getCondition() == "DELTA_METADATA_MISMATCH"
    assert isinstance(error, DeltaAnalysisException)
    assert rows(spark, path) == []

    finish(source.writer().option("mergeSchema", "true").start(path))
    assert rows(spark, path) == [(1, "a")]


def test_complete_mode_may_replace_the_schema(spark, feed, path):
    spark.range(3).selectExpr("id AS old").write.format("delta").save(path)
    source = feed().add({"id": 1, "v": "a"})
    counted = source.read().groupBy("v").count()
    writer = source.writer(counted).outputMode("complete").option("overwriteSchema", "true")

    finish(writer.partitionBy("v").start(path))

    assert rows(spark, path, "v") == [("a", 1)]
    assert spark.sql(f"DESCRIBE DETAIL delta.`{path}`").first().partitionColumns == ["v"]


def test_partitioning_is_that_of_the_table(spark, feed, path):
    source = feed().add({"id": 1, "v": "a"})
    finish(source.writer().partitionBy("v").start(path))
    assert (Path(path) / "v=a").is_dir()
    source.add({"id": 2, "v": "b"})

    finish(source.writer().start(path))
    source.add({"id": 3, "v": "c"})
    error = error_of(source.writer().partitionBy("id").start(path))

    assert error.getCondition() == "DELTA_METADATA_MISMATCH"
    assert rows(spark, path) == [(1, "a"), (2, "b")]


def test_columns_with_values_of_their_own(spark, feed, table_name):
    spark.sql(
        f"CREATE TABLE {table_name} (n BIGINT GENERATED ALWAYS AS IDENTITY, id BIGINT, "
        "twice BIGINT GENERATED ALWAYS AS (id * 2), d STRING DEFAULT 'none', c CHAR(3)) "
        "USING delta TBLPROPERTIES (delta.feature.allowColumnDefaults = 'supported')"
    )
    source = feed("id BIGINT, c STRING").add({"id": 1, "c": "x"}).add({"id": 2, "c": "y"})

    finish(source.writer().toTable(table_name))

    found = spark.table(table_name).orderBy("id").collect()
    assert [(row.id, row.twice, row.d, row.c) for row in found] == [
        (1, 2, "none", "x  "),
        (2, 4, "none", "y  "),
    ]
    assert found[0].n < found[1].n


def test_values_for_an_identity_column_are_refused(spark, feed, table_name):
    spark.sql(
        f"CREATE TABLE {table_name} (id BIGINT GENERATED ALWAYS AS IDENTITY, v STRING) USING delta"
    )
    source = feed().add({"id": 1, "v": "a"})

    error = error_of(source.writer().toTable(table_name))

    assert error.getCondition() == "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED"
    assert error.getMessageParameters() == {"colName": "id"}


def test_void_column_is_refused(feed, path):
    source = feed().add({"id": 1})

    error = error_of(source.writer(source.read().selectExpr("id", "NULL AS nothing")).start(path))

    assert error.getCondition() == "DELTA_NULL_SCHEMA_IN_STREAMING_WRITE"


# ------------------------------------------------------------------------------------------- errors


def test_violated_constraint_ends_the_query_as_itself(spark, feed, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, v STRING) USING delta")
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT small CHECK (id < 10)")
    source = feed().add({"id": 1}).add({"id": 11})

    query = source.writer().start(path)
    error = error_of(query)

    for seen in (error, query.exception()):
        assert isinstance(seen, DeltaInvariantViolationException)
        assert isinstance(seen, StreamingQueryException)
        assert seen.getCondition() == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
        assert seen.getMessageParameters()["constraintName"] == "small"
    assert [row[0] for row in rows(spark, path)] == [1]


def test_value_that_cannot_be_cast_ends_the_query_as_sparks_own(spark, feed, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, v INT) USING delta")
    source = feed().add({"id": 1, "v": "no number"})

    query = source.writer().start(path)
    error = error_of(query)

    assert "CAST_INVALID_INPUT" in str(error)
    assert isinstance(query.exception(), StreamingQueryException)


@pytest.mark.parametrize(
    ("option", "value"), [("mergeSchema", "perhaps"), ("dryRun", "true"), ("upsertKey", "[]")]
)
def test_bad_option_is_refused_at_start(feed, path, option, value):
    source = feed().add({"id": 1})

    with pytest.raises(DeltaIllegalArgumentException) as caught:
        source.writer().option(option, value).start(path)

    assert caught.value.getMessageParameters()["name"] == option
    assert not Path(path).exists()


def test_path_is_needed(feed):
    with pytest.raises(DeltaIllegalArgumentException) as caught:
        feed().add({"id": 1}).writer().start()

    assert caught.value.getMessageParameters()["name"] == "path"


# ------------------------------------------------------------------------------------------ toTable


def test_missing_table_is_created_by_name(spark, feed, table_name):
    source = feed().add({"id": 1, "v": "a"})

    finish(source.writer().partitionBy("v").toTable(table_name))

    assert [tuple(row) for row in spark.table(table_name).collect()] == [(1, "a")]
    detail = spark.sql(f"DESCRIBE DETAIL {table_name}").first()
    assert detail.partitionColumns == ["v"]
    operations = spark.sql(f"DESCRIBE HISTORY {table_name}").orderBy("version").collect()
    assert [row.operation for row in operations] == ["CREATE TABLE", "STREAMING UPDATE"]


def test_table_is_clustered_when_it_is_created(spark, feed, table_name):
    source = feed().add({"id": 1, "v": "a"})

    finish(source.writer().clusterBy("v").toTable(table_name))

    assert spark.sql(f"DESCRIBE DETAIL {table_name}").first().clusteringColumns == ["v"]


def test_table_that_is_named_by_its_path_is_refused(spark, feed, path):
    spark.range(1).write.format("delta").save(path)

    with pytest.raises(DeltaIllegalStateException) as caught:
        feed().add({"id": 1}).writer().toTable(f"delta.`{path}`")

    assert caught.value.getCondition() == "DELTA_INVALID_V1_TABLE_CALL"


def test_view_is_no_target(spark, feed, table_name):
    spark.range(1).createOrReplaceTempView(f"v_{table_name}")

    with pytest.raises(AnalysisException):
        feed().add({"id": 1}).writer().toTable(f"v_{table_name}")


# --------------------------------------------------------------------------------- files of a batch


def test_optimized_write_and_auto_compaction(spark, feed, path):
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id BIGINT, v STRING) USING delta TBLPROPERTIES "
        "(delta.autoOptimize.optimizeWrite = true, delta.autoOptimize.autoCompact = true)"
    )
    spark.conf.set("spark.databricks.delta.autoCompact.minNumFiles", "3")
    source = feed()
    for number in range(4):
        source.add({"id": number, "v": "a"})

    finish(source.writer(source.read().repartition(2, "id")).start(path))

    operations = [shown["operation"] for shown in history(spark, path)]
    assert "OPTIMIZE" in operations
    assert [row[0] for row in rows(spark, path)] == [0, 1, 2, 3]
    written = [s for s in history(spark, path) if s["operation"] == "STREAMING UPDATE"]
    assert [shown["operationMetrics"]["numAddedFiles"] for shown in written] == ["1"] * 4
