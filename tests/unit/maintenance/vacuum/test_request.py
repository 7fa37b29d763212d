"""For how long files are kept: what the table says, what the user says, and which is refused."""

import pytest

from puredelta.errors import DeltaIllegalArgumentError
from puredelta.maintenance.vacuum.request import VacuumRequest, retention_of
from puredelta.maintenance_settings import VacuumSettings

HOUR = 3_600_000
WEEK = 7 * 24 * HOUR
NOW = 10 * WEEK
UNCHECKED = VacuumSettings(retention_check=False)
IGNORING = VacuumSettings(other_retentions_ignored=True)


def retained(hours=None, settings=UNCHECKED, **properties):
    return retention_of(VacuumRequest(retain_hours=hours), properties, settings, NOW)


def test_table_decides_where_nothing_is_said():
    found = retained(**{"delta.deletedFileRetentionDuration": "interval 2 days"})

    assert (found.since_ms, found.specified_ms) == (NOW - 48 * HOUR, None)


@pytest.mark.parametrize(
    ("hours", "kept"), [(0, 0), (0.4, 1), (1, 1), (1.5, 2), (168, 168), (1e9, 10**9)]
)
def test_part_of_an_hour_counts_as_a_whole_one(hours, kept):
    found = retained(hours)

    assert found.specified_ms == kept * HOUR
    assert found.since_ms == NOW - kept * HOUR
    assert found.since.year <= 2000


@pytest.mark.parametrize("hours", [-1, -0.1, -1e9])
def test_negative_retention_is_refused_whatever_is_checked(hours):
    with pytest.raises(DeltaIllegalArgumentError) as raised:
        retained(hours)

    assert raised.value.condition == "DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE"


@pytest.mark.parametrize("hours", [0, 1, 166.9])
def test_retention_shorter_than_the_tables_is_refused(hours):
    with pytest.raises(DeltaIllegalArgumentError) as raised:
        retained(hours, VacuumSettings())

    assert raised.value.condition == "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"
    assert raised.value.parameters == {"configuredRetentionHours": "168"}


def test_longer_retention_and_the_tables_own_are_accepted():
    assert retained(168, VacuumSettings()).since_ms == NOW - WEEK
    assert retained(200, VacuumSettings()).since_ms == NOW - 200 * HOUR


def test_setting_lets_the_table_decide_unless_it_is_zero():
    for hours in (-1, 1, 167, 1000):
        found = retained(hours, IGNORING)
        assert (found.since_ms, found.specified_ms) == (NOW - WEEK, None)
    with pytest.raises(DeltaIllegalArgumentError):
        retained(0, IGNORING)


@pytest.mark.parametrize("hours", [float("nan"), float("inf")])
def test_hours_that_are_no_number_are_refused(hours):
    with pytest.raises(ValueError, match="need to be a number"):
        retained(hours)
