"""`puredelta partitions`, `stats`, `checkpoints` and `protocol`, as text and as JSON."""

import json

import deltalake
import pyarrow as pa
import pytest
from click.testing import CliRunner

from puredelta.cli.main import main


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> str:
    """Write a table of two partitions and two versions, the first with a checkpoint."""
    folder = str(tmp_path_factory.mktemp("table") / "t")
    first = pa.table({"id": [1, 2, 3], "half": [1, 0, 1]})
    deltalake.write_deltalake(folder, first, partition_by=["half"])
    deltalake.DeltaTable(folder).create_checkpoint()
    second = pa.table({"id": [40], "half": [0]})
    deltalake.write_deltalake(folder, second, mode="append")
    return folder


def run(*arguments: str):
    result = CliRunner().invoke(main, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_partitions_have_typed_values_and_sums(path):
    found = json.loads(run("partitions", path, "--json"))

    sums = [(row["partition"]["half"], row["num_files"], row["num_records"]) for row in found]
    assert sums == [(0, 2, 2), (1, 1, 2)]


def test_partitions_of_an_older_version_as_text(path):
    result = CliRunner().invoke(main, ["partitions", path, "--version", "0", "--limit", "1"])

    assert "half=0" in result.stdout
    assert "half=1" not in result.stdout
    assert result.stderr == "1 of 2 partitions; --limit N for more, --limit 0 for all\n"


def test_stats_have_a_row_a_file_and_column(path):
    found = json.loads(run("stats", path, "--json"))

    bounds = [(row["column"], row["min"], row["max"], row["null_count"]) for row in found]
    assert sorted(bounds) == [("id", "1", "3", 0), ("id", "2", "2", 0), ("id", "40", "40", 0)]


def test_stats_of_one_column_have_its_type(path):
    found = json.loads(run("stats", path, "--column", "ID", "--json"))

    assert sorted(row["max"] for row in found) == [2, 3, 40]


def test_stats_of_a_column_that_is_not_there(path):
    result = CliRunner().invoke(main, ["stats", path, "--column", "none"])

    assert result.exit_code == 1
    assert "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA" in result.stderr


def test_checkpoints_tell_kind_and_rows(path):
    (found,) = json.loads(run("checkpoints", path, "--json"))

    assert (found["version"], found["kind"], found["in_use"]) == (0, "classic", True)
    # Protocol, metadata and two files.
    assert found["num_rows"] == 4
    assert "classic" in run("checkpoints", path)


def test_protocol_tells_versions_and_features(path):
    found = json.loads(run("protocol", path, "--json"))

    assert found["minReaderVersion"] == 1
    assert [feature["feature"] for feature in found["features"]] == ["appendOnly", "invariants"]
    shown = run("protocol", path)
    assert shown.startswith("reader version 1, writer version 2\n")
    assert "rows may then only be added" in shown


def test_protocol_without_features(tmp_path):
    log = tmp_path / "_delta_log"
    log.mkdir()
    schema = '{\\"type\\":\\"struct\\",\\"fields\\":[]}'
    (log / f"{0:020}.json").write_text(
        '{"protocol":{"minReaderVersion":1,"minWriterVersion":1}}\n'
        f'{{"metaData":{{"id":"i","format":{{"provider":"parquet"}},"schemaString":"{schema}",'
        '"partitionColumns":[],"configuration":{}}}\n'
    )

    assert run("protocol", str(tmp_path)) == "reader version 1, writer version 1\n"
    assert json.loads(run("protocol", str(tmp_path), "--json"))["features"] == []


@pytest.mark.parametrize("command", ["partitions", "stats", "checkpoints", "protocol"])
def test_options_of_the_store_reach_it(command):
    told = CliRunner().invoke(main, [command, "s3://bucket/t", "-o", "colour=blue"])

    assert told.exit_code == 1
    assert "DELTA_STORAGE_OPTIONS_INVALID" in told.stderr


def test_schema_has_a_row_a_column(path):
    assert [(row["name"], row["type"]) for row in json.loads(run("schema", path, "--json"))] == [
        ("id", "bigint"),
        ("half", "bigint"),
    ]
    assert run("schema", path).splitlines()[-1].split() == ["half", "bigint", "yes", "1"]


def test_head_prints_rows(path):
    rows = json.loads(run("head", path, "--json", "--version", "0"))
    assert sorted(row["id"] for row in rows) == [1, 2, 3]

    shown = run("head", path, "-n", "2", "--columns", "half,ID")
    assert shown.splitlines()[0].split() == ["half", "id"]
    assert len(shown.splitlines()) == 3
