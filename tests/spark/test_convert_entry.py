"""What becomes of an entry of the catalog whose folder is a Delta table, while it says Parquet."""

from __future__ import annotations

import logging

import pytest

from puredelta.commands.convert import run
from puredelta.errors import DeltaError
from puredelta.tables import DeltaTable


@pytest.fixture
def entry(spark, table_name, tmp_path):
    """An entry that says Parquet, in whose folder a row is."""
    spark.sql(f"CREATE TABLE {table_name} (id INT) USING parquet LOCATION '{tmp_path}/t'")
    spark.sql(f"INSERT INTO {table_name} VALUES (1)")
    return table_name


def ids(spark, name):
    return sorted(row.id for row in spark.table(name).collect())


def test_catalog_that_does_not_take_the_change_is_told_with_what_is_done_already(
    spark, entry, tmp_path, monkeypatch
):
    turn = run.turn_into_delta

    def turn_what_is_gone(session, database, table):
        session.sql(f"DROP TABLE {database}.{table}")
        turn(session, database, table)

    monkeypatch.setattr(run, "turn_into_delta", turn_what_is_gone)
    with pytest.raises(DeltaError) as caught:
        spark.sql(f"CONVERT TO DELTA {entry}")

    assert caught.value.condition == "PUREDELTA_CONVERT_CATALOG_NOT_CHANGED"
    assert "is a Delta table now" in str(caught.value)
    assert DeltaTable.isDeltaTable(spark, f"{tmp_path}/t")


def test_rows_that_came_by_the_entry_since_the_conversion_are_told(spark, entry, tmp_path, caplog):
    spark.sql(f"CONVERT TO DELTA parquet.`{tmp_path}/t`")
    spark.sql(f"INSERT INTO {entry} VALUES (2)")

    with caplog.at_level(logging.WARNING, "puredelta"):
        spark.sql(f"CONVERT TO DELTA {entry}")

    (said,) = caplog.messages
    assert "1 file(s) that no version" in said
    spark.sql(said.splitlines()[1])
    assert ids(spark, entry) == [1, 2]


def test_dry_run_tells_of_such_rows_too(spark, entry, tmp_path, caplog):
    spark.sql(f"CONVERT TO DELTA parquet.`{tmp_path}/t`")
    spark.sql(f"INSERT INTO {entry} VALUES (2)")

    with caplog.at_level(logging.WARNING, "puredelta"):
        report = DeltaTable.convertToDelta(spark, entry, dryRun=True)

    assert report.is_delta_already
    assert "1 file(s) that no version" in caplog.text


def test_files_that_the_table_has_or_had_are_not_told(spark, entry, tmp_path, caplog):
    spark.sql(f"CONVERT TO DELTA parquet.`{tmp_path}/t`")
    spark.sql(f"INSERT OVERWRITE delta.`{tmp_path}/t` VALUES (3)")
    (tmp_path / "t" / "deletion_vector_of_some_file.bin").write_bytes(b"x")

    with caplog.at_level(logging.WARNING, "puredelta"):
        spark.sql(f"CONVERT TO DELTA {entry}")

    assert caplog.text == ""
    assert ids(spark, entry) == [3]
