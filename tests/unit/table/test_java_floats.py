"""Floating-point numbers as Java writes them."""

import math

import pytest

from puredelta.table.java_floats import (
    double_text,
    float_from_text,
    float_text,
    number_from_text,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (3.0, "3.0"),
        (-0.0, "-0.0"),
        (1e300, "1.0E300"),
        (1e-5, "1.0E-5"),
        (0.001, "0.001"),
        (0.00099, "9.9E-4"),
        (123456789.0, "1.23456789E8"),
        (12345678.9, "1.23456789E7"),
        (1234567.0, "1234567.0"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
    ],
)
def test_doubles(value, text):
    assert double_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.10000000149011612, "0.1"),
        (3.0, "3.0"),
        (10000000000.0, "1.0E10"),
        (9.999999747378752e-06, "1.0E-5"),
        (16777216.0, "1.6777216E7"),
        (3.4028234663852886e38, "3.4028235E38"),
        (1.401298464324817e-45, "1.0E-45"),
    ],
)
def test_floats(value, text):
    assert float_text(value) == text


@pytest.mark.parametrize("text", ["nan", "NaN", "1.5d", "1e5", "-Infinity", ".5", "+inf"])
def test_usual_forms_are_read(text):
    assert number_from_text(text) is not None


def test_floats_are_rounded_to_four_bytes():
    assert float_from_text("9.871531E7") == 98715312.0
    assert float_from_text("-1e40") == -math.inf
    assert float_from_text("x") is None


@pytest.mark.parametrize("text", ["", "x", "1,5", "--1", "0x10", "1_000", "-"])
def test_other_texts_are_no_numbers(text):
    assert number_from_text(text) is None
