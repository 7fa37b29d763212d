"""Paths to nested columns."""

import pytest

from puredelta.errors import DeltaIllegalArgumentError
from puredelta.schema.column_path import parse_path, quote_name, quote_path


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a", ("a",)),
        ("a.b", ("a", "b")),
        ("a.`b c`.d", ("a", "b c", "d")),
        ("`a.b`", ("a.b",)),
        ("`a``b`", ("a`b",)),
        ("ä.1", ("ä", "1")),
    ],
)
def test_path_is_split(text, names):
    assert parse_path(text) == names
    assert parse_path(quote_path(names)) == names


@pytest.mark.parametrize("text", ["", "a.", ".a", "a..b", "`a", "``", "`a`b", "a`b`"])
def test_malformed_path_is_refused(text):
    with pytest.raises(DeltaIllegalArgumentError):
        parse_path(text)


def test_only_names_that_need_it_are_quoted():
    assert quote_name("a_1") == "a_1"
    assert quote_name("1a") == "`1a`"
    assert quote_name("a`b") == "`a``b`"
