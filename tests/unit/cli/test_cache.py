"""`puredelta cache` deletes what puredelta keeps on this machine, and nothing else."""

import json
import os
import tempfile
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from puredelta.cli.main import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache with two files of ours and one of somebody else."""
    cache = tmp_path / "cache"
    cache.mkdir()
    monkeypatch.setenv("PUREDELTA_CACHE_DIR", str(cache))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (cache / "adapters-4.1.0-ab.jar").write_bytes(b"x" * 2048)
    (cache / "adapters-4.1.0-ab.sha256").write_bytes(b"y")
    (cache / "notes.txt").write_text("mine")
    return cache


def run(*arguments):
    result = CliRunner().invoke(main, ["cache", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_list_has_files_and_sizes(folder):
    rows = [json.loads(line) for line in run("list", "--format", "ndjson").splitlines()]

    assert [(Path(row["path"]).name, row["bytes"]) for row in rows] == [
        ("adapters-4.1.0-ab.jar", 2048),
        ("adapters-4.1.0-ab.sha256", 1),
    ]


def test_dry_run_deletes_nothing(folder):
    shown = run("clear", "--dry-run")

    assert "adapters-4.1.0-ab.jar  2.0 KiB" in shown
    assert shown.endswith("2 files, 2.0 KiB would be deleted\n")
    assert len(names(folder)) == 3


def test_clear_deletes_what_is_ours(folder):
    assert run("clear").endswith("2 files, 2.0 KiB deleted\n")

    assert names(folder) == ["notes.txt"]
    assert run("clear") == "0 files, 0 B deleted\n"


def test_json_says_what_was_deleted(folder):
    found = json.loads(run("clear", "--json"))

    assert [row["bytes"] for row in found["deleted"]] == [2048, 1]
    assert found["failed"] == []


def test_temporary_folders_go_once_they_are_old(folder, tmp_path):
    for name, age in (("puredelta-old", 2), ("puredelta-new", 0), ("other-old", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "adapters-4.1.0-ab.jar").write_bytes(b"z")
        moment = time.time() - age * 86_400
        os.utime(tmp_path / name, (moment, moment))

    assert run("clear", "--dry-run").count("puredelta-") == 1
    run("clear")

    # Its deletion makes the folder of an old file young again, so that it stays, but empty.
    left = {path.parent.name for path in tmp_path.glob("*/adapters-*")}
    assert left == {"puredelta-new", "other-old"}


def test_no_cache_at_all(monkeypatch, tmp_path):
    monkeypatch.setenv("PUREDELTA_CACHE_DIR", str(tmp_path / "none"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    assert run("list", "--format", "json") == "[]\n"
    assert run("clear") == "0 files, 0 B deleted\n"
