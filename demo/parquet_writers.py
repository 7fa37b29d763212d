"""The same rows as Hive-partitioned Parquet, by each library that people write Parquet with.

Each writer reads one Parquet file, and leaves a folder `month=1/delay=none` for each partition.
What they leave differs: names of files, escapes in names of folders, encodings, the schema that
stands beside the one of Parquet, whether the columns of partitions are in the files, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

PARTITIONS = ("month", "delay")
CLAUSE = "month INT, delay STRING"

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"


def by_pyarrow(source: Path, folder: Path, _spark: SparkSession) -> None:
    """Write with the datasets of Arrow."""
    hive = ds.partitioning(
        pa.schema([("month", pa.int64()), ("delay", pa.string())]), flavor="hive"
    )
    ds.write_dataset(pq.read_table(source), folder, format="parquet", partitioning=hive)


def by_duckdb(source: Path, folder: Path, _spark: SparkSession) -> None:
    """Write with COPY."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(
        f"COPY (FROM read_parquet('{source}')) TO '{folder}'"
        f" (FORMAT parquet, PARTITION_BY ({', '.join(PARTITIONS)}))"
    )


def by_pandas(source: Path, folder: Path, _spark: SparkSession) -> None:
    """Write with DataFrame.to_parquet; partition columns have a type of their own in the schema."""
    frame = pd.read_parquet(source, dtype_backend="numpy_nullable")
    # Nanoseconds, the default of pandas, are none that Spark reads.
    frame["time_hour"] = frame["time_hour"].astype("datetime64[us, UTC]")
    frame.to_parquet(folder, partition_cols=list(PARTITIONS), index=False)


def by_polars(source: Path, folder: Path, _spark: SparkSession) -> None:
    """Write with polars, which leaves the columns of partitions in the files."""
    pl.read_parquet(source).write_parquet(folder, partition_by=list(PARTITIONS), mkdir=True)


def by_spark(source: Path, folder: Path, spark: SparkSession) -> None:
    """Write with Spark's own Parquet writer, which leaves its schema in the footers."""
    spark.read.parquet(str(source)).write.partitionBy(*PARTITIONS).parquet(str(folder))


def by_hive(source: Path, folder: Path, _spark: SparkSession) -> None:
    """Lay files out as Hive does: no suffix, INT96 for times, and what a broken job left behind."""
    flights = pq.read_table(source)
    for month in pc.unique(flights["month"]).to_pylist():
        for delay in pc.unique(flights["delay"]).to_pylist():
            text = NO_VALUE if delay is None else _escaped(delay)
            place = folder / f"month={month}" / f"delay={text}"
            place.mkdir(parents=True)
            rows = flights.filter(pc.equal(flights["month"], month)).drop_columns("month")
            same = pc.is_null(rows["delay"]) if delay is None else pc.equal(rows["delay"], delay)
            pq.write_table(
                rows.filter(same).drop_columns("delay"),
                place / "000000_0",
                use_deprecated_int96_timestamps=True,
                store_schema=False,
            )
    (folder / ".hive-staging_hive_2013-12-31").mkdir()
    (folder / ".hive-staging_hive_2013-12-31" / "000000_0").write_bytes(b"half a file")
    (folder / "_SUCCESS").touch()


def _escaped(value: str) -> str:
    return "".join(f"%{ord(one):02X}" if one in "\"#%'*/:=?\\{[]^" else one for one in value)


WRITERS: dict[str, Callable[[Path, Path, SparkSession], None]] = {
    "pyarrow": by_pyarrow,
    "duckdb": by_duckdb,
    "pandas": by_pandas,
    "polars": by_polars,
    "Spark": by_spark,
    "Hive-like": by_hive,
}
