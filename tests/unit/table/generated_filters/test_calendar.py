"""Calendar arithmetic of derived filters, for years that Python's dates do not have."""

import pytest

from puredelta.table.generated_filters.calendar import (
    DAY,
    HOUR,
    civil,
    day_of,
    first_day,
    hour_of,
    start,
)
from puredelta.table.statistics.datetime_text import date_text, days_from_text

DAYS = [
    days_from_text(text)
    for text in ("1970-01-01", "-0001-02-28", "0000-02-29", "+12000-02-29", "1582-10-10")
]


@pytest.mark.parametrize("days", DAYS)
def test_dates_of_any_year(days):
    found = civil(days)

    assert day_of(*found) == days
    assert date_text(days).endswith(f"{found.month:02d}-{found.day:02d}")


@pytest.mark.parametrize(
    ("unit", "first"),
    [
        ("week", "2024-05-13"),
        ("MM", "2024-05-01"),
        ("mon", "2024-05-01"),
        ("Quarter", "2024-04-01"),
        ("YY", "2024-01-01"),
    ],
)
def test_first_days(unit, first):
    days = days_from_text("2024-05-19")

    assert date_text(first_day(unit)(days)) == first
    assert start(unit)(days * DAY + 5 * HOUR) == days_from_text(first) * DAY


def test_lengths_of_time_before_the_epoch():
    assert start("DD")(-1) == -DAY
    assert start("hour")(-1) == -HOUR
    assert start("second")(-1) == -1_000_000
    assert hour_of(-1) == 23


def test_units_that_spark_does_not_know():
    assert first_day("DAY") is None
    assert start("CENTURY") is None
