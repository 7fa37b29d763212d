"""`DeltaTable.scd2`: rows that change end, and others follow them, in one version."""

import pytest
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta import DeltaTable
from puredelta.api import Scd2Result
from puredelta.engine.exceptions import DeltaRuntimeException


@pytest.fixture
def table(spark, tmp_path) -> DeltaTable:
    """Two customers since the first of January."""
    path = str(tmp_path / "t")
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id INT, city STRING, valid_from TIMESTAMP, "
        "valid_to TIMESTAMP, is_current BOOLEAN) USING delta"
    )
    table = DeltaTable.forPath(spark, path)
    table.scd2(customers(spark, (1, "Oslo"), (2, "Bergen")), "id", at=on(1))
    return table


def customers(spark, *rows):
    return spark.createDataFrame(list(rows), "id INT, city STRING")


def on(day):
    return F.lit(f"2024-01-{day:02}").cast("timestamp")


def kept(table):
    return sorted(told(table))


def told(table):
    return [
        (row["id"], row["city"], day(row["valid_from"]), day(row["valid_to"]), row["is_current"])
        for row in table.toDF().collect()
    ]


def day(time):
    return time and time.day


def test_first_rows_are_current(table):
    assert kept(table) == [(1, "Oslo", 1, None, True), (2, "Bergen", 1, None, True)]


def test_row_that_changes_ends_and_another_follows(spark, table):
    done = table.scd2(customers(spark, (1, "Moss"), (2, "Bergen"), (3, "Bodø")), "id", at=on(5))

    assert done == Scd2Result(version=2, new=1, updated=1, ended=0, unchanged=1, changed=True)
    assert kept(table) == [
        (1, "Moss", 5, None, True),
        (1, "Oslo", 1, 5, False),
        (2, "Bergen", 1, None, True),
        (3, "Bodø", 5, None, True),
    ]


def test_nothing_new_makes_no_version(spark, table):
    done = table.scd2(customers(spark, (1, "Oslo")), "id", at=on(5))

    assert done == Scd2Result(version=1, new=0, updated=0, ended=0, unchanged=1, changed=False)
    assert table.history().count() == 2


@pytest.mark.parametrize("as_column", [False, True])
def test_keys_that_are_missing_end_where_asked(spark, table, as_column):
    at = on(4) if as_column else "TIMESTAMP'2024-01-04'"
    rows = customers(spark, (1, "Oslo"), (4, None))

    kept_on = table.scd2(rows, "id", at=on(3))
    done = table.scd2(rows, "id", at=at, endMissing=True)

    assert kept_on.ended == 0
    assert (done.ended, done.new, done.unchanged) == (1, 0, 2)
    current = [row["id"] for row in table.toDF().where("is_current").collect()]
    assert sorted(current) == [1, 4]
    assert (2, "Bergen", 1, 4, False) in kept(table)


def test_keys_that_are_missing_end_now_where_each_row_has_its_time(spark, table):
    at = F.when(F.col("id") == 1, on(4))

    table.scd2(customers(spark, (1, "Oslo")), "id", at=at, endMissing=True)
    [ended] = table.toDF().where("id = 2").collect()

    assert ended["valid_to"].year > 2024


def test_missing_keys_do_not_end_before_they_began(spark, table):
    with pytest.raises(DeltaRuntimeException) as caught:
        table.scd2(customers(spark, (1, "Oslo")), "id", at=on(1), endMissing=True)

    assert caught.value.getCondition() == "PUREDELTA_LATE_ROWS"
    assert "id = 2" in str(caught.value)
    assert table.history().count() == 2


def test_key_that_ended_begins_again(spark, table):
    table.scd2(customers(spark, (1, "Oslo")), "id", at=on(3), endMissing=True)

    done = table.scd2(customers(spark, (2, "Bergen")), "id", at=on(20))

    assert (done.new, done.updated) == (1, 0)
    assert table.toDF().where("id = 2").count() == 2


def test_nulls_are_values_like_others(spark, table):
    table.scd2(customers(spark, (1, None), (None, "x")), "id", at=on(3))
    again = table.scd2(customers(spark, (1, None), (None, "x")), "id", at=on(4))

    assert not again.changed
    assert (1, None, 3, None, True) in told(table)


def test_time_comes_with_the_rows_or_is_now(spark, table):
    dated = customers(spark, (1, "Moss")).withColumn("valid_from", on(7))
    table.scd2(dated, "id")
    table.scd2(customers(spark, (2, "Voss")), "id")

    assert (1, "Moss", 7, None, True) in kept(table)
    assert table.toDF().where("city = 'Voss'").first()["valid_from"].year > 2024


def test_time_in_sql_and_columns_of_other_names(spark, tmp_path):
    path = str(tmp_path / "o")
    columns = "k INT, v INT, begun DATE, gone DATE, live BOOLEAN"
    spark.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta")
    table = DeltaTable.forPath(spark, path)
    names = {"validFrom": "begun", "validTo": "gone", "current": "live"}
    for number in (1, 2):
        rows = spark.createDataFrame([(5, number)], "k INT, v INT")
        table.scd2(rows, ["k"], at=f"DATE'2024-02-0{number}'", **names)

    found = [(row["v"], day(row["begun"]), day(row["gone"])) for row in table.toDF().collect()]
    assert sorted(found) == [(1, 1, 2), (2, 2, None)]


@pytest.mark.parametrize("time", [1, None])
def test_rows_that_would_begin_too_early_are_refused(spark, table, time):
    at = on(time) if time else F.lit(None).cast("timestamp")

    with pytest.raises(DeltaRuntimeException) as caught:
        table.scd2(customers(spark, (2, "Voss")), "id", at=at)

    assert caught.value.getCondition() == "PUREDELTA_LATE_ROWS"
    assert "id = 2" in str(caught.value)
    assert table.history().count() == 2


def test_several_rows_of_one_key_are_refused(spark, table):
    with pytest.raises(DeltaRuntimeException) as caught:
        table.scd2(customers(spark, (2, "Voss"), (2, "Moss")), "id")

    assert caught.value.getCondition() == "PUREDELTA_DUPLICATE_KEYS"
