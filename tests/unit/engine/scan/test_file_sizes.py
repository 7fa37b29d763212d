"""Local files whose size in the log is wrong are named, each once."""

import logging

import pytest

from puredelta.engine.scan.file_sizes import warn_of_sizes
from puredelta.log.actions import AddFile
from puredelta.log.files import files_table


def add(path, size):
    return AddFile(path=path, partition_values={}, size=size, modification_time=1, data_change=True)


@pytest.fixture
def warnings(caplog):
    with caplog.at_level(logging.WARNING):
        yield caplog


def test_file_of_another_size_is_named_once(tmp_path, warnings):
    (tmp_path / "a b.parquet").write_bytes(b"12345")
    files = files_table([add("a%20b.parquet", 3), add("gone.parquet", 3)])

    warn_of_sizes(files, f"file:{tmp_path}")
    warn_of_sizes(files, f"file:{tmp_path}")

    (record,) = warnings.records
    assert f"{tmp_path}/a b.parquet has 5 bytes, and the log says 3" in record.getMessage()


def test_right_size_is_passed_over(tmp_path, warnings):
    (tmp_path / "a.parquet").write_bytes(b"123")

    warn_of_sizes(files_table([add("a.parquet", 3)]), str(tmp_path))

    assert not warnings.records


def test_files_elsewhere_are_not_looked_at(warnings):
    warn_of_sizes(files_table([add("a.parquet", 3)]), "s3a://bucket/t")

    assert not warnings.records
