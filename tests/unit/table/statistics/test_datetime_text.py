"""Dates and times as texts, for any year."""

from datetime import date, datetime, timedelta, timezone

import pytest

from puredelta.errors import DeltaIllegalArgumentError
from puredelta.table.statistics.datetime_text import (
    date_text,
    days_from_text,
    micros_from_text,
    timestamp_text,
    zone_rules,
    zone_shift,
)

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def micros(*parts):
    return int((datetime(*parts, tzinfo=timezone.utc) - EPOCH).total_seconds()) * 1_000_000


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("1970-01-01", 0),
        ("1969-12-31", -1),
        ("2024-02-29", 19782),
        ("0001-01-01", -719162),
        ("9999-12-31", 2932896),
        ("+10000-01-01", 2932897),
        ("0000-12-31", -719163),
        ("-0001-01-01", -719893),
    ],
)
def test_dates_of_any_year_are_read_and_written(text, days):
    assert days_from_text(text) == days
    assert date_text(days) == text


@pytest.mark.parametrize(
    "text", ["", "2024", "2023-02-29", "2024-13-01", "24-01-01", "x", "1.1.24"]
)
def test_other_texts_are_no_dates(text):
    assert days_from_text(text) is None


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2024-01-02T03:04:05.100000Z", "America/New_York", micros(2024, 1, 2, 3, 4, 5) + 100_000),
        ("2024-01-02 03:04:05.1", "UTC", micros(2024, 1, 2, 3, 4, 5) + 100_000),
        ("2024-01-02 03:04:05", "America/New_York", micros(2024, 1, 2, 8, 4, 5)),
        ("2024-07-02 03:04:05", "America/New_York", micros(2024, 7, 2, 7, 4, 5)),
        ("2024-01-02 03:04:05+02:00", "UTC", micros(2024, 1, 2, 1, 4, 5)),
        ("2024-01-02 03:04:05-0230", "UTC", micros(2024, 1, 2, 5, 34, 5)),
        ("2024-01-02", "GMT+8", micros(2024, 1, 1, 16)),
        ("2024-01-02 03:04", "+01:00", micros(2024, 1, 2, 2, 4)),
        ("1969-12-31 23:59:59.999999", "UTC", -1),
        ("2024-01-02 03:04:05", None, micros(2024, 1, 2, 3, 4, 5)),
    ],
)
def test_times_are_read_in_either_form(text, zone, expected):
    assert micros_from_text(text, zone) == expected


@pytest.mark.parametrize("text", ["", "x", "2024-01-02 25:00:00", "2024-01-02 03:60:00"])
def test_other_texts_are_no_times(text):
    assert micros_from_text(text, "UTC") is None


def test_wall_clock_takes_no_zone():
    assert micros_from_text("2024-01-02 03:04:05Z") is None


def test_time_that_the_clock_skips_or_shows_twice_counts_as_in_java():
    skipped = micros(2024, 3, 10, 2, 30)
    twice = micros(2024, 11, 3, 1, 30)

    assert zone_shift("America/New_York", skipped) == -5 * 3600
    assert zone_shift("America/New_York", twice) == -4 * 3600


@pytest.mark.parametrize("year", [-300, 12_024])
def test_zones_reach_any_year(year):
    days = days_from_text(f"{'+' if year > 0 else '-'}{abs(year):04d}-07-01")

    shift = zone_shift("America/New_York", days * 86_400_000_000)

    assert abs(shift) in range(3 * 3600, 6 * 3600)


@pytest.mark.parametrize(
    ("zone", "hours"),
    [("UTC", 0), ("Z", 0), ("GMT+02:00", 2), ("UTC-3", -3), ("+05:30", 5.5), ("Europe/Oslo", 2)],
)
def test_zones_of_java_have_their_shift(zone, hours):
    moment = datetime(2024, 7, 1, tzinfo=zone_rules(zone))

    assert moment.utcoffset() == timedelta(hours=hours)


def test_unknown_zone_is_refused():
    with pytest.raises(DeltaIllegalArgumentError) as raised:
        zone_shift("Mars/Olympus", 0)

    assert raised.value.condition == "DELTA_UNKNOWN_TIME_ZONE"


def test_fraction_is_written_only_when_there_is_one():
    assert timestamp_text(0) == "1970-01-01 00:00:00"
    assert timestamp_text(-1, "T") == "1969-12-31T23:59:59.999999"
    assert timestamp_text((date(2024, 1, 1) - date(1970, 1, 1)).days * 86_400_000_000) == (
        "2024-01-01 00:00:00"
    )
