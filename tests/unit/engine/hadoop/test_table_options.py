"""Options of one table's file system, by number."""

import pytest

from puredelta.commands.table_ref import TableRef
from puredelta.engine.hadoop.table_options import (
    check_options,
    file_system_options,
    forget_options,
    recall,
    remember,
)
from puredelta.errors import DeltaIllegalArgumentError, DeltaIllegalStateError

KEPT = 256
GIVEN = {"fs.s3a.secret.key": "hushhush", "dfs.replication": "1"}


def test_equal_options_have_one_number():
    assert remember(GIVEN) == remember(dict(reversed(GIVEN.items())))
    assert remember(GIVEN) != remember({"dfs.replication": "2"})


def test_number_gives_its_options_back():
    assert recall(remember(GIVEN)) == GIVEN


def test_no_options_have_no_number():
    assert remember({}) is None
    assert recall(None) == {}


def test_options_that_are_used_outlive_many_others():
    number = remember(GIVEN)

    for other in range(2 * KEPT):
        remember({"fs.other": str(other)})
        assert recall(number) == GIVEN


def test_options_past_the_bound_are_dropped_and_refused():
    numbers = [remember({"fs.other": str(other)}) for other in range(KEPT + 1)]

    with pytest.raises(DeltaIllegalStateError, match=str(KEPT)) as raised:
        recall(numbers[0])

    assert raised.value.condition == "PUREDELTA_TABLE_OPTIONS_DROPPED"
    assert [recall(number)["fs.other"] for number in numbers[1:]] == [
        str(other) for other in range(1, KEPT + 1)
    ]


def test_number_of_dropped_options_is_not_given_again():
    number = remember(GIVEN)

    forget_options()

    with pytest.raises(DeltaIllegalStateError):
        recall(number)
    assert remember(GIVEN) != number


def test_options_of_a_reader_are_told_from_those_of_the_file_system():
    assert file_system_options({**GIVEN, "path": "/t", "mergeSchema": "true"}) == GIVEN


def test_option_of_another_name_is_refused_without_its_value():
    with pytest.raises(DeltaIllegalArgumentError, match=r"fs\.; dfs\.|fs\., dfs\.") as raised:
        check_options({**GIVEN, "secret": "hushhush"})

    assert raised.value.condition == "DELTA_TABLE_FOR_PATH_UNSUPPORTED_HADOOP_CONF"
    assert raised.value.parameters["unsupportedOptions"] == "secret"
    assert "hushhush" not in str(raised.value)


def test_reference_to_a_table_does_not_show_its_options():
    table = TableRef(root="s3a://b/t", options=GIVEN)

    assert "hushhush" not in repr(table)
    assert hash(table) == hash(TableRef(root="s3a://b/t"))
