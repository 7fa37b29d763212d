"""`dryRun=True` of `append_new`, `upsert`, `scd2` and `dedupe`: told as it would be done."""

import pytest
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta import DeltaTable
from puredelta.engine.exceptions import DeltaRuntimeException


@pytest.fixture
def table(spark, tmp_path) -> DeltaTable:
    """Ids 1 to 4, two files."""
    return made(spark, str(tmp_path / "t"))


def made(spark, path):
    rows = spark.createDataFrame([(1, "a"), (2, "b"), (3, "c"), (4, "d")], "id INT, name STRING")
    rows.repartitionByRange(2, "id").write.format("delta").save(path)
    return DeltaTable.forPath(spark, path)


def rows(spark, *values):
    return spark.createDataFrame(list(values), "id INT, name STRING")


def is_unchanged(table, versions=1):
    return table.history().count() == versions


def test_append_new_counts_what_is_new(spark, table):
    news = rows(spark, (4, "D"), (5, "e"), (6, "f"))

    told = table.append_new(news, "id", dryRun=True)

    assert is_unchanged(table)
    assert (told.operation, told.rows_inserted) == ("WRITE", 2)
    assert told.bytes_to_rewrite == 0
    assert table.append_new(news, "id").rows == told.rows_inserted


def test_append_new_reads_no_version_but_the_newest(spark, table, tmp_path):
    table.append_new(rows(spark, (5, "e")), "id")

    told = table.append_new(rows(spark, (5, "E")), "id", dryRun=True)

    assert (told.version, told.rows_inserted) == (1, 0)


@pytest.mark.parametrize("order", [None, "name"])
def test_upsert_tells_rows_and_files(spark, table, order):
    news = rows(spark, (4, "D"), (5, "e"))

    told = table.upsert(news, "id", orderBy=order, dryRun=True)

    assert is_unchanged(table)
    assert (told.rows_updated, told.rows_inserted, told.rows_deleted) == (1, 1, 0)
    assert (told.files, told.rewritten_files) == (1, 1)
    done = table.upsert(news, "id", orderBy=order)
    assert (done.updated, done.inserted) == (told.rows_updated, told.rows_inserted)


def test_upsert_refuses_in_a_dry_run_what_it_refuses(spark, table):
    with pytest.raises(DeltaRuntimeException) as caught:
        table.upsert(rows(spark, (9, "x"), (9, "y")), "id", dryRun=True)

    assert caught.value.getCondition() == "PUREDELTA_DUPLICATE_KEYS"


def test_scd2_tells_rows_that_end_and_follow(spark, tmp_path):
    path = str(tmp_path / "dated")
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id INT, name STRING, valid_from TIMESTAMP, "
        "valid_to TIMESTAMP, is_current BOOLEAN) USING delta"
    )
    table = DeltaTable.forPath(spark, path)
    table.scd2(rows(spark, (1, "a"), (2, "b"), (3, "c")), "id", at="TIMESTAMP'2024-01-01'")
    given = rows(spark, (1, "A"), (2, "b"), (4, "d"))
    at = F.lit("2024-01-02").cast("timestamp")

    told = table.scd2(given, "id", at=at, endMissing=True, dryRun=True)

    assert is_unchanged(table, versions=2)
    # One ends as it changes, one as it is missing; one follows, one begins.
    assert (told.rows_updated, told.rows_inserted) == (2, 2)
    done = table.scd2(given, "id", at=at, endMissing=True)
    assert (done.updated, done.ended, done.new) == (1, 1, 1)


@pytest.mark.parametrize("vectors", [False, True])
def test_dedupe_tells_doubles_and_what_is_written(spark, table, vectors):
    if vectors:
        table.setProperties({"delta.enableDeletionVectors": "true"})
    more = rows(spark, (3, "C"), (4, "z")).coalesce(1)
    more.write.format("delta").mode("append").save(table.detail().first()["location"])
    versions = table.history().count()

    told = table.dedupe("id", orderBy="name", dryRun=True)

    assert is_unchanged(table, versions)
    assert (told.rows_deleted, told.uses_vectors) == (2, vectors)
    assert (told.touched_files, told.rewritten_files) == (2, 0 if vectors else 2)
    done = table.dedupe("id", orderBy="name")
    assert done.deleted == told.rows_deleted


def test_dry_run_shows_itself(spark, table):
    told = table.dedupe(dryRun=True)

    assert str(told).startswith("DELETE on ")
    assert "rows: none" in str(told)
