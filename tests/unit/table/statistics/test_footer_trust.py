"""Bounds in footers are taken as far as the program that wrote the file can be trusted."""

import datetime as dt
import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.schema.datatypes import (
    DATE,
    DOUBLE,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    StructField,
    StructType,
)
from puredelta.table.statistics.file_stats import stats_from_footer
from puredelta.table.statistics.footer_stats import FooterStats
from puredelta.table.statistics.footer_trust import Writer, writer_of
from puredelta.table.statistics.indexed_columns import Leaf

ARROW = f"parquet-cpp-arrow version {pa.__version__}"
LEGACY = {"org.apache.spark.version": "3.5.1", "org.apache.spark.legacyDateTime": ""}


def footer_of(
    array: pa.Array, *, created_by: str = ARROW, keys: dict[str, str] | None = None
) -> pq.FileMetaData:
    """Return the footer of a file with one column, as if another program had written it."""
    table = pa.table({"c": array}).replace_schema_metadata(keys)
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    written = sink.getvalue().to_pybytes()
    # In the place of Arrow's own name, which has as many letters.
    other = created_by.ljust(len(ARROW)).encode()
    assert written.count(ARROW.encode()) == 1
    return pq.read_metadata(pa.BufferReader(written.replace(ARROW.encode(), other)))


def bounds(footer: pq.FileMetaData, kind: DataType) -> tuple[object, object]:
    stats = json.loads(stats_from_footer(footer, StructType((StructField("c", kind),))))
    return stats["minValues"].get("c"), stats["maxValues"].get("c")


@pytest.mark.parametrize(
    ("created_by", "expected"),
    [
        ("parquet-mr version 1.16.0 (b", Writer(nan_is_greatest=True, is_java=True)),
        ("parquet-mr version 1.10.1", Writer(nan_is_greatest=True, is_java=True)),
        ("parquet-mr version 1.8.3", Writer(orders_decimals=False, is_java=True)),
        ("parquet-mr", Writer(orders_decimals=False, is_java=True)),
        (ARROW, Writer()),
        ("DuckDB", Writer()),
    ],
)
def test_writer_is_known_by_its_name(created_by, expected):
    assert writer_of(footer_of(pa.array([1]), created_by=created_by)) == expected


@pytest.mark.parametrize(
    ("keys", "is_hybrid"),
    [
        (LEGACY, True),
        ({"org.apache.spark.version": "2.4.8"}, True),
        ({"org.apache.spark.version": "4.1.0"}, False),
        # Without a version Spark does as its settings say, and they say that nothing is moved.
        ({"org.apache.spark.legacyDateTime": ""}, False),
        (None, False),
    ],
)
def test_calendar_is_known_by_sparks_keys(keys, is_hybrid):
    assert writer_of(footer_of(pa.array([1]), keys=keys)).is_hybrid is is_hybrid


def test_old_writer_passed_over_nan():
    numbers = footer_of(pa.array([1.0, 2.0]), created_by="parquet-mr version 1.8.3")

    assert bounds(numbers, DOUBLE) == (1.0, None)


def test_old_writer_compared_decimals_by_bytes():
    kind = DecimalType(38, 2)
    values = pa.array([Decimal("-1.50"), Decimal("300.00")], pa.decimal128(38, 2))

    assert bounds(footer_of(values), kind) == (-1.5, 300)
    assert bounds(footer_of(values, created_by="parquet-mr version 1.8.3"), kind) == (None, None)


def test_days_that_spark_moves_have_no_bounds():
    days = pa.array([dt.date(1500, 1, 1), dt.date(2020, 1, 1)])

    assert bounds(footer_of(days), DATE) == ("1500-01-01", "2020-01-01")
    assert bounds(footer_of(days, keys=LEGACY), DATE) == (None, "2020-01-01")


def test_instants_that_spark_moves_have_no_bounds():
    days = pa.array([dt.date(1850, 1, 1), dt.date(1950, 1, 1)])
    times, wall = days.cast(pa.timestamp("us", "UTC")), days.cast(pa.timestamp("us"))

    assert bounds(footer_of(times, keys=LEGACY), TIMESTAMP) == (None, "1950-01-01T00:00:00.000Z")
    assert bounds(footer_of(wall, keys=LEGACY), TIMESTAMP_NTZ) == (
        "1850-01-01T00:00:00.000",
        "1950-01-01T00:00:00.000",
    )


def test_moved_days_are_not_looked_for_in_rows():
    footer = footer_of(pa.array([dt.date(1500, 1, 1)]), keys=LEGACY)
    facts = FooterStats([Leaf(("c",), DATE)])

    assert facts.silent(footer, facts.of(footer)) == []


@pytest.mark.parametrize(
    ("kind", "stored", "greatest"),
    [
        (SHORT, pa.uint8(), 255),
        (INTEGER, pa.uint16(), 65_535),
        (LONG, pa.uint32(), 4_294_967_295),
        (DecimalType(20, 0), pa.uint64(), 18_446_744_073_709_551_615),
    ],
)
def test_unsigned_numbers_keep_their_size(kind, stored, greatest):
    assert bounds(footer_of(pa.array([greatest, 1], stored)), kind) == (1, greatest)


def test_json_text_has_bounds():
    texts = pa.array(['{"a":1}', "[]"], pa.json_(pa.utf8()))

    assert bounds(footer_of(texts), STRING) == ("[]", '{"a":1}')
