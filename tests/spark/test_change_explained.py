"""Dry runs of DELETE, UPDATE and MERGE: what they would do, with nothing written."""

import pytest

from puredelta import DeltaTable
from puredelta.api import ChangeExplained
from puredelta.engine.exceptions import DeltaUnsupportedOperationException
from tests.html_tables import texts_of


def made(spark, path, **properties) -> DeltaTable:
    """Two partitions of two files each: ids 0 to 49 and 50 to 99, even and odd."""
    told = ", ".join(f"'delta.{key}' = '{value}'" for key, value in properties.items())
    clause = f"TBLPROPERTIES ({told})" if told else ""
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id BIGINT, half BIGINT, v STRING) USING delta "
        f"PARTITIONED BY (half) {clause}"
    )
    for start in (0, 50):
        rows = spark.range(start, start + 50).selectExpr("id", "id % 2 AS half", "'old' AS v")
        rows.coalesce(1).write.format("delta").mode("append").save(path)
    return DeltaTable.forPath(spark, path)


@pytest.fixture
def table(spark, tmp_path) -> DeltaTable:
    return made(spark, str(tmp_path / "t"))


@pytest.fixture
def news(spark):
    return spark.range(40, 110, 20).selectExpr("id", "0L AS half", "'new' AS v").alias("s")


def test_delete_of_some_rows(table):
    told = table.delete("id < 10 AND half = 1", dryRun=True)

    assert (told.operation, told.version) == ("DELETE", 2)
    assert (told.files, told.all_files, told.touched_files, told.rewritten_files) == (1, 4, 1, 1)
    assert (told.rows_deleted, told.rows_updated, told.rows_inserted) == (5, 0, 0)
    assert 0 < told.bytes_to_rewrite < told.all_bytes
    assert {part.by for part in told.parts if part.files_skipped} == {"partitions", "statistics"}
    assert table.history().count() == 3


def test_delete_of_partitions_writes_nothing_anew(table):
    told = table.delete("half = 1", dryRun=True)

    assert (told.touched_files, told.rewritten_files, told.bytes_to_rewrite) == (2, 0, 0)
    assert told.rows_deleted == 50


def test_delete_of_all_rows(table):
    told = table.delete(dryRun=True)

    assert (told.files, told.rows_deleted, told.parts) == (4, 100, ())


def test_update(table):
    told = table.update("id IN (3, 60)", {"v": "'x'"}, dryRun=True)

    assert told.operation == "UPDATE"
    assert (told.touched_files, told.rows_updated, told.rows_deleted) == (2, 2, 0)
    assert table.toDF().where("v = 'x'").count() == 0


def test_preview_counts_the_files_that_the_run_then_writes_anew(table):
    for change in (
        lambda **dry: table.update("half = 1", {"v": "'whole partitions'"}, **dry),
        lambda **dry: table.update("id >= 0", {"v": "'all rows'"}, **dry),
        lambda **dry: table.update("id < 60", {"v": "'some rows'"}, **dry),
        lambda **dry: table.update(set={"v": "'no condition'"}, **dry),
        lambda **dry: table.delete("id < 10", **dry),
    ):
        told = change(dryRun=True)
        change()
        metrics = table.history(1).head()["operationMetrics"]
        rows = metrics.get("numUpdatedRows", metrics.get("numDeletedRows"))
        assert (told.touched_files, told.rewritten_files) == (int(metrics["numRemovedFiles"]),) * 2
        assert told.rows_updated + told.rows_deleted == int(rows)
        assert told.bytes_to_rewrite == int(metrics["numRemovedBytes"])


def test_vectors_leave_other_rows_where_they_are(spark, tmp_path, news):
    table = made(spark, str(tmp_path / "v"), enableDeletionVectors="true")
    merge = table.alias("t").merge(news, "t.id = s.id").whenMatchedDelete()

    for told in (table.delete("id = 3", dryRun=True), merge.explain()):
        assert told.uses_vectors
        assert told.touched_files > 0
        assert (told.rewritten_files, told.bytes_to_rewrite) == (0, 0)
        assert "deletion vectors" in str(told)


def test_merge_counts_what_each_clause_would_do(table, news):
    merge = (
        table.alias("t")
        .merge(news, "t.id = s.id AND t.half = 0")
        .whenMatchedUpdate("s.id < 50", {"v": "s.v"})
        .whenMatchedDelete("s.id = 60")
        .whenNotMatchedInsertAll("s.id > 90")
    )

    told = merge.explain()

    assert (told.operation, told.files, told.touched_files) == ("MERGE", 2, 2)
    assert (told.rows_updated, told.rows_deleted, told.rows_inserted) == (1, 1, 1)
    assert any(part.by == "partitions" for part in told.parts)
    assert told == merge.execute(dryRun=True)
    assert f"strategy: {told.strategy}" in str(told)
    assert told.strategy.startswith("find affected rows; ")
    assert table.history().count() == 3
    counts = merge.execute().first()
    assert (counts.num_updated_rows, counts.num_deleted_rows, counts.num_inserted_rows) == (1, 1, 1)


def test_merge_of_what_is_not_matched_by_the_source(table, news):
    merge = table.alias("t").merge(news, "t.id = s.id").whenNotMatchedBySourceDelete("t.id >= 50")

    told = merge.explain()

    assert (told.files, told.rows_deleted) == (4, 48)


def test_merge_that_would_fail_fails(spark, table):
    twice = spark.createDataFrame([(3,), (3,)], "id BIGINT").alias("s")
    merge = table.alias("t").merge(twice, "t.id = s.id").whenMatchedUpdate(set={"v": "'x'"})

    with pytest.raises(DeltaUnsupportedOperationException):
        merge.explain()


def test_text_and_notebook(table):
    told = table.update("id < 10", {"v": "'x'"}, dryRun=True)

    assert isinstance(told, ChangeExplained)
    assert str(told).startswith("UPDATE on delta.`")
    assert "version 2 (dry run)" in str(told)
    assert "rows: 10 updated" in str(told)
    assert "writes anew: 2 files" in str(told)
    html = told._repr_html_()
    assert "id &lt; 10" in html
    assert ["rows", "10 updated"] in texts_of(html)
