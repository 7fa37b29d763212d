"""What the schema of a Parquet file means where Parquet itself leaves it open: Spark's settings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ParquetRules:
    """How columns of Parquet files become columns of a table; the defaults are Spark's.

    Attributes:
        binary_as_string: Bytes without annotation are text (`spark.sql.parquet.binaryAsString`).
        int96_as_timestamp: INT96 is a point in time (`spark.sql.parquet.int96AsTimestamp`); a file
            with such a column cannot be read otherwise.
        infer_timestamp_ntz: A clock's time is no instant
            (`spark.sql.parquet.inferTimestampNTZ.enabled`).
        nanos_as_long: Nanoseconds are numbers (`spark.sql.legacy.parquet.nanosAsLong`).
    """

    binary_as_string: bool = False
    int96_as_timestamp: bool = True
    infer_timestamp_ntz: bool = True
    nanos_as_long: bool = False


USUAL = ParquetRules()
