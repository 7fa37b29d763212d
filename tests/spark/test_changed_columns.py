"""Changed columns under Spark: files stay and read as one, caches are not stale."""

from __future__ import annotations

import pytest

from puredelta import DeltaTable
from puredelta.commands.alter import change_column
from puredelta.engine.exceptions import (
    DeltaAnalysisException,
    DeltaConcurrentModificationException,
)

MAPPED = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "t"


@pytest.fixture
def name(spark, folder):
    """A table with a struct, an array and a map of structs, and a row."""
    table = f"delta.`{folder}`"
    spark.sql(
        f"""CREATE TABLE {table} (id INT, s STRUCT<a: INT, b: STRING>,
        l ARRAY<STRUCT<a: INT, b: INT>>, m MAP<STRING, STRUCT<a: INT, b: INT>>)
        USING delta {MAPPED}"""
    )
    spark.sql(
        f"""INSERT INTO {table} SELECT 1, named_struct('a', 1, 'b', 'x'),
        array(named_struct('a', 1, 'b', 2)), map('k', named_struct('a', 1, 'b', 2))"""
    )
    yield table
    spark.catalog.clearCache()


def alter(spark, table, *changes):
    for change in changes:
        spark.sql(f"ALTER TABLE {table} {change}")


def rows(frame):
    return sorted(row.asDict(recursive=True) for row in frame.collect())


def data_files(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*.parquet")}


def test_no_file_is_touched(spark, name, folder):
    before = data_files(folder)

    alter(
        spark,
        name,
        "RENAME COLUMN s.a TO `a b`",
        "ALTER COLUMN s.b FIRST",
        "DROP COLUMN l.element.a",
        "ADD COLUMN m.value.c INT FIRST",
        "ALTER COLUMN id COMMENT 'x'",
    )

    assert data_files(folder) == before


def test_generations_of_files_read_as_one(spark, name):
    alter(
        spark,
        name,
        "RENAME COLUMN s.a TO n",
        "ADD COLUMN s.a STRING FIRST",
        "DROP COLUMN l.element.b",
        "ADD COLUMN l.element.b STRING",
        "ALTER COLUMN m.value.b FIRST",
        "RENAME COLUMN m TO map",
    )
    spark.sql(
        f"""INSERT INTO {name} SELECT 2, named_struct('a', 'new', 'n', 2, 'b', 'y'),
        array(named_struct('a', 3, 'b', 'z')), map('k', named_struct('b', 5, 'a', 4))"""
    )

    shown = spark.table(name).orderBy("id").collect()

    assert [row.asDict(recursive=True) for row in shown] == [
        {
            "id": 1,
            "s": {"a": None, "n": 1, "b": "x"},
            "l": [{"a": 1, "b": None}],
            "map": {"k": {"b": 2, "a": 1}},
        },
        {
            "id": 2,
            "s": {"a": "new", "n": 2, "b": "y"},
            "l": [{"a": 3, "b": "z"}],
            "map": {"k": {"b": 5, "a": 4}},
        },
    ]
    assert [row.id for row in spark.table(name).where("s.n = 1").collect()] == [1]
    assert [row.id for row in spark.table(name).where("s.a IS NULL").collect()] == [1]


def test_struct_whose_fields_are_all_newer_than_a_file_is_not_null_there(spark, name):
    alter(spark, name, "ADD COLUMN s.c INT", "DROP COLUMN s.a", "DROP COLUMN s.b")

    [row] = spark.sql(f"SELECT s IS NULL AS nothing, s.c FROM {name}").collect()

    assert row.c is None
    # The Parquet reader of Spark 4.0 takes a struct for null when a file has none of its fields.
    assert row.nothing == spark.version.startswith("4.0.")


def test_cached_frame_over_a_renamed_column_is_dropped_and_says_so(spark, name):
    older = spark.table(name).cache()
    assert older.count() == 1

    alter(spark, name, "RENAME COLUMN id TO number")

    assert [row.number for row in spark.table(name).collect()] == [1]
    with pytest.raises(DeltaAnalysisException, match="DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS"):
        older.collect()


def test_cached_frame_over_an_older_version_stays(spark, folder, name):
    pinned = spark.read.format("delta").option("versionAsOf", 1).load(str(folder)).cache()
    assert pinned.count() == 1

    alter(spark, name, "DROP COLUMN id")

    assert pinned.where("id = 1").count() == 1
    assert "id" not in spark.table(name).columns


def test_two_changes_of_one_version_exclude_each_other(spark, name, monkeypatch):
    plan = change_column.AlterTableChangeColumnsDeltaCommand.plan

    def after_another(command, context, before):
        monkeypatch.undo()
        alter(spark, name, "ADD COLUMN z INT")
        return plan(command, context, before)

    monkeypatch.setattr(change_column.AlterTableChangeColumnsDeltaCommand, "plan", after_another)
    with pytest.raises(DeltaConcurrentModificationException):
        alter(spark, name, "ALTER COLUMN id COMMENT 'lost'")

    assert spark.table(name).columns == ["id", "s", "l", "m", "z"]


@pytest.mark.parametrize("in_python", [False, True])
def test_what_another_writer_changed_of_a_column_stays(spark, name, monkeypatch, in_python):
    run = change_column.run_planned

    def after_another(context, command):
        monkeypatch.undo()
        alter(spark, name, "ALTER COLUMN id SET NOT NULL")
        return run(context, command)

    monkeypatch.setattr(change_column, "run_planned", after_another)
    if in_python:
        DeltaTable.forName(spark, name).alterColumn("id", comment="key")
    else:
        alter(spark, name, "ALTER COLUMN id COMMENT 'key'")

    column = spark.table(name).schema["id"]
    assert (column.metadata["comment"], column.nullable) == ("key", False)


def test_append_that_was_planned_before_a_rename_is_refused(spark, name):
    frame = spark.table(name)

    alter(spark, name, "RENAME COLUMN id TO number")

    with pytest.raises(DeltaAnalysisException):
        frame.write.format("delta").mode("append").save(name.split("`")[1])
