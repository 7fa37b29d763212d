"""SET NOT NULL on columns that may be null: proven or scanned, then enforced; and taken back."""

from __future__ import annotations

import logging

import pytest

from puredelta.commands.alter import change_column
from puredelta.engine.exceptions import (
    ConcurrentAppendException,
    DeltaAnalysisException,
    DeltaConcurrentModificationException,
    DeltaInvariantViolationException,
)


@pytest.fixture
def name(spark, tmp_path):
    """A table of two files, the second of which has nulls."""
    table = f"delta.`{tmp_path / 't'}`"
    spark.sql(f"CREATE TABLE {table} (a INT, b INT, s STRUCT<x: INT, y: INT>) USING delta")
    spark.sql(f"INSERT INTO {table} VALUES (1, 1, struct(1, 1))")
    spark.sql(f"INSERT INTO {table} VALUES (2, NULL, struct(1, NULL)), (3, NULL, NULL)")
    return table


def set_not_null(spark, table, column):
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN {column} SET NOT NULL")


def history(spark, table):
    rows = spark.sql(f"DESCRIBE HISTORY {table}").collect()
    return [(row.version, row.operation) for row in rows]


def test_column_without_nulls_is_proven_and_nothing_is_read(spark, name, caplog):
    caplog.set_level(logging.INFO, "puredelta.commands.alter.change_column")

    set_not_null(spark, name, "a")

    assert "2 files proven by statistics, 0 files scanned" in caplog.text
    assert history(spark, name)[0] == (3, "CHANGE COLUMN")


def test_rows_are_refused_from_then_on_and_allowed_again(spark, name):
    set_not_null(spark, name, "a")
    with pytest.raises(DeltaInvariantViolationException) as raised:
        spark.sql(f"INSERT INTO {name} VALUES (NULL, 1, NULL)")
    assert raised.value.getCondition() == "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"

    spark.sql(f"ALTER TABLE {name} ALTER COLUMN a DROP NOT NULL")
    spark.sql(f"INSERT INTO {name} VALUES (NULL, 1, NULL)")

    assert spark.table(name).where("a IS NULL").count() == 1


def test_rows_that_are_null_are_counted_and_shown(spark, name):
    with pytest.raises(DeltaAnalysisException) as raised:
        set_not_null(spark, name, "b")

    assert raised.value.getCondition() == "DELTA_NEW_NOT_NULL_CONSTRAINT_VIOLATION"
    assert raised.value.getSqlState() == "23512"
    parameters = raised.value.getMessageParameters()
    assert (parameters["numRows"], parameters["columnName"]) == ("2", "b")
    assert "b = null" in parameters["examples"]
    assert history(spark, name)[0] == (2, "WRITE")


@pytest.mark.parametrize(("field", "rows"), [("s.x", "1"), ("s.y", "2"), ("s", "1")])
def test_fields_of_a_null_struct_are_null(spark, name, field, rows):
    with pytest.raises(DeltaAnalysisException) as raised:
        set_not_null(spark, name, field)

    assert raised.value.getMessageParameters()["numRows"] == rows


def test_field_that_is_never_null_becomes_required(spark, name):
    spark.sql(f"INSERT OVERWRITE {name} VALUES (1, 1, struct(1, NULL))")

    set_not_null(spark, name, "s.x")
    set_not_null(spark, name, "s")

    with pytest.raises(DeltaInvariantViolationException) as raised:
        spark.sql(f"INSERT INTO {name} VALUES (1, 1, struct(NULL, 1))")
    assert raised.value.getMessageParameters()["columnName"] == "s.x"


def test_column_that_is_required_already_may_be_required_again(spark, name):
    set_not_null(spark, name, "a")
    set_not_null(spark, name, "a")

    assert history(spark, name)[0][1] == "CHANGE COLUMN"


def test_file_without_statistics_is_scanned(spark, tmp_path, caplog):
    table = f"delta.`{tmp_path / 'n'}`"
    caplog.set_level(logging.INFO, "puredelta.commands.alter.change_column")
    spark.sql(
        f"CREATE TABLE {table} (a INT) USING delta"
        " TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '0')"
    )
    spark.sql(f"INSERT INTO {table} VALUES (1), (2)")

    set_not_null(spark, table, "a")

    assert "0 files proven by statistics, 1 files scanned" in caplog.text


def test_parts_of_arrays_and_maps_cannot_be_required(spark, tmp_path):
    table = f"delta.`{tmp_path / 'm'}`"
    spark.sql(f"CREATE TABLE {table} (m MAP<STRING, STRUCT<k: INT>>) USING delta")

    with pytest.raises(DeltaAnalysisException) as raised:
        set_not_null(spark, table, "m.value.k")

    assert raised.value.getCondition() == "DELTA_NESTED_NOT_NULL_CONSTRAINT"


def test_row_that_comes_in_between_is_seen(spark, name, monkeypatch):
    checked = change_column.check_no_nulls

    def with_another_writer(*args):
        checked(*args)
        spark.sql(f"INSERT INTO {name} VALUES (NULL, 1, NULL)")

    monkeypatch.setattr(change_column, "check_no_nulls", with_another_writer)

    with pytest.raises((ConcurrentAppendException, DeltaConcurrentModificationException)):
        set_not_null(spark, name, "a")
