"""Lengths of texts inside columns hold after the columns around them were changed."""

from __future__ import annotations

import pytest

from puredelta.engine.exceptions import DeltaInvariantViolationException

MAPPED = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"


@pytest.fixture
def table(tmp_path):
    return f"delta.`{tmp_path / 't'}`"


def refused(spark, statement):
    with pytest.raises(DeltaInvariantViolationException) as raised:
        spark.sql(statement)
    assert raised.value.getCondition() == "DELTA_EXCEED_CHAR_VARCHAR_LIMIT"
    return raised.value.getMessageParameters()["expr"]


def test_lengths_follow_renamed_dropped_and_added_fields(spark, table):
    spark.sql(
        f"CREATE TABLE {table} (s STRUCT<a: INT, b: VARCHAR(3)>, l ARRAY<STRUCT<v: VARCHAR(3)>>)"
        f" USING delta {MAPPED}"
    )
    for change in (
        "RENAME COLUMN s.b TO c",
        "RENAME COLUMN l.element.v TO `w x`",
        "DROP COLUMN s.a",
        "ADD COLUMN s.n VARCHAR(2) FIRST",
        "RENAME COLUMN s TO r",
    ):
        spark.sql(f"ALTER TABLE {table} {change}")
    row = "SELECT named_struct('n', '{}', 'c', '{}'), array(named_struct('w x', '{}'))"

    spark.sql(f"INSERT INTO {table} {row.format('xy', 'abc', 'abc')}")

    assert "r.c" in refused(spark, f"INSERT INTO {table} {row.format('xy', 'abcd', 'abc')}")
    assert "r.n" in refused(spark, f"INSERT INTO {table} {row.format('xyz', 'abc', 'abc')}")
    assert "l.element.w x" in refused(
        spark, f"INSERT INTO {table} {row.format('xy', 'abc', 'abcd')}"
    )
    assert spark.table(table).collect()[0][:] == (("xy", "abc"), [("abc",)])


def test_lengths_of_names_that_need_quotes_hold(spark, table):
    spark.sql(
        f"CREATE TABLE {table} (s STRUCT<`a b`: VARCHAR(3), `c:d`: INT>) USING delta {MAPPED}"
    )
    row = "SELECT named_struct('a b', '{}', 'c:d', 1)"
    spark.sql(f"INSERT INTO {table} {row.format('abc')}")

    assert "s.a b" in refused(spark, f"INSERT INTO {table} {row.format('abcd')}")
    assert spark.table(table).collect()[0].s["a b"] == "abc"


def test_lengths_hold_after_a_write_that_adds_fields(spark, table):
    spark.sql(f"CREATE TABLE {table} (s STRUCT<a: INT, b: VARCHAR(3)>) USING delta")
    path = table.removeprefix("delta.").strip("`")
    grown = spark.sql("SELECT named_struct('a', 1, 'n', 'long', 'b', 'abc') AS s")
    grown.write.format("delta").mode("append").option("mergeSchema", "true").save(path)

    row = "SELECT named_struct('a', 1, 'b', '{}', 'n', 'longer')"
    spark.sql(f"INSERT INTO {table} {row.format('abc')}")

    assert "s.b" in refused(spark, f"INSERT INTO {table} {row.format('abcd')}")
