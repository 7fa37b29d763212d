"""Defaults of columns that need no engine: literals of SQL, as values of a column.

Protocol: Default Columns.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa

_NUMBER = re.compile(r"[+-]?\s*(\d+(\.\d*)?|\.\d+)")
# With a backslash or another quote inside, the text would not be what it says.
_TEXT = re.compile(r"'([^'\\]*)'|\"([^\"\\]*)\"")
_DATE = re.compile(r"date\s*'(\d{4}-\d\d-\d\d)'", re.IGNORECASE)
_WORDS: dict[str, bool | None] = {"null": None, "true": True, "false": False}


def literal(text: str) -> pa.Scalar | None:
    """Return the value of a literal of SQL; None for any other expression.

    >>> literal("'new'").as_py(), literal("-1.50").as_py(), literal("current_date()")
    ('new', Decimal('-1.50'), None)
    """
    stripped = text.strip()
    if stripped.lower() in _WORDS:
        word = _WORDS[stripped.lower()]
        return pa.scalar(word, pa.null() if word is None else pa.bool_())
    for pattern, read in _FORMS:
        if match := pattern.fullmatch(stripped):
            return read(match)
    return None


def _number(match: re.Match[str]) -> pa.Scalar:
    digits = match[0].replace(" ", "")
    if digits.lstrip("+-").isdigit():
        return _whole(int(digits))
    return pa.scalar(Decimal(digits))


def _whole(value: int) -> pa.Scalar:
    fits = -(2**63) <= value < 2**63
    return pa.scalar(value, pa.int64()) if fits else pa.scalar(Decimal(value))


def _date(match: re.Match[str]) -> pa.Scalar | None:
    try:
        return pa.scalar(dt.date.fromisoformat(match[1]))
    except ValueError:
        return None


def _text(match: re.Match[str]) -> pa.Scalar:
    return pa.scalar(match[1] if match[1] is not None else match[2])


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Any]], ...] = (
    (_NUMBER, _number),
    (_TEXT, _text),
    (_DATE, _date),
)
