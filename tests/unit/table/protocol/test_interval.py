"""Retention periods as properties spell them."""

from datetime import timedelta

import pytest

from puredelta.errors import DeltaIllegalArgumentError
from puredelta.table.protocol.interval import parse_interval


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("interval 30 days", timedelta(days=30)),
        ("30 days", timedelta(days=30)),
        ("INTERVAL 1 Week", timedelta(weeks=1)),
        ("interval 12 hours 30 minutes", timedelta(hours=12, minutes=30)),
        ("1 day -1 hour", timedelta(hours=23)),
        ("1.5 seconds", timedelta(milliseconds=1500)),
        ("250 milliseconds 7 microseconds", timedelta(microseconds=250_007)),
        ("-1 day", timedelta(days=-1)),
    ],
)
def test_interval_of_fixed_length_is_read(text, expected):
    assert parse_interval(text) == expected


@pytest.mark.parametrize("text", ["interval 1 month", "2 years", "1 day 1 month"])
def test_months_and_years_have_no_fixed_length(text):
    assert parse_interval(text) is None


@pytest.mark.parametrize("text", ["rubbish", "1", "days", "1 fortnight", "1.5 days", "1 day x"])
def test_other_text_is_refused(text):
    with pytest.raises(DeltaIllegalArgumentError) as raised:
        parse_interval(text)

    assert raised.value.condition == "DELTA_INVALID_INTERVAL"


@pytest.mark.parametrize("text", ["", "  "])
def test_blank_text_is_refused(text):
    with pytest.raises(DeltaIllegalArgumentError) as raised:
        parse_interval(text)

    assert raised.value.condition == "DELTA_INVALID_CALENDAR_INTERVAL_EMPTY"


@pytest.mark.parametrize("text", ["9" * 100_000, "+" + " " * 100_000, "1 week " * 10_000])
def test_long_text_is_refused_at_once(text):
    with pytest.raises(DeltaIllegalArgumentError) as caught:
        parse_interval(text)
    assert caught.value.getCondition() == "DELTA_INVALID_INTERVAL"


def test_interval_longer_than_any_time_is_refused():
    with pytest.raises(DeltaIllegalArgumentError):
        parse_interval("interval 99999999999999999999 days")
