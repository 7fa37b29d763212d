"""`puredelta optimize --dry-run` tells which small files would become one."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from puredelta.cli.main import main
from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.request import ConversionSettings, ConvertRequest
from puredelta.conversion.source_table import target_at
from puredelta.log import open_table


@pytest.fixture
def table(tmp_path):
    """A table of three files in p=1, two in p=2 and one without a value."""
    for value, count in (("1", 3), ("2", 2), ("__HIVE_DEFAULT_PARTITION__", 1)):
        folder = tmp_path / "t" / f"p={value}"
        folder.mkdir(parents=True)
        for number in range(count):
            pq.write_table(pa.table({"id": [number]}), folder / f"{number}.parquet")
    target = target_at("parquet", str(tmp_path / "t"), label="t", options={})
    request = ConvertRequest(infer_partitions=True)
    ConvertToDeltaCommandBase(target=target, request=request, settings=ConversionSettings()).run()
    return str(tmp_path / "t")


def run(*arguments):
    return CliRunner().invoke(main, ["optimize", *arguments])


def test_files_are_counted_by_partition(table):
    result = run(table, "--dry-run", "--json")

    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["considered_files"], found["files"], found["bins"]) == (6, 5, 2)
    assert [(part["partition"], part["files"]) for part in found["partitions"]] == [
        ("p=1", 3),
        ("p=2", 2),
    ]


@pytest.mark.parametrize(
    ("where", "files"),
    [
        ("p=1", 3),
        ("P= 01", 3),
        ("p=", 0),
        ("p=9", 0),
        ("p >= 1", 5),
        ("p IN (2, 3)", 2),
        ("p BETWEEN 1 AND 1 OR p IS NULL", 3),
    ],
)
def test_partitions_are_chosen_by_predicate(table, where, files):
    result = run(table, "--dry-run", "--where", where, "--json")

    assert json.loads(result.stdout)["files"] == files


def test_several_predicates_must_all_hold(table):
    result = run(table, "--dry-run", "--where", "p >= 1", "--where", "p <> 2", "--json")

    assert json.loads(result.stdout)["files"] == 3


def test_text_says_what_would_be_done(table):
    lines = run(table, "--dry-run").stdout.splitlines()

    assert lines[0] == f"OPTIMIZE of {table}, version 0 (dry run)"
    assert any("p=1: 3 files" in line for line in lines)


def test_nothing_to_do_is_said(table):
    assert "rewrites: nothing" in run(table, "--dry-run", "--min-file-size", "1").stdout


def test_column_that_is_no_partition_is_refused(table):
    result = run(table, "--dry-run", "--where", "id=1")

    assert result.exit_code == 1
    assert "DELTA_NON_PARTITION_COLUMN_REFERENCE" in result.stderr


@pytest.mark.parametrize(
    "arguments", [(), ("--dry-run", "--where", "p"), ("--dry-run", "--where", "p >")]
)
def test_wrong_use_is_explained(table, arguments):
    result = run(table, *arguments)

    assert result.exit_code == 2
    assert open_table(table).version == 0
