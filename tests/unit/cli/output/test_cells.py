"""Texts of tables reach the terminal as texts: nothing in them is obeyed or hidden."""

import pytest

from puredelta._util.printable_text import printable
from puredelta.cli.output.cells import cell, pairs, printable_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [bold] été 日本", "plain [bold] été 日本"),
        ("a\nb\tc", "a\\x0ab\\x09c"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\x9b2J", "\\x9b2J"),
        ("exe.\u202etxt", "exe.\\u202etxt"),
        ("a\u200bb", "a\\u200bb"),
        ("\u2028", "\\u2028"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
    ],
    ids=[
        "printable",
        "line break and tab",
        "escape",
        "control of 8 bits",
        "right-to-left override",
        "without width",
        "line separator",
        "tag",
        "half of a pair",
    ],
)
def test_characters_that_are_not_printable_are_escaped(text, shown):
    assert printable(text) == cell(text) == shown


def test_nothing_of_a_map_or_a_list_reaches_the_terminal_as_it_is():
    assert pairs({"a\u202e": "b\x1b"}) == "a\\u202e=b\\x1b"
    assert pairs(["a\u2066", None]) == "a\\u2066, "


def test_lines_stay_lines():
    assert printable_lines("a\x1b\n\nb\r\n") == "a\\x1b\n\nb\\x0d\n"
