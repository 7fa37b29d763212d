"""What a failed or killed CREATE leaves in a place is distinguished from what others have there."""

import pytest

from puredelta.commands.create.place import MARK, is_free_of_others

LEFT = ["part-00000-x.c000.parquet", ".part-00000-x.c000.parquet.crc", "p=1", "_delta_log"]
HALF = ".00000000000000000000.json.1f.tmp"


@pytest.mark.parametrize("in_log", [[MARK], [MARK, HALF], [f".{MARK}.1f.tmp", MARK]])
def test_data_files_of_a_marked_try_are_its_own(in_log):
    assert is_free_of_others(LEFT, in_log)


@pytest.mark.parametrize("in_log", [[], [HALF], [f".{MARK}.1f.tmp"]])
def test_data_files_without_a_mark_can_be_those_of_others(in_log):
    assert not is_free_of_others(LEFT, in_log)
    assert is_free_of_others(["_delta_log"], in_log)


def test_late_files_of_a_failed_try_are_its_own():
    assert is_free_of_others(LEFT, [], has_failed=True)
    assert not is_free_of_others([*LEFT, "notes.txt"], [], has_failed=True)


@pytest.mark.parametrize("name", ["notes.txt", "_SUCCESS"])
def test_other_files_are_not_those_of_a_try(name):
    assert not is_free_of_others([*LEFT, name], [MARK])


def test_a_log_with_a_version_is_a_table():
    assert not is_free_of_others(["_delta_log"], ["00000000000000000000.json", MARK])
