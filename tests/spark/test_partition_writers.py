"""Folders of partitions as each writer names them: values come back as they were written."""

import datetime
import decimal
import itertools

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.partitions.clause import partition_columns
from puredelta.conversion.request import ConversionSettings, ConvertRequest
from puredelta.conversion.source_table import ConvertTarget

ZONE = "America/New_York"
MOMENT = datetime.datetime(2024, 7, 2, 3, 4, 5)  # noqa: DTZ001  # a wall clock is meant
TEXTS = [
    *(
        "a/b",
        "a b",
        "é😀",
        "50%",
        "%41",
        "x=y",
        "a:b",
        "#?*",
        "_x",
        ".x",
        "\n",
        "a'b\"",
        "  ",
        "+1",
    ),
    *("{a}[b]^c\\d", "~`!@$&(),;<>|", "NULL", None),
]
COLUMNS = {
    "string": pa.array(TEXTS),
    "bigint": pa.array([1, -(2**63), None]),
    "tinyint": pa.array([-128, 127], pa.int8()),
    "double": pa.array([1.5, -0.1, 1e30, float("nan"), float("inf"), None]),
    "boolean": pa.array([True, False, None]),
    "date": pa.array([datetime.date(2024, 2, 29), datetime.date(1, 1, 1), None]),
    "decimal(20,3)": pa.array(
        [decimal.Decimal(text) for text in ("1.500", "-0.005", "99999999999999999.999")] + [None],
        pa.decimal128(20, 3),
    ),
    "timestamp_ntz": pa.array([MOMENT, MOMENT.replace(microsecond=120), None]),
    "timestamp": pa.array([MOMENT, None], pa.timestamp("us", "UTC")),
}  # fmt: skip


def by_pyarrow(table, root):
    hive = ds.partitioning(pa.schema([table.schema.field("p")]), flavor="hive")
    ds.write_dataset(table, root, format="parquet", partitioning=hive)


def by_pyarrow_of_old(table, root):
    pq.write_to_dataset(table, root, partition_cols=["p"])


def by_pandas(table, root):
    table.to_pandas(types_mapper=None).to_parquet(root, partition_cols=["p"])


def by_polars(table, root):
    pl.from_arrow(table).write_parquet(f"{root}/", partition_by="p")


def by_duckdb(table, root):
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        rows = connection.from_arrow(table)
        rows.write_parquet(str(root), partition_by=["p"])


def by_spark(spark, table, root, kind):
    spark.conf.set("spark.sql.session.timeZone", ZONE)
    rows = zip(table["id"].to_pylist(), table["p"].to_pylist(), strict=True)
    try:
        frame = spark.createDataFrame(list(rows), f"id long, p {kind}")
        frame.repartition(1).write.partitionBy("p").parquet(str(root))
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def numbered(values):
    return pa.table({"id": range(len(values)), "p": values})


def convert(root, kind, zone="UTC"):
    ConvertToDeltaCommandBase(
        target=ConvertTarget(provider="parquet", location=str(root), label=str(root)),
        request=ConvertRequest(partition_schema=partition_columns(f"p {kind}")),
        settings=ConversionSettings(zone=zone),
    ).run()


def rows_of(spark, root):
    table = spark.read.format("delta").load(str(root)).selectExpr("id", "cast(p AS string) AS p")
    return [row.p for row in table.orderBy("id").collect()]


def expected_rows(spark, table, kind):
    rows = list(zip(table["id"].to_pylist(), table["p"].to_pylist(), strict=True))
    frame = spark.createDataFrame(rows, f"id long, p {kind}").selectExpr("id", "cast(p AS string)")
    return [row.p for row in frame.orderBy("id").collect()]


@pytest.mark.parametrize(
    ("writer", "kind"),
    list(itertools.product([by_pyarrow, by_pyarrow_of_old, by_polars, by_duckdb], COLUMNS)),
)
def test_values_of_each_type_come_back(spark, tmp_path, writer, kind):
    table, root = numbered(COLUMNS[kind]), tmp_path / "t"
    writer(table, root)

    convert(root, kind)

    assert rows_of(spark, root) == expected_rows(spark, table, kind)


@pytest.mark.parametrize("kind", COLUMNS)
def test_values_that_spark_wrote_come_back(spark, tmp_path, kind):
    table, root = numbered(COLUMNS[kind]), tmp_path / "t"
    by_spark(spark, table, root, kind)

    convert(root, kind, ZONE)

    assert rows_of(spark, root) == expected_rows(spark, table, kind)


def test_texts_that_pandas_wrote_come_back(spark, tmp_path):
    table, root = numbered(COLUMNS["string"]), tmp_path / "t"
    by_pandas(table, root)

    convert(root, "string")

    assert rows_of(spark, root) == expected_rows(spark, table, "string")


@pytest.mark.parametrize("writer", [by_pyarrow, by_polars, by_duckdb])
def test_empty_text_is_null_as_in_every_delta_table(spark, tmp_path, writer):
    root = tmp_path / "t"
    writer(numbered(pa.array(["", "a"])), root)

    convert(root, "string")

    assert rows_of(spark, root) == [None, "a"]
