"""The report of a conversion: what people see, and what programs get."""

import json
from dataclasses import replace

from puredelta.conversion.report import Conversion
from puredelta.conversion.source_file import BadFile
from puredelta.schema.datatypes import INTEGER, LONG, STRING, TIMESTAMP, StructField, StructType
from tests.html_tables import texts_of

SCHEMA = StructType(
    (StructField("id", LONG), StructField("name", STRING), StructField("p", INTEGER, False))
)
DONE = Conversion(
    table="/lake/orders",
    source_format="parquet",
    version=0,
    files=1200,
    size=3 * 1024 * 1024,
    rows=5_000,
    schema=SCHEMA,
    partition_columns=("p",),
)
BAD = BadFile("p=1/x.parquet", "DELTA_FAILED_MERGE_SCHEMA_FILE", "p=1/x.parquet: id is a string")


def test_text_tells_files_rows_partitions_and_columns():
    assert str(DONE).splitlines() == [
        "/lake/orders: parquet to delta, version 0",
        "  files: 1,200 (3.0 MiB)",
        "  rows: 5,000",
        "  partitioned by: p int not null",
        "  statistics: from the footers",
        "  column: id bigint",
        "  column: name string",
    ]


AT = StructType((*SCHEMA, StructField("at", TIMESTAMP)))


def test_text_says_where_points_in_time_in_the_names_of_folders_were_read():
    told = replace(DONE, schema=AT, partition_columns=("p", "at"), time_zone="Europe/Oslo")

    assert str(told).splitlines()[3:5] == [
        "  partitioned by: p int not null, at timestamp",
        "  time zone: Europe/Oslo, of points in time in names of folders that name none",
    ]
    assert told.as_dict()["timeZone"] == "Europe/Oslo"


def test_rows_that_nothing_tells_are_unknown():
    assert "  rows: unknown" in str(replace(DONE, rows=None)).splitlines()


def test_conversion_without_statistics_says_so():
    assert "  statistics: none" in str(replace(DONE, statistics=False)).splitlines()


def test_statistics_of_iceberg_come_from_its_manifests():
    told = replace(DONE, source_format="iceberg")

    assert "  statistics: from the manifests" in str(told).splitlines()


def test_table_that_is_delta_already_is_told_in_one_line():
    told = Conversion(table="/lake/orders", source_format="parquet", is_delta_already=True)

    assert str(told) == "/lake/orders is a Delta table already: nothing to do"


def test_dry_run_without_problems_can_be_converted():
    told = replace(DONE, version=None, is_dry_run=True)

    assert told.would_succeed
    assert str(told).startswith("/lake/orders: parquet, can be converted to delta (dry run)")


def test_dry_run_with_a_problem_names_the_file_once():
    told = replace(DONE, version=None, is_dry_run=True, problems=(BAD,), problem_count=1)

    assert not told.would_succeed
    assert "cannot be converted" in str(told)
    assert str(told).splitlines()[-1] == "  problem: p=1/x.parquet: id is a string"


def test_path_comes_before_a_reason_that_does_not_name_it():
    told = replace(DONE, skipped=(BadFile("q", "C", "torn"),), skipped_count=1, skipped_size=2048)

    assert str(told).splitlines()[-2:] == ["  left out: 1 file (2.0 KiB)", "  left out: q: torn"]


def test_problem_of_no_file_stands_alone():
    told = replace(DONE, is_dry_run=True, problems=(BadFile("", "C", "nothing there"),))

    assert str(told).splitlines()[-1] == "  problem: nothing there"


def test_of_many_skipped_files_the_first_ones_are_named():
    files = tuple(BadFile(f"f{number}", "C", f"f{number} is torn") for number in range(30))

    told = str(replace(DONE, skipped=files, skipped_count=4_000, skipped_size=1)).splitlines()

    assert "  left out: 4,000 files (1 B)" in told
    assert told[-1] == "  left out: and 3,990 more"
    assert sum("is torn" in line for line in told) == 10


def test_html_has_the_same_lines_escaped():
    html = replace(DONE, table="<b>")._repr_html_()

    assert "<strong>&lt;b&gt;: parquet to delta, version 0</strong>" in html
    assert ["column", "id bigint"] in texts_of(html)


def test_programs_get_plain_values_with_the_schema_of_the_log():
    told = json.loads(json.dumps(replace(DONE, skipped=(BAD,), skipped_count=1).as_dict()))

    assert told["files"] == 1200
    assert told["partitionColumns"] == ["p"]
    assert told["schema"]["fields"][0] == {
        "name": "id",
        "type": "long",
        "nullable": True,
        "metadata": {},
    }
    assert told["skipped"] == [
        {
            "path": "p=1/x.parquet",
            "condition": "DELTA_FAILED_MERGE_SCHEMA_FILE",
            "reason": "p=1/x.parquet: id is a string",
        }
    ]


def test_schema_that_is_not_known_is_null():
    told = Conversion(table="t", source_format="parquet", is_dry_run=True)

    assert told.as_dict()["schema"] is None
    assert "  partitioned by: -" in str(told).splitlines()
