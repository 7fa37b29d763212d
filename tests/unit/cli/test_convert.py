"""`puredelta convert` makes a table of a folder of Parquet, tells what it did; it needs no JVM."""

import json
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from puredelta.cli.main import main
from puredelta.log import open_table
from tests.iceberg_tables import IcebergTables, golden_table

ROWS = pa.table(
    {
        "id": [1, 2, 3, 4],
        "name": ["a", None, "c", "d"],
        "day": ["2024-01-01", "2024-01-01", "2024-01-02", None],
        "part": [1, 1, 20, 20],
    }
)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A folder of Parquet with partitions at two levels."""
    folder = tmp_path / "a lake"
    hive = ds.partitioning(pa.schema([("day", pa.string()), ("part", pa.int64())]), flavor="hive")
    ds.write_dataset(ROWS, folder, format="parquet", partitioning=hive)
    return folder


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["convert", *map(str, arguments)])


def is_delta(folder: Path) -> bool:
    return (folder / "_delta_log").is_dir()


def types_of(folder: Path) -> dict[str, str]:
    return {f.name: f.data_type.name for f in open_table(str(folder)).schema}


def test_partition_columns_come_from_the_names_of_folders(lake):
    result = run(lake)

    assert result.exit_code == 0, result.output
    assert types_of(lake) == {"id": "long", "name": "string", "day": "date", "part": "integer"}
    assert open_table(str(lake)).files().num_rows == 3


def test_report_tells_files_rows_and_columns(lake):
    lines = run(lake).stdout.splitlines()

    assert lines[0] == f"{lake}: parquet to delta, version 0"
    assert lines[1].startswith("  files: 3 (")
    assert lines[2:5] == [
        "  rows: 4",
        "  partitioned by: day date, part int",
        "  statistics: from the footers",
    ]


def test_report_for_programs(lake):
    report = json.loads(run(lake, "--json").stdout)

    assert (report["version"], report["files"], report["rows"]) == (0, 3, 4)
    assert report["partitionColumns"] == ["day", "part"]


def test_types_of_partition_columns_are_those_that_are_given(lake):
    result = run(lake, "--partitioned-by", "day STRING, part BIGINT")

    assert result.exit_code == 0, result.output
    assert types_of(lake) == {"id": "long", "name": "string", "day": "string", "part": "long"}


def test_history_tells_what_was_asked(lake):
    run(lake, "--no-statistics")

    commit = open_table(str(lake)).history()[0]
    assert commit["operation"] == "CONVERT"
    assert commit["operationParameters"] == {
        "numFiles": "3",
        "partitionedBy": '["day","part"]',
        "collectStats": "false",
        "sourceFormat": "parquet",
    }
    assert commit["operationMetrics"] == {"numConvertedFiles": "3"}


def test_statistics_are_left_out_when_nobody_wants_them(lake):
    result = run(lake, "--no-statistics")

    assert "  statistics: none" in result.stdout
    assert set(open_table(str(lake)).files()["num_records"].to_pylist()) == {None}


def test_statistics_are_those_of_the_footers(lake):
    run(lake)

    assert sum(open_table(str(lake)).files()["num_records"].to_pylist()) == 4


def test_partitions_that_are_neither_given_nor_inferred_are_an_error_that_says_what_to_write(lake):
    result = run(lake, "--no-infer-partitions")

    assert result.exit_code == 1
    assert "DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME" in result.stderr
    assert not is_delta(lake)


def test_clause_that_is_none_is_an_error(lake):
    result = run(lake, "--partitioned-by", "day DATE part INT")

    assert result.exit_code == 1
    assert result.stderr.startswith("error: [")
    assert not is_delta(lake)


def test_converted_twice_is_told_and_nothing_is_done(lake):
    run(lake)

    result = run(lake)

    assert result.exit_code == 0
    assert result.stdout == f"{lake} is a Delta table already: nothing to do\n"
    assert open_table(str(lake)).version == 0


def test_converted_twice_is_told_to_programs(lake):
    run(lake)

    assert json.loads(run(lake, "--json").stdout)["isDeltaAlready"]


def test_dry_run_writes_nothing_and_tells_what_would_be(lake):
    result = run(lake, "--dry-run")

    assert result.exit_code == 0
    assert "can be converted to delta (dry run)" in result.stdout
    assert "  partitioned by: day date, part int" in result.stdout
    assert not is_delta(lake)


@pytest.fixture
def summer(tmp_path: Path) -> Path:
    """A folder that is partitioned by a point in time without a zone."""
    folder = tmp_path / "summer"
    (folder / "ts=2024-07-01 10%3A00%3A00").mkdir(parents=True)
    pq.write_table(pa.table({"id": [1]}), folder / "ts=2024-07-01 10%3A00%3A00" / "a.parquet")
    return folder


@pytest.mark.parametrize(
    ("zone", "asked", "hour"),
    [
        ("UTC", [], 10),
        ("Europe/Oslo", ["--time-zone", "Europe/Oslo"], 8),
        ("Asia/Karachi", ["--time-zone=Asia/Karachi", "--partitioned-by=ts TIMESTAMP"], 5),
    ],
)
def test_points_in_time_are_read_in_a_zone_that_the_report_tells(summer, zone, asked, hour):
    result = run(summer, *asked)

    assert result.exit_code == 0, result.output
    assert f"  time zone: {zone}, of points in time" in result.stdout
    (values,) = open_table(str(summer)).files()["partition"].to_pylist()
    assert values == {"ts": datetime(2024, 7, 1, hour, tzinfo=timezone.utc)}


def test_zone_is_told_to_programs_where_it_matters(summer, lake):
    assert json.loads(run(summer, "--dry-run", "--json").stdout)["timeZone"] == "UTC"
    assert json.loads(run(lake, "--dry-run", "--json").stdout)["timeZone"] is None


def test_points_in_time_without_a_zone_need_none(summer):
    result = run(summer, "--partitioned-by", "ts TIMESTAMP_NTZ", "--time-zone", "Europe/Oslo")

    assert "time zone" not in result.stdout
    (values,) = open_table(str(summer)).files()["partition"].to_pylist()
    assert values == {"ts": datetime(2024, 7, 1, 10)}  # noqa: DTZ001  # it is one without


@pytest.mark.parametrize("zone", ["Europe", "Nowhere/At_All", "", "../etc/passwd"])
def test_zone_that_there_is_not_is_a_mistake_in_the_call(lake, zone):
    result = run(lake, "--time-zone", zone)

    assert result.exit_code == 2
    assert "--time-zone" in result.stderr
    assert not is_delta(lake)


@pytest.fixture
def torn(lake: Path) -> Path:
    """The lake with a file that is none, and one that has another type of column."""
    (lake / "day=2024-01-01" / "part=1" / "torn.parquet").write_bytes(b"PAR1 but no more")
    other = pa.table({"id": ["x"], "name": ["y"]})
    pq.write_table(other, lake / "day=2024-01-02" / "part=20" / "zz.parquet")
    return lake


def test_bad_file_fails_the_conversion_by_name(torn):
    result = run(torn)

    assert result.exit_code == 1
    assert "torn.parquet" in result.stderr
    assert not is_delta(torn)


def test_bad_file_fails_for_programs_as_json(torn):
    result = run(torn, "--json")

    assert json.loads(result.stderr)["error"]["condition"].startswith("DELTA_FAILED_READ_FILE")


def test_dry_run_tells_all_that_is_wrong_and_exits_with_1(torn):
    result = run(torn, "--dry-run", "--json")

    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert [Path(one["path"]).name for one in report["problems"]] == ["torn.parquet", "zz.parquet"]
    assert report["files"] == 3
    assert not is_delta(torn)


def test_bad_files_are_left_out_when_that_is_asked(torn):
    result = run(torn, "--on-bad-file", "skip")

    assert result.exit_code == 0, result.output
    assert "  left out: 2 files (" in result.stdout
    assert "zz.parquet" in result.stdout
    assert open_table(str(torn)).files().num_rows == 3


@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_folder_of_which_nothing_is_left_is_not_converted(tmp_path, dry):
    (tmp_path / "a.parquet").write_bytes(b"no Parquet")

    result = run(tmp_path, "--on-bad-file", "skip", *dry)

    assert result.exit_code == 1
    assert "DELTA_EMPTY_DIRECTORY" in result.stderr
    assert not is_delta(tmp_path)


def test_folder_that_is_not_there_is_an_error(tmp_path):
    result = run(tmp_path / "gone")

    assert result.exit_code == 1
    assert str(tmp_path / "gone") in result.stderr
    assert not (tmp_path / "gone").exists()


def test_folder_without_parquet_is_an_error(tmp_path):
    result = run(tmp_path)

    assert result.exit_code == 1
    assert "DELTA_EMPTY_DIRECTORY" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_relative_path_is_below_where_one_stands(lake, monkeypatch):
    monkeypatch.chdir(lake.parent)

    assert run(lake.name).exit_code == 0
    assert is_delta(lake)


def test_url_of_a_folder_is_taken(lake):
    assert run(f"file://{lake}").exit_code == 0
    assert is_delta(lake)


def test_options_of_the_store_reach_it():
    result = run("s3://bucket/t", "-o", "colour=blue")

    assert result.exit_code == 1
    assert "DELTA_STORAGE_OPTIONS_INVALID" in result.stderr


@pytest.mark.parametrize("wrong", [["--on-bad-file", "guess"], ["--from", "orc"]])
def test_choice_that_there_is_not_is_a_mistake_in_the_call(lake, wrong):
    assert run(lake, *wrong).exit_code == 2
    assert not is_delta(lake)


def test_neither_spark_nor_what_only_iceberg_needs_is_loaded(lake):
    code = (
        "import sys; from puredelta.cli.main import main\n"
        f"main(['convert', {str(lake)!r}], standalone_mode=False)"
    )
    look = "\nexcept SystemExit: print(sorted({'pyspark', 'py4j', 'pyiceberg'} & set(sys.modules)))"
    body = "try:\n" + "\n".join("    " + line for line in code.splitlines()) + look

    done = subprocess.run([sys.executable, "-c", body], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"
    assert is_delta(lake)


def test_iceberg_table_is_converted_by_its_own_metadata(tmp_path):
    tables = IcebergTables(tmp_path / "w")
    table = tables.filled("trips", pa.table({"id": [1, 2], "kind": ["a", "b"]}))
    with table.update_schema() as change:
        change.rename_column("id", "trip")
    tables.close()

    result = run(tables.path("trips"), "--from", "iceberg")

    assert result.exit_code == 0, result.output
    assert "iceberg to delta, version 0" in result.stdout
    assert "  statistics: from the manifests" in result.stdout
    assert types_of(tables.path("trips")) == {"trip": "long", "kind": "string"}


def test_partition_columns_of_an_iceberg_table_are_not_given(tmp_path):
    tables = IcebergTables(tmp_path / "w")
    tables.filled("trips", pa.table({"id": [1, 2]}))
    tables.close()

    result = run(tables.path("trips"), "--from", "iceberg", "--partitioned-by", "id INT")

    assert result.exit_code == 1
    assert "DELTA_PARTITION_SCHEMA_IN_ICEBERG_TABLES" in result.stderr
    assert not is_delta(tables.path("trips"))


@pytest.mark.parametrize("name", ["transforms", "evolved"])
def test_partitions_that_delta_lacks_are_left_out_where_that_is_said(tmp_path, name):
    path = golden_table(name, tmp_path)

    refused = run(path, "--from", "iceberg")
    done = run(path, "--from", "iceberg", "--leave-out-partitions")

    assert (refused.exit_code, done.exit_code) == (1, 0)
    assert "--leave-out-partitions" in refused.stderr


def test_folder_that_is_no_iceberg_table_is_an_error(lake):
    result = run(lake, "--from", "iceberg")

    assert result.exit_code == 1
    assert "DELTA_ICEBERG_TABLE_NOT_FOUND" in result.stderr
    assert not is_delta(lake)
