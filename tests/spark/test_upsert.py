"""`DeltaTable.upsert`: rows are updated or inserted by their key, in one version."""

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta import DeltaTable
from puredelta.api import Upserted
from puredelta.commands.keyed import upsert
from puredelta.engine.exceptions import (
    ConcurrentAppendException,
    DeltaAnalysisException,
    DeltaRuntimeException,
)
from puredelta.testing import (
    assert_history,
    assert_table_equal,
    conflicting_commit,
    lost_reply,
)

SCHEMA = "id BIGINT, name STRING, n INT"


@pytest.fixture
def table(spark, tmp_path) -> DeltaTable:
    """Ids 1 to 4, two files."""
    path = str(tmp_path / "t")
    rows = spark.createDataFrame([(1, "a", 1), (2, "b", 2), (3, "c", 3), (4, "d", 4)], SCHEMA)
    rows.repartitionByRange(2, "id").write.format("delta").save(path)
    return DeltaTable.forPath(spark, path)


def kept(table):
    return {row["id"]: (row["name"], row["n"]) for row in table.toDF().collect()}


def frame(spark, *rows, schema=SCHEMA):
    return spark.createDataFrame(list(rows), schema)


def test_rows_are_updated_or_inserted_by_key(spark, table):
    done = table.upsert(frame(spark, (4, "D", 40), (5, "E", 50)), key="id")

    assert done == Upserted(version=1, inserted=1, updated=1, changed=True)
    assert_table_equal(table, [(1, "a", 1), (2, "b", 2), (3, "c", 3), (4, "D", 40), (5, "E", 50)])
    metrics = {"numTargetRowsInserted": 1, "numTargetRowsUpdated": 1}
    assert_history(table, ["WRITE", ("MERGE", metrics)])


def test_upsert_is_tried_again_after_another_writer(spark, table):
    with conflicting_commit(table, lambda: table.delete("id = 4")):
        done = table.upsert(frame(spark, (4, "D", 40)), key="id", retry=1)

    assert (done.version, done.inserted, done.updated) == (2, 1, 0)
    assert_table_equal(table, [(1, "a", 1), (2, "b", 2), (3, "c", 3), (4, "D", 40)])


def test_upsert_whose_reply_is_lost_is_there_once(spark, table):
    with lost_reply(table):
        table.upsert(frame(spark, (9, "i", 9)), key="id")

    assert_history(table, ["WRITE", "MERGE"])
    assert_table_equal(table.toDF().where("id > 4"), [(9, "i", 9)])


def test_columns_that_are_not_given_stay_or_are_null(spark, table):
    rows = frame(spark, (1, 10), (9, 90), schema="ID BIGINT, n INT")

    table.upsert(rows, key="id")

    assert kept(table)[1] == ("a", 10)
    assert kept(table)[9] == (None, 90)


def test_null_keys_are_equal(spark, table):
    for name in ("first", "second"):
        table.upsert(frame(spark, (None, name, 0)), key="id")

    assert table.toDF().where("id IS NULL").collect() == [(None, "second", 0)]


def test_key_of_several_columns_alone_is_only_inserted(spark, table):
    rows = frame(spark, (1, "a"), (1, "z"), schema="id BIGINT, name STRING")

    done = table.upsert(rows, key=["id", "name"])

    assert (done.inserted, done.updated) == (1, 0)
    assert sorted(row["n"] or 0 for row in table.toDF().where("id = 1").collect()) == [0, 1]


def test_several_rows_of_one_key_are_refused_with_the_key(spark, table):
    rows = frame(spark, (7, "x", 1), (7, "y", 2), (8, "z", 3))

    with pytest.raises(DeltaRuntimeException) as caught:
        table.upsert(rows, key="id")

    assert caught.value.getCondition() == "PUREDELTA_DUPLICATE_KEYS"
    assert "id = 7" in str(caught.value)
    assert "id = 8" not in str(caught.value)
    assert table.history().count() == 1


@pytest.mark.parametrize("as_column", [False, True])
def test_greatest_row_of_a_key_counts(spark, table, as_column):
    rows = frame(spark, (7, "old", 1), (7, "new", 2), (7, "none", None), (1, "one", 5))
    order = F.col("n") + 0 if as_column else "n"

    done = table.upsert(rows, key="id", orderBy=order)

    assert (done.inserted, done.updated) == (1, 1)
    assert kept(table)[7] == ("new", 2)


def test_rows_with_the_same_values_are_skipped_where_asked(spark, table):
    same = frame(spark, (1, "a", 1), (2, "b", 2))

    skipped = table.upsert(same, key="id", skipUnchanged=True)
    one = table.upsert(frame(spark, (1, "a", 1), (4, None, 4)), key="id", skipUnchanged=True)
    written = table.upsert(same, key="id")

    assert skipped == Upserted(version=0, inserted=0, updated=0, changed=False)
    assert (one.version, one.updated) == (1, 1)
    assert written.updated == 2
    assert kept(table)[4] == (None, 4)


def test_new_columns_come_where_asked(spark, table):
    rows = frame(spark, (1, "a", 1)).withColumn("more", F.lit(5))

    with pytest.raises(DeltaAnalysisException):
        table.upsert(rows, key="id")
    table.upsert(rows, key="id", evolve=True)

    assert table.toDF().where("more = 5").count() == 1


def test_rows_made_from_the_table_itself(spark, table):
    rows = table.toDF().where("id >= 3").withColumn("n", F.col("n") * 100)

    done = table.upsert(rows, key="id")

    assert done.updated == 2
    assert kept(table)[3] == ("c", 300)


def test_rows_that_are_random_are_the_same_throughout(spark, table):
    rows = spark.range(3, 9).select(
        "id", F.lit("r").alias("name"), (F.rand() * 1000).cast("int").alias("n")
    )

    done = table.upsert(rows, key="id")

    assert (done.inserted, done.updated) == (4, 2)
    assert table.toDF().count() == 8


def test_conflict_is_raised_or_run_again(spark, table, monkeypatch):
    path = table.detail().first()["location"]
    real, left = upsert.Merge.run, [1]

    def overtaken(self, context):
        if left:
            left.pop()
            late = DeltaTable.forPath(spark, path)
            object.__setattr__(self, "base", self.table.log().latest())
            frame(spark, (9, "other", 9)).write.format("delta").mode("append").save(path)
            assert late.history().count() > 1
        return real(self, context)

    monkeypatch.setattr(upsert.Merge, "run", overtaken)
    rows = frame(spark, (9, "mine", 99))
    with pytest.raises(ConcurrentAppendException):
        table.upsert(rows, key="id")
    left.append(1)
    done = table.upsert(frame(spark, (10, "mine", 99)), key="id", retry=1)

    assert done.inserted == 1
    assert kept(table)[9] == ("other", 9)


def test_key_is_named_and_there(spark, table):
    with pytest.raises(ValueError, match="key"):
        table.upsert(frame(spark, (1, "a", 1)), key=[])
    with pytest.raises(PySparkException, match="nowhere"):
        table.upsert(frame(spark, (1, "a", 1)), key="nowhere")
    with pytest.raises(ValueError, match="retry"):
        table.upsert(frame(spark, (1, "a", 1)), key="id", retry=-1)
