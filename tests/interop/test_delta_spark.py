"""delta-spark reads what we write, and we read what it writes, with equal rows and schemas."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from puredelta.table.check import check_table
from tests.interop.catalogue import TABLES
from tests.interop.making import lines_of

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.interop.conftest import DeltaSpark

# The first test waits for delta-spark, which starts slowly and makes and reads every table.
pytestmark = pytest.mark.timeout(2400)


@pytest.mark.parametrize("name", TABLES)
def test_delta_spark_reads_our_table(
    spark: SparkSession, ours: Path, delta_spark: DeltaSpark, name: str
) -> None:
    read = delta_spark.lines[str(ours / name)]

    assert read == lines_of(spark, ours / name)


@pytest.mark.parametrize("name", TABLES)
def test_we_read_the_table_of_delta_spark(
    spark: SparkSession, delta_spark: DeltaSpark, name: str
) -> None:
    path = delta_spark.theirs / name

    assert lines_of(spark, path) == delta_spark.lines[str(path)]


@pytest.mark.parametrize("name", TABLES)
def test_both_make_equal_tables_of_the_same_statements(
    ours: Path, delta_spark: DeltaSpark, name: str
) -> None:
    assert delta_spark.lines[str(ours / name)] == delta_spark.lines[str(delta_spark.theirs / name)]


@pytest.mark.parametrize("name", ["with_a_checkpoint", "appended_and_overwritten"])
def test_we_append_to_the_table_of_delta_spark(
    spark: SparkSession, delta_spark: DeltaSpark, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    shutil.copytree(delta_spark.theirs / name, path)
    before = spark.read.format("delta").load(str(path)).count()

    spark.sql(f"INSERT INTO delta.`{path}` SELECT * FROM delta.`{path}` LIMIT 1")

    assert spark.read.format("delta").load(str(path)).count() == before + 1


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", TABLES)
def test_nothing_is_found_in_the_tables_of_either_side(
    ours: Path, delta_spark: DeltaSpark, name: str, quick: bool
) -> None:
    for folder in (ours, delta_spark.theirs):
        found = check_table(str(folder / name), quick=quick).findings
        # delta-spark leaves a file behind that no version names when it writes no row.
        assert [one for one in found if one.code != "files-unknown"] == []
