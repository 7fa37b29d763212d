"""What is cut off bounds, and how they end."""

import pytest

from puredelta.table.statistics.bound_encoding import (
    LAST_CHARACTER,
    date_bound,
    decimal_text,
    double_bound,
    lower_text,
    timestamp_bound,
    upper_text,
)

A32 = "a" * 32


@pytest.mark.parametrize(
    ("text", "least", "greatest"),
    [
        ("", "", ""),
        (A32, A32, A32),
        (A32 + "a", A32, A32 + "\x7f"),
        (A32 + "\x7e", A32, A32 + "\x7f"),
        (A32 + "\x7f", A32, A32 + LAST_CHARACTER),
        (A32 + "\u0080", A32, A32 + LAST_CHARACTER),
        (A32 + "\uffffz", A32, A32 + LAST_CHARACTER),
        ("a" * 31 + "😀b", "a" * 31 + "😀", "a" * 31 + "😀\x7f"),
        (A32 + "😀b", A32, A32 + LAST_CHARACTER),
        (A32 + LAST_CHARACTER + "z", A32, A32 + LAST_CHARACTER + "\x7f"),
        (A32 + LAST_CHARACTER * 3 + "b", A32, A32 + LAST_CHARACTER * 3 + "\x7f"),
        (A32 + LAST_CHARACTER * 40, A32, None),
    ],
)
def test_long_texts_are_cut_as_the_reference_does(text, least, greatest):
    assert lower_text(text, 32) == least
    assert upper_text(text, 32) == greatest


def test_prefix_of_nothing_means_no_bounds_of_texts():
    assert lower_text("abc", 0) is None
    assert upper_text("abc", 0) is None
    assert upper_text("", 0) is None


@pytest.mark.parametrize(
    ("unscaled", "scale", "text"),
    [
        (150, 2, "1.50"),
        (-1, 2, "-0.01"),
        (0, 2, "0.00"),
        (7, 0, "7"),
        (-(10**37), 10, "-1" + "0" * 27 + "." + "0" * 10),
        (1, 18, "0.000000000000000001"),
    ],
)
def test_decimals_are_written_in_full(unscaled, scale, text):
    assert decimal_text(unscaled, scale) == text


def test_times_are_rounded_down():
    assert timestamp_bound(-1, "Z") == "1969-12-31T23:59:59.999Z"
    assert timestamp_bound(1_999, "") == "1970-01-01T00:00:00.001"


def test_what_json_or_others_cannot_hold_is_left_out():
    assert double_bound(float("nan")) is None
    assert double_bound(float("-inf")) is None
    assert double_bound(-0.0) == 0.0
    assert date_bound(10**6 * 4) is None
    assert timestamp_bound(10**18 * 4, "Z") is None
