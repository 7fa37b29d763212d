"""What a failed CREATE leaves in a place is told from what others have there."""

import pytest

from puredelta.commands.create.place import is_own, remembering_failure

LEFT = ["part-00000-x.c000.parquet", ".part-00000-x.c000.parquet.crc", "p=1"]


def fail(root, *, is_new=True):
    with pytest.raises(ValueError, match="no"), remembering_failure(root, is_new=is_new):
        raise ValueError("no")


def test_data_files_of_a_failed_try_are_its_own():
    fail("/left")

    assert is_own("/left", LEFT)
    assert not is_own("/elsewhere", LEFT)


@pytest.mark.parametrize("name", ["_delta_log", "notes.txt", "_SUCCESS"])
def test_other_files_are_not(name):
    fail("/mixed")

    assert not is_own("/mixed", [*LEFT, name])


def test_a_place_where_something_was_is_not():
    fail("/there", is_new=False)

    assert not is_own("/there", LEFT)


def test_a_try_that_goes_well_forgets_the_ones_before():
    fail("/again")
    with remembering_failure("/again", is_new=True):
        pass

    assert not is_own("/again", LEFT)
