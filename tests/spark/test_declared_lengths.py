"""Lengths of texts inside columns hold after the columns around them were changed."""

from __future__ import annotations

import pytest
from pyspark.errors import AnalysisException

from puredelta.engine.exceptions import DeltaInvariantViolationException
from puredelta.tables import DeltaTable

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


def test_nested_texts_take_any_length_once_they_are_strings(spark, table):
    spark.sql(
        f"CREATE TABLE {table} (s STRUCT<v: VARCHAR(3), c: CHAR(3)>, l ARRAY<VARCHAR(3)>,"
        " m MAP<VARCHAR(3), CHAR(3)>) USING delta"
    )
    row = "SELECT named_struct('v', '{}', 'c', 'abc'), array('{}'), map('{}', '{}')"
    long = f"INSERT INTO {table} {row.format(*['abcd'] * 4)}"
    for path in ("s.v", "l.element", "m.key", "m.value"):
        assert path in refused(spark, long)
        spark.sql(f"ALTER TABLE {table} ALTER COLUMN {path} COMMENT 'c'") if path == "s.v" else None
        assert path in refused(spark, long)
        spark.sql(f"ALTER TABLE {table} ALTER COLUMN {path} TYPE STRING")

    spark.sql(long)

    assert spark.table(table).collect()[0][1:] == (["abcd"], {"abcd": "abcd"})
    other = "SELECT named_struct('v', 'abcd', 'c', 'abcd'), array(''), map()"
    assert "s.c" in refused(spark, f"INSERT INTO {table} {other}")


def test_nested_lengths_grow_in_sql_and_never_shrink(spark, table):
    spark.sql(
        f"CREATE TABLE {table} (s STRUCT<v: VARCHAR(3), c: CHAR(3)>, l ARRAY<VARCHAR(3)>,"
        " m MAP<VARCHAR(3), STRUCT<w: VARCHAR(3)>>) USING delta"
    )
    row = (
        "SELECT named_struct('v', '{}', 'c', '{}'), array('{}'), map('{}', named_struct('w', '{}'))"
    )

    for change in (
        "ALTER COLUMN s.c TYPE VARCHAR(4)",
        "CHANGE COLUMN s.v V VARCHAR(4) COMMENT 'longer' AFTER c",
        "CHANGE s.v v VARCHAR(4) FIRST",
        "ALTER COLUMN l.element TYPE VARCHAR(4)",
        "ALTER COLUMN m.key TYPE VARCHAR( 4 ), m.value.w TYPE STRING",
    ):
        spark.sql(f"ALTER TABLE {table} {change}")

    spark.sql(f"INSERT INTO {table} {row.format(*['abcd'] * 4, 'abcde')}")
    for place, path in enumerate(("s.v", "s.c", "l.element", "m.key")):
        values = ["abcd"] * 5
        values[place] = "abcde"
        assert path in refused(spark, f"INSERT INTO {table} {row.format(*values)}")
    for path in ("s.v", "l.element", "m.key"):
        with pytest.raises(AnalysisException, match="VARCHAR"):
            spark.sql(f"ALTER TABLE {table} ALTER COLUMN {path} TYPE VARCHAR(2)")
    assert spark.table(table).schema["s"].dataType["v"].metadata["comment"] == "longer"


def test_nested_lengths_grow_by_the_method_and_never_shrink(spark, tmp_path):
    path = str(tmp_path / "t")
    spark.sql(
        f"CREATE TABLE delta.`{path}` (s STRUCT<c: CHAR(3)>, l ARRAY<VARCHAR(3)>) USING delta"
    )
    table = DeltaTable.forPath(spark, path)

    table.alterColumn("s.c", "VARCHAR(4)")
    table.alterColumn("l.element", "VARCHAR(4)")

    spark.sql(f"INSERT INTO delta.`{path}` SELECT named_struct('c', 'abcd'), array('abcd')")
    long = f"INSERT INTO delta.`{path}` SELECT named_struct('c', 'abcd'), array('abcde')"
    assert "l.element" in refused(spark, long)
    for name in ("s.c", "l.element"):
        with pytest.raises(AnalysisException, match="VARCHAR"):
            table.alterColumn(name, "VARCHAR(2)")
