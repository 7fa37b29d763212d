"""delta-spark reads what we write, and we read what it writes, with equal rows and schemas."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from puredelta.table.check import check_table
from tests.interop.catalogue import TABLES
from tests.interop.making import lines_of
from tests.interop.recorded import DIGESTS, digest_of_statements

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from tests.interop.conftest import DeltaSpark, TheirTables

# A run of delta-spark starts slowly and makes and reads every table.
pytestmark = pytest.mark.timeout(2400)


def test_recorded_tables_are_those_of_the_catalogue(their_tables: TheirTables) -> None:
    recorded = json.loads((their_tables.folder / DIGESTS).read_text("utf-8"))

    digests = {name: digest_of_statements(made) for name, made in TABLES.items()}

    assert recorded == digests, "record them again: python tests/interop/record.py --catalogue"


@pytest.mark.parametrize("name", TABLES)
def test_delta_spark_reads_our_table(
    spark: SparkSession, ours: Path, delta_spark: DeltaSpark, name: str
) -> None:
    assert delta_spark.ours[name] == lines_of(spark, ours / name)


@pytest.mark.parametrize("how", ["made", "appended"])
@pytest.mark.parametrize("name", TABLES)
def test_delta_spark_reads_what_is_written_without_spark(
    spark: SparkSession, ours: Path, delta_spark: DeltaSpark, name: str, how: str
) -> None:
    once = lines_of(spark, ours / name)[1:]

    read = delta_spark.written[f"{how}/{name}"][1:]

    assert read == (once if how == "made" else sorted(once * 2))


@pytest.mark.parametrize("name", TABLES)
def test_delta_spark_makes_the_table_that_is_recorded(
    delta_spark: DeltaSpark, their_tables: TheirTables, name: str
) -> None:
    assert delta_spark.theirs[name] == their_tables.lines[name]


@pytest.mark.parametrize("name", TABLES)
def test_we_read_the_table_of_delta_spark(
    spark: SparkSession, their_tables: TheirTables, name: str
) -> None:
    assert lines_of(spark, their_tables.folder / name) == their_tables.lines[name]


@pytest.mark.parametrize("name", TABLES)
def test_both_make_equal_tables_of_the_same_statements(
    spark: SparkSession, ours: Path, their_tables: TheirTables, name: str
) -> None:
    assert lines_of(spark, ours / name) == their_tables.lines[name]


@pytest.mark.parametrize("name", ["with_a_checkpoint", "appended_and_overwritten"])
def test_we_append_to_the_table_of_delta_spark(
    spark: SparkSession, their_tables: TheirTables, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    shutil.copytree(their_tables.folder / name, path)
    before = spark.read.format("delta").load(str(path)).count()

    spark.sql(f"INSERT INTO delta.`{path}` SELECT * FROM delta.`{path}` LIMIT 1")

    assert spark.read.format("delta").load(str(path)).count() == before + 1


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", TABLES)
def test_nothing_is_found_in_the_tables_of_either_side(
    ours: Path, their_tables: TheirTables, name: str, quick: bool
) -> None:
    for folder in (ours, their_tables.folder):
        found = check_table(str(folder / name), quick=quick).findings
        # delta-spark leaves a file behind that no version names when it writes no row.
        assert [one for one in found if one.code != "files-unknown"] == []
