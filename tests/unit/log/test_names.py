"""File names of the log."""

import pytest

from puredelta.log.names import (
    LogFile,
    LogFileKind,
    checkpoint_name,
    checkpoint_part_name,
    checksum_name,
    commit_name,
    parse,
)

UUID = "80a083e8-7026-4e79-81be-64bd76c43a11"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        (commit_name(7), LogFile(LogFileKind.COMMIT, 7)),
        (checkpoint_name(7), LogFile(LogFileKind.CHECKPOINT, 7)),
        (checkpoint_part_name(7, 1, 3), LogFile(LogFileKind.CHECKPOINT_PART, 7, 1, 3)),
        (checksum_name(7), LogFile(LogFileKind.CHECKSUM, 7)),
        (
            f"_delta_log/00000000000000000007.checkpoint.{UUID}.json",
            LogFile(LogFileKind.V2_CHECKPOINT, 7),
        ),
        (
            f"00000000000000000007.checkpoint.{UUID}.parquet",
            LogFile(LogFileKind.V2_CHECKPOINT, 7),
        ),
        ("07.0011.compacted.json", LogFile(LogFileKind.COMPACTION, 7, end_version=11)),
    ],
)
def test_names_tell_what_a_file_is(name, file):
    assert parse(name) == file


@pytest.mark.parametrize(
    "name",
    [
        "_last_checkpoint",
        ".00000000000000000007.json.abc.tmp",
        "00000000000000000007.json.tmp",
        "00000000000000000007.checkpoint.1.parquet.crc",
        "7.txt",
        "\N{ARABIC-INDIC DIGIT SEVEN}.json",
    ],
)
def test_other_names_are_ignored(name):
    assert parse(name) is None


def test_names_sort_by_version():
    assert commit_name(9) < commit_name(10)
    assert commit_name(3) == "_delta_log/00000000000000000003.json"
