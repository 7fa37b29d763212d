"""Values of the log as cells for people: sizes, times, numbers, maps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta, tzinfo
from typing import Any

from puredelta._util.printable_text import printable
from puredelta._util.size_text import size_text
from puredelta.notebook.html_table import HtmlCell, path_cell, text_cell

_SIZES = frozenset({"size", "smallest_file", "largest_file", "sizeInBytes"})

# Parameters of operations that say nothing.
_NOTHING = frozenset({"", "[]", "{}", "null"})

_EMPTY = HtmlCell("")


def value_cell(name: str, value: Any, zone: tzinfo) -> HtmlCell:
    """Return a value as a cell.

    Args:
        name: of its column, which decides how a number is shown.
        value: as Arrow gives it to Python.
        zone: for times.
    """
    if value is None:
        return _EMPTY
    # A bool is an int in Python, and would be shown as a number.
    if isinstance(value, bool):
        return HtmlCell("yes" if value else "no")
    if isinstance(value, int):
        return _whole_number(name, value)
    if isinstance(value, float):
        return HtmlCell(repr(value), is_number=True)
    if isinstance(value, datetime):
        return _time(value, zone)
    if isinstance(value, Mapping):
        return _pairs(name, value)
    if isinstance(value, list | tuple):
        return text_cell(", ".join(map(_plain, value)))
    return path_cell(str(value)) if name == "path" else text_cell(_plain(value))


def partition_text(values: Mapping[str, Any]) -> str:
    """Write the values of a partition for people.

    >>> partition_text({"month": 1, "city": None})
    'month=1, city=null'
    """
    return _joined(f"{printable(key)}={_partition_value(key, v)}" for key, v in values.items())


def is_size(name: str) -> bool:
    """Say whether a column has sizes in bytes."""
    return name in _SIZES


def _whole_number(name: str, value: int) -> HtmlCell:
    if is_size(name):
        return HtmlCell(size_text(value), f"{value:,} bytes", is_number=True)
    # A version is a name, which is looked up as it is written.
    text = str(value) if name.lower().endswith("version") else f"{value:,}"
    return HtmlCell(text, is_number=True)


def _time(value: datetime, zone: tzinfo) -> HtmlCell:
    if value.tzinfo is None:
        return HtmlCell(value.isoformat(sep=" "), keeps_line=True)
    there = value.astimezone(zone)
    return HtmlCell(
        there.replace(tzinfo=None).isoformat(sep=" ", timespec="seconds"),
        there.isoformat(sep=" ", timespec="milliseconds"),
        keeps_line=True,
    )


def _pairs(name: str, value: Mapping[str, Any]) -> HtmlCell:
    shown: Callable[[str, Any], str | None] = _PAIRS.get(name, _known)
    texts = ((key, shown(key, item)) for key, item in value.items())
    text = ", ".join(f"{printable(key)}={item}" for key, item in texts if item is not None)
    whole = ", ".join(f"{printable(key)}={_plain(item)}" for key, item in value.items())
    # Where all members are left out, so is the value.
    return text_cell(text, whole) if text else _EMPTY


def _partition_value(_key: str, value: Any) -> str:
    return "null" if value is None else _plain(value)


def _known(_key: str, value: Any) -> str | None:
    return None if value is None else _plain(value)


def _parameter(_key: str, value: Any) -> str | None:
    return None if value in _NOTHING or value is None else _plain(value)


def _metric(key: str, value: Any) -> str | None:
    text = _plain(value)
    if value is None or not text.isascii() or not text.isdecimal():
        return _known(key, value)
    # Most writers give metrics of what did not happen as well.
    if not int(text):
        return None
    lower = key.lower()
    if "bytes" in lower or lower.endswith("filesize"):
        return size_text(int(text))
    return f"{int(text):,}"


_PAIRS: dict[str, Callable[[str, Any], str | None]] = {
    "partition": _partition_value,
    "operationParameters": _parameter,
    "operationMetrics": _metric,
}


def _plain(value: Any) -> str:
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    if isinstance(value, Mapping):
        return _joined(f"{key}={_plain(item)}" for key, item in value.items())
    if isinstance(value, date | timedelta):
        return str(value)
    return "" if value is None else printable(str(value))


def _joined(texts: Iterable[str]) -> str:
    return ", ".join(texts)
