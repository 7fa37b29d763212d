"""Tables that delta-spark made: we keep to their rules, and change their columns."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from puredelta.errors import DeltaError
from puredelta.table.check import Severity, check_table
from tests.interop.peers import lines_of_arrow, query_with_deltalake

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.interop.conftest import FeatureTables


@pytest.fixture
def copied(feature_tables: FeatureTables, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of a table of delta-spark, to be changed."""
    path = tmp_path / request.param
    shutil.copytree(feature_tables.folder / request.param, path)
    return path


@pytest.mark.parametrize("copied", ["check_constraints"], indirect=True)
def test_we_enforce_the_constraint_of_delta_spark(spark: SparkSession, copied: Path) -> None:
    before = spark.read.format("delta").load(str(copied)).count()

    with pytest.raises(DeltaError) as told:
        spark.sql(f"INSERT INTO delta.`{copied}` VALUES (4, 'fine'), (5, 'too long')")

    assert told.value.condition == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"
    assert "\n - s : too long" in str(told.value)
    spark.sql(f"INSERT INTO delta.`{copied}` VALUES (4, 'fine'), (5, NULL)")
    assert spark.read.format("delta").load(str(copied)).count() == before + 2


@pytest.mark.parametrize("copied", ["check_constraints"], indirect=True)
def test_we_drop_the_constraint_of_delta_spark(spark: SparkSession, copied: Path) -> None:
    spark.sql(f"ALTER TABLE delta.`{copied}` DROP CONSTRAINT `Short S`")

    spark.sql(f"INSERT INTO delta.`{copied}` VALUES (5, 'too long')")

    found = spark.read.format("delta").load(str(copied)).where("s = 'too long'")
    assert [row.id for row in found.collect()] == [5]


@pytest.mark.parametrize("copied", ["invariants"], indirect=True)
def test_we_enforce_the_invariant_of_delta_spark(spark: SparkSession, copied: Path) -> None:
    names = spark.read.format("delta").load(str(copied)).columns

    with pytest.raises(DeltaError) as told:
        spark.sql(f"INSERT INTO delta.`{copied}` ({names[0]}, n, {names[2]}) VALUES (9, -9, 'x')")

    assert told.value.condition in {
        "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES",
        "DELTA_NOT_NULL_CONSTRAINT_VIOLATED",
    }


@pytest.mark.parametrize("copied", ["mapping_name_created", "mapping_id_created"], indirect=True)
def test_we_change_columns_that_delta_spark_mapped(spark: SparkSession, copied: Path) -> None:
    table = f"delta.`{copied}`"
    before = {row.id: row for row in spark.read.format("delta").load(str(copied)).collect()}

    for change in (
        "RENAME COLUMN `a b` TO renamed",
        "RENAME COLUMN s.x TO `x x`",
        "RENAME COLUMN `p=q` TO part",
        "ADD COLUMN `a b` STRING FIRST",
        "DROP COLUMN l",
        "ADD COLUMN l STRING",
        "ALTER COLUMN m FIRST",
    ):
        spark.sql(f"ALTER TABLE {table} {change}")
    spark.sql(f"INSERT INTO {table} (id, `a b`, renamed, part, l) VALUES (9, 'n', 'r', 'p9', 'l9')")

    after = {row.id: row for row in spark.read.format("delta").load(str(copied)).collect()}
    assert after.pop(9).asDict() == {
        "m": None,
        "a b": "n",
        "id": 9,
        "renamed": "r",
        "s": None,
        "part": "p9",
        "l": "l9",
    }
    for key, row in after.items():
        old = before[key]
        assert (row.renamed, row.part, row.m) == (old["a b"], old["p=q"], old.m)
        assert (row["a b"], row.l) == (None, None)
        assert row.s is None or row.s["x x"] == old.s.x
    assert set(after) == set(before)
    report = check_table(str(copied))
    assert [one for one in report.findings if one.severity is not Severity.INFO] == []


@pytest.mark.parametrize("copied", ["widening_twice"], indirect=True)
def test_we_widen_again_what_delta_spark_widened(spark: SparkSession, copied: Path) -> None:
    table = f"delta.`{copied}`"
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN id TYPE BIGINT")

    spark.sql(f"INSERT INTO {table} VALUES (5000000001, 6)")

    found = spark.sql(f"SELECT id, n FROM {table} WHERE id > 3 OR n = 1 ORDER BY id").collect()
    assert [tuple(row) for row in found] == [(1, 1), (4, 5000000000), (5000000001, 6)]


@pytest.mark.parametrize("copied", ["altered_columns"], indirect=True)
def test_deltalake_reads_what_we_altered_of_delta_spark(spark: SparkSession, copied: Path) -> None:
    table = f"delta.`{copied}`"
    spark.sql(f"ALTER TABLE {table} ADD COLUMN fresh INT FIRST")
    spark.sql(f"ALTER TABLE {table} ADD CONSTRAINT c CHECK (fresh IS NULL OR fresh > 0)")
    spark.sql(f"INSERT INTO {table} (fresh, id) VALUES (1, 77)")

    # Spark pads CHAR when it reads.
    frame = spark.read.format("delta").load(str(copied)).drop("c")
    read = query_with_deltalake(copied)

    assert lines_of_arrow(read, frame.columns) == lines_of_arrow(frame.toArrow(), frame.columns)
