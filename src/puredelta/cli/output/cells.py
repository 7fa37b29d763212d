"""Values as text, for cells of tables and for JSON, which has no form for some of them."""

import base64
import datetime
import decimal
import json
import math
import sys
from collections.abc import Mapping
from typing import Any

from puredelta._util.printable_text import printable
from puredelta.cli.output.terminal import show


def cell(value: object) -> str:
    """Show a value as in the result of a query; null is shown as nothing."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return _time_text(value)
    return printable("" if value is None else str(plain(value)))


def pairs(value: object) -> str:
    """Show a map as `key=value` and a list as its items, both without quotes."""
    # Nearly all values are of these; a table may have millions.
    kind = type(value)
    if kind is str:
        return printable(str(value))
    if kind is int:
        return str(value)
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return ", ".join(f"{cell(key)}={cell(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(cell(item) for item in value)
    return cell(value)


def printable_lines(text: str) -> str:
    """Show a text like `printable`, but keep its lines."""
    return "\n".join(map(printable, text.split("\n")))


def json_text(value: object) -> str:
    """Write JSON, on several lines for people."""
    return _json(value, indent=2) if sys.stdout.isatty() else _json(value)


def json_line(value: object) -> str:
    """Write JSON on one line, without blanks."""
    return _json(value, separators=(",", ":"))


def print_json(value: object) -> None:
    """Print JSON, on several lines for people."""
    show([f"{json_text(value)}\n"])


def plain(value: object) -> object:
    """Turn what JSON has no form for into text."""
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value if isinstance(value, str | int | float | bool) else str(value)


def _time_text(value: datetime.datetime) -> str:
    """Write a time without the digits that are zero: `2026-01-02T03:04:05.600Z`."""
    if value.microsecond % 1000:
        digits = "microseconds"
    else:
        digits = "milliseconds" if value.microsecond else "seconds"
    return value.isoformat(timespec=digits).replace("+00:00", "Z")


def _json(value: object, **layout: Any) -> str:
    try:
        return json.dumps(value, default=plain, allow_nan=False, **layout)
    except ValueError:
        # JSON has no NaN and no infinity: they become texts, as in Spark's to_json.
        return json.dumps(_without_nan(value), default=plain, **layout)


def _without_nan(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
