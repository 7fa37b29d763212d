"""Row ids of new files, and the mark of the highest one."""

import json

import msgspec
import pytest

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import AddFile, DomainMetadata, RemoveFile
from puredelta.table.protocol.row_tracking import (
    COLUMN_NAMES,
    DOMAIN,
    ENABLED,
    NO_IDS,
    SUSPENDED,
    check_properties,
    enables_only,
    gives_ids,
    high_water_mark,
    with_column_names,
    with_ids,
)


def add(name, rows, **more):
    stats = None if rows is None else json.dumps({"numRecords": rows, "minValues": {"a": 1}})
    return AddFile(
        path=name, partition_values={}, size=1, modification_time=1, data_change=True,
        stats=stats, **more,
    )  # fmt: skip


def mark(value):
    text = json.dumps({"rowIdHighWaterMark": value, "domainName": DOMAIN})
    return DomainMetadata(domain=DOMAIN, configuration=text, removed=False)


def test_files_get_ids_one_behind_the_other_above_the_mark():
    first, second, domain = with_ids([add("x", 3), add("y", 2)], mark=9, version=4)

    assert (first.base_row_id, first.default_row_commit_version) == (10, 4)
    assert (second.base_row_id, second.default_row_commit_version) == (13, 4)
    assert domain.domain == DOMAIN
    assert json.loads(domain.configuration) == {"rowIdHighWaterMark": 14, "domainName": DOMAIN}


def test_first_id_of_a_table_is_0():
    first, _ = with_ids([add("x", 1)], mark=NO_IDS, version=1)

    assert first.base_row_id == 0


def test_file_that_is_added_again_keeps_its_ids_and_moves_no_mark():
    again = add("x", 5, base_row_id=2, default_row_commit_version=1)

    assert with_ids([again], mark=9, version=4) == [again]


def test_file_without_rows_moves_no_mark():
    (empty,) = with_ids([add("x", 0)], mark=9, version=4)

    assert empty.base_row_id == 10


def test_other_actions_pass_in_their_order():
    gone = RemoveFile(path="z", data_change=True)

    given = with_ids([gone, add("x", 1)], mark=NO_IDS, version=1)

    assert [type(one) for one in given] == [RemoveFile, AddFile, DomainMetadata]


@pytest.mark.parametrize("stats", [None, "{}", "not JSON", '{"numRecords":"x"}'])
def test_file_that_does_not_say_how_many_rows_it_has_is_refused(stats):
    with pytest.raises(DeltaIllegalStateError) as raised:
        with_ids([msgspec.structs.replace(add("x", None), stats=stats)], mark=1, version=1)

    assert raised.value.condition == "DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS"


def test_mark_is_read_from_the_domain():
    assert high_water_mark([mark(7)]) == 7
    assert high_water_mark([]) == NO_IDS
    assert high_water_mark([msgspec.structs.replace(mark(7), removed=True)]) == NO_IDS


def test_mark_that_cannot_be_read_is_told():
    with pytest.raises(DeltaIllegalStateError) as raised:
        high_water_mark([msgspec.structs.replace(mark(7), configuration="{}")])

    assert raised.value.condition == "DELTA_ROW_ID_MARK_MALFORMED"


def test_ids_are_given_as_soon_as_the_protocol_has_the_feature():
    assert gives_ids({"rowTracking"}, {})
    assert not gives_ids({"rowTracking"}, {SUSPENDED: "true"})
    assert not gives_ids(set(), {ENABLED: "true"})


def test_columns_are_named_once():
    named = with_column_names({"rowTracking"}, {"mine": "1"})

    assert named.keys() == {"mine", *COLUMN_NAMES}
    assert with_column_names({"rowTracking"}, named) == named
    assert with_column_names(set(), {"mine": "1"}) == {"mine": "1"}


def test_enabled_and_suspended_exclude_each_other():
    check_properties({ENABLED: "true", SUSPENDED: "false"})
    with pytest.raises(DeltaIllegalStateError):
        check_properties({ENABLED: " TRUE ", SUSPENDED: "true"})


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {ENABLED: "true"}, True),
        ({ENABLED: "false"}, {ENABLED: "true", COLUMN_NAMES[0]: "c"}, True),
        ({}, {ENABLED: "true", "x": "1"}, False),
        ({"x": "1"}, {ENABLED: "true"}, False),
        ({ENABLED: "true"}, {ENABLED: "true"}, False),
        ({ENABLED: "true"}, {ENABLED: "false"}, False),
    ],
)
def test_change_that_does_nothing_but_turn_ids_on_is_told(before, after, expected):
    assert enables_only(before, after) is expected
