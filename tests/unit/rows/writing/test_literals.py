"""Which defaults are literals, and their values."""

import datetime as dt
from decimal import Decimal

import pytest

from puredelta.rows.writing.literals import literal


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        (" - 7 ", -7),
        ("+0", 0),
        (str(2**63), Decimal(2**63)),
        ("1.50", Decimal("1.50")),
        (".5", Decimal("0.5")),
        ("'new'", "new"),
        ('"new"', "new"),
        ("''", ""),
        ("NULL", None),
        ("true", True),
        ("FALSE", False),
        ("DATE '2026-01-02'", dt.date(2026, 1, 2)),
        ("date'2026-01-02'", dt.date(2026, 1, 2)),
    ],
)
def test_literals_have_values(text, value):
    assert literal(text).as_py() == value


@pytest.mark.parametrize(
    "text",
    [
        "current_date()", "1 + 1", "1e3", "1L", "'a\\n'", "'it''s'", "x", "'a' 'b'", "r'a'",
        "DATE '2026-02-30'", "TIMESTAMP '2026-01-02 03:04:05'", "array(1)", "", "--1",
    ],
)  # fmt: skip
def test_other_expressions_have_none(text):
    assert literal(text) is None
