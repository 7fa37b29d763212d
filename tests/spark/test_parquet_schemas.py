"""The schema that a footer gives is the one that Spark reads, whoever wrote the file."""

import datetime as dt
import io
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.conversion.parquet.footer_schema import schema_of_footer
from puredelta.conversion.parquet.schema_merging import without_void
from puredelta.conversion.parquet_rules import ParquetRules
from puredelta.schema.datatypes import simple_string
from puredelta.table.statistics.parquet_schema import REPEATED, REQUIRED, SchemaNode
from tests.hand_made_parquet import group, leaf, parquet_file, repeated

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

UTC = dt.timezone.utc
EVERY_TYPE = """
    SELECT true AS b, 1Y AS i8, 1S AS i16, 1 AS i32, 1L AS i64, 1F AS f, 1D AS d, 's' AS s,
    X'00' AS x, 1.5BD AS small, CAST(1 AS DECIMAL(18, 3)) AS middle,
    CAST(1 AS DECIMAL(38, 10)) AS large, DATE'2020-01-01' AS day,
    TIMESTAMP'2020-01-01 00:00:00' AS at,
    TIMESTAMP_NTZ'2020-01-01 00:00:00' AS wall, array(1, NULL) AS l,
    array(array(named_struct('p', 1))) AS ll, map('k', map(1, 'v')) AS m,
    named_struct('x', 1, 'y', named_struct('z', array('t'))) AS st, parse_json('[1]') AS v
"""


def ours(file: Path, rules: ParquetRules | None = None) -> str:
    schema = schema_of_footer(pq.read_metadata(file), rules or ParquetRules())
    return simple_string(without_void(schema))


def theirs(spark: "SparkSession", place: Path) -> str:
    return spark.read.parquet(str(place)).schema.simpleString()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"spark.sql.parquet.writeLegacyFormat": "true"},
        {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MILLIS"},
        {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"},
    ],
    ids=["usual", "legacy", "millis", "micros"],
)
@pytest.mark.parametrize("with_own_schema", [True, False])
def test_files_of_spark_have_the_schema_that_spark_reads(
    spark: "SparkSession", tmp_path: Path, settings: dict[str, str], with_own_schema: bool
):
    before = {key: spark.conf.get(key) for key in settings}
    query = EVERY_TYPE if with_own_schema else EVERY_TYPE.replace("parse_json('[1]')", "1")
    try:
        for key, value in settings.items():
            spark.conf.set(key, value)
        spark.sql(query).coalesce(1).write.parquet(str(tmp_path / "t"))
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)
    [file] = (tmp_path / "t").glob("*.parquet")
    if not with_own_schema:
        file.write_bytes(without_own_schema(file))
        (file.parent / f".{file.name}.crc").unlink(missing_ok=True)

    assert ours(file) == theirs(spark, file)


def without_own_schema(file: Path) -> bytes:
    """Return a file of which Spark's reader does not know that Spark wrote it."""
    key = b"org.apache.spark.sql.parquet.row.metadata"
    return file.read_bytes().replace(key, key.swapcase())


ARROW = pa.table(
    {
        **{f"i{bits}": pa.array([1], f"int{bits}") for bits in (8, 16, 32, 64)},
        **{f"u{bits}": pa.array([1], f"uint{bits}") for bits in (8, 16, 32, 64)},
        "b": [True],
        "f": pa.array([1.0], pa.float32()),
        "d": [1.5],
        "s": ["s"],
        "ls": pa.array(["s"], pa.large_string()),
        "vs": pa.array(["s"], pa.string_view()),
        "x": [b"x"],
        "fx": pa.array([b"xyz"], pa.binary(3)),
        "dict": pa.array(["a"]).dictionary_encode(),
        "dec4": pa.array([Decimal(1)], pa.decimal128(9, 2)),
        "dec8": pa.array([Decimal(1)], pa.decimal128(18, 2)),
        "dec16": pa.array([Decimal(1)], pa.decimal128(38, 2)),
        "day": [dt.date(2020, 1, 1)],
        "day64": pa.array([dt.date(2020, 1, 1)], pa.date64()),
        "ms": pa.array([1], pa.timestamp("ms", "UTC")),
        "us": pa.array([1], pa.timestamp("us", "Europe/Paris")),
        "wall": pa.array([1], pa.timestamp("us")),
        "l": [[1]],
        "ll": pa.array([[1]], pa.large_list(pa.int64())),
        "fl": pa.array([[1, 2]], pa.list_(pa.int64(), 2)),
        "m": pa.array([[("k", [1])]], pa.map_(pa.string(), pa.list_(pa.int32()))),
        "st": [{"x": 1, "y": {"z": ["t"]}}],
        "null": pa.nulls(1),
        "nulls": pa.array([[None]], pa.list_(pa.null())),
        "json": pa.array(["{}"], pa.json_(pa.utf8())),
    }
)


def by_arrow(file: Path) -> None:
    pq.write_table(ARROW, file)


def by_arrow_of_old(file: Path) -> None:
    wanted = ARROW.drop_columns(["wall"])
    pq.write_table(
        wanted,
        file,
        version="1.0",
        use_deprecated_int96_timestamps=True,
        use_compliant_nested_type=False,
        store_decimal_as_integer=True,
    )


def by_duckdb(file: Path) -> None:
    duckdb.sql(
        """COPY (SELECT 1::TINYINT AS i8, 1::UTINYINT AS u8, 1::USMALLINT AS u16, 1::UINTEGER
        AS u32, 1::UBIGINT AS u64, 1::HUGEINT AS i128, 1.5::DECIMAL(4, 1) AS dec2,
        1.5::DECIMAL(9, 1) AS dec4, 1.5::DECIMAL(18, 1) AS dec8, 1.5::DECIMAL(38, 1) AS dec16,
        's' AS s, 'x'::BLOB AS x,
        'a'::ENUM('a', 'b') AS e, DATE '2020-01-01' AS day, TIMESTAMP '2020-01-01' AS wall,
        TIMESTAMPTZ '2020-01-01' AS at, TIMESTAMP_MS '2020-01-01' AS ms,
        TIMESTAMP_S '2020-01-01' AS sec,
        [1] AS l, [[{'p': 1}]] AS ll, MAP {'k': [1]} AS m, {'x': 1, 'y': {'z': 't'}} AS st,
        '{}'::JSON AS js, NULL AS n, true AS b, 1::FLOAT AS f, 1::DOUBLE AS d
        ) TO '"""
        + str(file)
        + "' (FORMAT parquet)"
    )


def by_pandas(file: Path) -> None:
    frame = pd.DataFrame(
        {
            "i": [1, 2],
            "nullable": pd.array([1, None], "Int32"),
            "cat": pd.Categorical(["a", "b"]),
            "text": ["a", None],
            "nothing": [None, None],
            "day": [dt.date(2020, 1, 1), None],
            "dec": [Decimal("1.50"), None],
            "flag": [True, False],
            "list": [[1], []],
        },
        index=pd.Index([10, 20], name="key"),
    )
    frame["at"] = pd.to_datetime(["2020-01-01", "2020-01-02"], utc=True)
    frame.to_parquet(file, coerce_timestamps="us")


def by_polars(file: Path) -> None:
    pl.DataFrame(
        {
            "i8": pl.Series([1], dtype=pl.Int8),
            "u32": pl.Series([1], dtype=pl.UInt32),
            "text": ["s"],
            "cat": pl.Series(["a"], dtype=pl.Categorical),
            "enum": pl.Series(["a"], dtype=pl.Enum(["a", "b"])),
            "day": [dt.date(2020, 1, 1)],
            "us": [dt.datetime(2020, 1, 1, tzinfo=UTC)],
            "ms": pl.Series([dt.datetime(2020, 1, 1, tzinfo=UTC)], dtype=pl.Datetime("ms")),
            "dec": pl.Series([Decimal("1.5")], dtype=pl.Decimal(20, 2)),
            "list": [[1]],
            "array": pl.Series([[1, 2]], dtype=pl.Array(pl.Int64, 2)),
            "st": [{"x": 1, "y": ["t"]}],
            "null": pl.Series([None], dtype=pl.Null),
            "x": [b"x"],
        }
    ).write_parquet(file)


@pytest.mark.parametrize("write", [by_arrow, by_arrow_of_old, by_duckdb, by_pandas, by_polars])
def test_files_of_others_have_the_schema_that_spark_reads(
    spark: "SparkSession", tmp_path: Path, write: Callable[[Path], None]
):
    file = tmp_path / "f.parquet"
    write(file)

    assert ours(file) == theirs(spark, file)


KEY = leaf("key", "BINARY", "STRING", repetition=REQUIRED)
X, Y = leaf("x", "INT32"), leaf("y", "INT96")
BY_HAND = {
    "bag": group("a", repeated("bag", leaf("array_element", "INT32")), kind="LIST"),
    "two_levels": group("a", leaf("array", "INT32", repetition=REPEATED), kind="LIST"),
    "avro": group("a", repeated("array", X), kind="LIST"),
    "thrift": group("a", repeated("a_tuple", X), kind="LIST"),
    "not_thrift": group("a", repeated("b_tuple", X), kind="LIST"),
    "two_fields": group("a", repeated("element", X, Y), kind="LIST"),
    "avro_in_avro": group("a", repeated("array", repeated("array", X), kind="LIST"), kind="LIST"),
    "repeated_in_list": group(
        "a", repeated("list", leaf("x", "INT32", repetition=REPEATED)), kind="LIST"
    ),
    "no_annotation": group("a", repeated("list", X)),
    "repeated_group": repeated("a", X, Y),
    "map_of_old": group("a", repeated("map", KEY, X), kind="MAP_KEY_VALUE"),
    "map_names": group("a", repeated("entries", KEY, Y), kind="MAP"),
    "variant_without_annotation": group("a", leaf("value", "BINARY"), leaf("metadata", "BINARY")),
    "unsigned": leaf("a", "INT32", "INTEGER", bits=32, is_signed=False),
    "enum": leaf("a", "BINARY", "ENUM"),
    "bson": leaf("a", "BINARY", "BSON"),
    "void_of_bytes": leaf("a", "BINARY", "UNKNOWN"),
    "decimal_of_text": leaf("a", "BINARY", "DECIMAL", precision=30, scale=2),
    "decimal_of_bytes": leaf("a", "FIXED", "DECIMAL", precision=4, scale=2, length=2),
    "odd_name": leaf("a b;{c}", "INT32"),
}


@pytest.mark.parametrize("how", [{}, {"new": False}, {"old": False}], ids=["both", "old", "new"])
@pytest.mark.parametrize("name", BY_HAND)
def test_forms_that_few_writers_know_are_what_spark_makes_of_them(
    spark: "SparkSession", tmp_path: Path, name: str, how: dict[str, bool]
):
    file = tmp_path / "f.parquet"
    file.write_bytes(parquet_file(BY_HAND[name], **how))

    assert ours(file) == theirs(spark, file)


@pytest.mark.parametrize(
    ("setting", "value", "rules", "column"),
    [
        ("spark.sql.parquet.binaryAsString", "true", ParquetRules(binary_as_string=True),
         leaf("a", "BINARY")),
        ("spark.sql.parquet.inferTimestampNTZ.enabled", "false",
         ParquetRules(infer_timestamp_ntz=False), leaf("a", "INT64", "TIMESTAMP", unit="MICROS")),
        ("spark.sql.legacy.parquet.nanosAsLong", "true", ParquetRules(nanos_as_long=True),
         leaf("a", "INT64", "TIMESTAMP", unit="NANOS", is_utc=True)),
    ],
    ids=["binary", "clock", "nanos"],
)  # fmt: skip
def test_settings_are_those_of_spark(
    spark: "SparkSession",
    tmp_path: Path,
    setting: str,
    value: str,
    rules: ParquetRules,
    column: SchemaNode,
):
    file = tmp_path / "f.parquet"
    file.write_bytes(parquet_file(column))
    before = spark.conf.get(setting)
    spark.conf.set(setting, value)
    try:
        assert ours(file, rules) == theirs(spark, file)
    finally:
        spark.conf.set(setting, before)


def test_file_of_spark_that_arrow_changed_converts_with_its_own_columns(
    spark: "SparkSession", tmp_path: Path
):
    spark.sql("SELECT 1 AS a, 'x' AS b").coalesce(1).write.parquet(str(tmp_path / "s"))
    [file] = (tmp_path / "s").glob("*.parquet")
    changed = pq.read_table(file).append_column("c", pa.array([2])).drop_columns(["b"])
    (tmp_path / "t").mkdir()
    pq.write_table(changed, tmp_path / "t/f.parquet")
    assert theirs(spark, tmp_path / "t") == "struct<a:int,b:string>"

    spark.sql(f"CONVERT TO DELTA parquet.`{tmp_path}/t`")

    assert spark.read.format("delta").load(str(tmp_path / "t")).collect() == [(1, 2)]


def test_rows_of_files_that_differ_read_back(spark: "SparkSession", tmp_path: Path):
    files = [
        {"id": pa.array([1], pa.int8()), "s": [{"x": 1}], "none": pa.nulls(1)},
        {"ID": pa.array([2], pa.int16()), "s": [{"y": "t"}], "none": [1.5]},
        {"new": ["n"], "id": pa.array([3], pa.uint16()), "s": [{"X": 3}]},
    ]
    for number, columns in enumerate(files):
        pq.write_table(pa.table(columns), tmp_path / f"{number}.parquet")

    spark.sql(f"CONVERT TO DELTA parquet.`{tmp_path}`")
    table = spark.read.format("delta").load(str(tmp_path))

    assert table.schema.simpleString() == (
        "struct<id:int,s:struct<x:bigint,y:string>,none:double,new:string>"
    )
    assert [tuple(row) for row in table.orderBy("id").collect()] == [
        (1, (1, None), None, None),
        (2, (None, "t"), 1.5, None),
        (3, (3, None), None, "n"),
    ]
    assert table.where("id = 3 AND none IS NULL").count() == 1


def test_filter_finds_days_of_the_calendar_of_old(spark: "SparkSession", tmp_path: Path):
    settings = {
        "spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY",
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    }
    before = {key: spark.conf.get(key) for key in settings}
    try:
        for key, value in settings.items():
            spark.conf.set(key, value)
        spark.sql("SELECT DATE'1500-01-01' AS day, TIMESTAMP'1500-01-01 00:00:00' AS at").coalesce(
            1
        ).write.parquet(str(tmp_path / "t"))
    finally:
        for key, value in before.items():
            spark.conf.set(key, value)
    spark.sql(f"CONVERT TO DELTA parquet.`{tmp_path}/t`")
    table = spark.read.format("delta").load(str(tmp_path / "t"))

    assert table.where("day = DATE'1500-01-01'").count() == 1
    assert table.where("at = TIMESTAMP'1500-01-01 00:00:00'").count() == 1


def test_footer_alone_is_enough(tmp_path: Path):
    by_arrow(tmp_path / "f.parquet")
    footer = pq.read_metadata(tmp_path / "f.parquet")
    sink = io.BytesIO()
    footer.write_metadata_file(sink)

    again = pq.read_metadata(io.BytesIO(sink.getvalue()))

    assert schema_of_footer(again) == schema_of_footer(footer)
