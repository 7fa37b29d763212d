"""Tables that Hive itself wrote become Delta: old forms of lists, INT96, names without a suffix."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from demo.dataset import read_flights, with_delay
from tests.interop.converted import convert
from tests.interop.hive_writer import NESTED
from tests.interop.peers import lines_of_arrow, query_with_deltalake, read_with_duckdb

SCRIPT = Path(__file__).parent / "hive_writer.py"


@pytest.fixture(scope="module")
def hive(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of both tables, converted."""
    folder = tmp_path_factory.mktemp("hive")
    source = folder / "source.parquet"
    pq.write_table(with_delay(read_flights()).slice(0, 50_000), source)
    # What our session's JVM was started with is not for this one.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYSPARK_")}
    command = [sys.executable, str(SCRIPT), str(folder), str(source)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    convert(spark, folder / "flights")
    spark.sql(f"CONVERT TO DELTA parquet.`{folder / 'nested'}` PARTITIONED BY (p STRING)")
    return folder


def test_flights_of_hive_have_the_rows_that_it_was_given(spark: SparkSession, hive: Path) -> None:
    given = spark.read.parquet(str(hive / "source.parquet"))
    given = given.withColumn("month", given["month"].cast("int"))
    frame = spark.read.format("delta").load(str(hive / "flights")).select(given.columns)

    assert frame.count() == 50_000
    assert frame.schema == given.schema
    assert frame.exceptAll(given).isEmpty()


def test_nested_columns_of_hive_have_the_values_that_it_was_given(
    spark: SparkSession, hive: Path
) -> None:
    given = spark.sql(NESTED)
    frame = spark.read.format("delta").load(str(hive / "nested"))

    assert frame.schema.simpleString() == given.schema.simpleString()
    assert lines_of_arrow(frame.toArrow(), given.columns) == lines_of_arrow(
        given.toArrow(), given.columns
    )


def test_deltalake_reads_the_tables_of_hive(spark: SparkSession, hive: Path) -> None:
    for name in ("flights", "nested"):
        frame = spark.read.format("delta").load(str(hive / name))

        read = query_with_deltalake(hive / name)

        assert lines_of_arrow(read, frame.columns) == lines_of_arrow(frame.toArrow(), frame.columns)


def test_duckdb_reads_the_flights_of_hive(spark: SparkSession, hive: Path) -> None:
    # Its reader of Delta breaks off at Hive's lists of structs, whoever wrote the log.
    frame = spark.read.format("delta").load(str(hive / "flights"))

    read = read_with_duckdb(hive / "flights")

    assert lines_of_arrow(read, frame.columns) == lines_of_arrow(frame.toArrow(), frame.columns)
