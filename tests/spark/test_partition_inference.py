"""Partition columns that are inferred are those that Spark infers, with rows that are the same."""

import itertools

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.partitions.inference import InferredPartitions
from puredelta.conversion.request import ConversionSettings, ConvertRequest
from puredelta.conversion.source_table import ConvertTarget
from puredelta.schema.datatypes import TIMESTAMP_NTZ, simple_string

NULL = "__HIVE_DEFAULT_PARTITION__"
TEXTS = [
    *("1", "-1", "+1", "007", "2147483648", "-2147483648", "9223372036854775808", "٣"),
    *("9" * 38, "9" * 39, "1e5", "1.0e1", "1.55e1", "1e37", "1e38", "0e5", "0e50", "1.", ".5"),
    *("1d", "1F", "1L", "0x10", "NaN", "nan", "Infinity", "-Infinity", "inf", " 1", "1 ", "1_000"),
    *("1,5", "1e", "2024-01-02", "2024-1-2", "2024-01", "2024", "+2024-01-02", "-2024-01-02"),
    *("12024-01-02", "+12024-01-02", "2024-02-30", "2024-01-02 ", "2024-01-02T", "0000-01-01"),
    *("2024-01-02 03%3A04%3A05", "2024-01-02 03%3A04%3A05.1", "2024-01-02 03%3A04%3A05.12"),
    *("2024-01-02 03%3A04%3A05.123456", "2024-1-2 03%3A04%3A05", "2024-01-02T03%3A04%3A05"),
    *("2024-01-02 03%3A04%3A05Z", "2024-01-02 24%3A00%3A00", "2024-01-02 03%3A04%3A60"),
    *("+12024-01-02 03%3A04%3A05", "2024-03-10 02%3A30%3A00", "20240102", "true", "abc", " "),
    *("a%20b", "50%", "a=b", "1%2E5", "%31", "2024%2D01%2D02", "now", "null", "a%2Fb", "é"),
]
KINDS = ["1", "3000000000", "9223372036854775808", "9" * 38, "1.5", "2024-01-02", "abc", NULL]
TIME = "2024-01-02 03%3A04%3A05"


def write(root, *folders):
    for number, folder in enumerate(folders):
        (root / folder).mkdir(parents=True)
        pq.write_table(pa.table({"id": [number]}), root / folder / "part.parquet")


def spark_types(spark, root):
    return {
        field.name: field.dataType.simpleString()
        for field in spark.read.parquet(str(root)).schema
        if field.name != "id"
    }


def our_types(*folders, **options):
    inferred = InferredPartitions(**options)
    for folder in folders:
        inferred.add(f"{folder}/part.parquet")
    return {field.name: simple_string(field.data_type) for field in inferred.schema}


def convert(root, **settings):
    target = ConvertTarget(provider="parquet", location=str(root), label=str(root))
    request = ConvertRequest(infer_partitions=True)
    around = ConversionSettings(**settings)
    ConvertToDeltaCommandBase(target=target, request=request, settings=around).run()


@pytest.fixture
def new_york(spark):
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield "America/New_York"
    spark.conf.set("spark.sql.session.timeZone", "UTC")


@pytest.mark.parametrize("half", [0, 1])
def test_each_text_has_the_type_that_spark_infers(spark, tmp_path, new_york, half):
    # One path with a column for each: a folder's name may be long, and a path too.
    folder = "/".join(f"c{number}={text}" for number, text in enumerate(TEXTS[half::2]))
    write(tmp_path, folder)

    assert our_types(folder) == spark_types(spark, tmp_path)


def test_two_texts_have_the_type_that_spark_widens_them_to(spark, tmp_path):
    pairs = list(itertools.combinations([*KINDS, TIME], 2))
    folders = [
        "/".join(f"c{number}={pair[which]}" for number, pair in enumerate(pairs))
        for which in (0, 1)
    ]
    write(tmp_path, *folders)

    assert our_types(*folders) == spark_types(spark, tmp_path)


def test_points_in_time_are_what_the_session_says(spark, tmp_path):
    write(tmp_path, f"p={TIME}", "p=2024-01-02")
    spark.conf.set("spark.sql.timestampType", "TIMESTAMP_NTZ")
    try:
        expected = spark_types(spark, tmp_path)
    finally:
        spark.conf.unset("spark.sql.timestampType")

    assert our_types(f"p={TIME}", "p=2024-01-02", timestamp_type=TIMESTAMP_NTZ) == expected


def test_names_are_those_of_spark(spark, tmp_path):
    write(tmp_path, "A%20b=1/C=x", "a b=2/c=y")

    found = our_types("A%20b=1/C=x", "a b=2/c=y")

    assert {name.lower() for name in found} == {
        name.lower() for name in spark_types(spark, tmp_path)
    }


def test_rows_are_those_that_spark_reads(spark, tmp_path, new_york):
    rows = spark.sql(
        "SELECT id, CASE id % 4 WHEN 0 THEN NULL WHEN 1 THEN 'a/b=c %41' WHEN 2 THEN 'é😀'"
        " ELSE ' x ' END AS s,"
        " if(id = 3, NULL, date'2024-02-28' + int(id)) AS d,"
        " timestamp'2024-03-10 01:30:00' + make_interval(0, 0, 0, 0, int(id)) AS t,"
        " CASE WHEN id < 2 THEN id ELSE 3000000000 + id END AS i,"
        " cast(id / 3 AS double) AS f, cast(id AS decimal(20,0)) * 10000000000000 AS n"
        " FROM range(8)"
    )
    root = tmp_path / "t"
    rows.repartition(1).write.partitionBy("s", "d", "t", "i", "f", "n").parquet(str(root))
    expected = spark.read.parquet(str(root))
    schema, told = expected.schema, sorted(map(repr, expected.collect()))

    convert(root, zone=new_york)

    table = spark.read.format("delta").load(str(root))
    assert table.schema == schema
    assert sorted(map(repr, table.collect())) == told
