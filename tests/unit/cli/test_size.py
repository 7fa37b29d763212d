"""`puredelta size` on a table that another engine wrote."""

import json
from pathlib import Path

import deltalake
import pyarrow as pa
import pytest
from click.testing import CliRunner

from puredelta.cli.main import main


@pytest.fixture
def path(tmp_path) -> Path:
    """Write a table of two versions whose first file only the older one needs."""
    folder = tmp_path / "t"
    for value in (1, 2):
        deltalake.write_deltalake(str(folder), pa.table({"id": [value]}), mode="overwrite")
    deltalake.DeltaTable(str(folder)).create_checkpoint()
    return folder


def run(*arguments):
    result = CliRunner().invoke(main, ["size", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_bytes_are_those_on_disk(path):
    (path / "stray.parquet").write_bytes(b"12345")

    found = json.loads(run(path, "--json"))

    kinds = {row["kind"]: row for row in found["kinds"]}
    assert kinds["data files"]["files"] == kinds["older versions"]["files"] == 1
    assert kinds["unreferenced"] == {"kind": "unreferenced", "files": 1, "bytes": 5}
    on_disk = [file.stat().st_size for file in path.rglob("*") if file.is_file()]
    assert (found["files"], found["bytes"]) == (len(on_disk), sum(on_disk))


def test_table_for_people_leaves_out_kinds_without_files(path):
    shown = run(path).splitlines()

    assert shown[0].endswith("t, version 1")
    assert [line.split("  ")[0] for line in shown[1:]] == [
        "kind",
        "data files",
        "older versions",
        "log",
        "checkpoints",
        "in the folder",
    ]


def test_missing_file_is_reported(path):
    (latest,) = deltalake.DeltaTable(str(path)).file_uris()
    Path(latest).unlink()

    assert "1 file of the latest version missing" in run(path)


def test_programs_get_a_row_a_kind(path):
    lines = [json.loads(line) for line in run(path, "--format", "ndjson").splitlines()]

    assert len(lines) == 9
    assert run(path, "--format", "csv").startswith('"kind","files","bytes"\n"data files",1,')
