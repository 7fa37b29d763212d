"""Values as text: of a cell in a table for people, or of JSON where that has no form for them."""

import base64
import datetime
import decimal
import json
import sys
from collections.abc import Mapping

import click

# A line stays one, and no name of a file speaks to the terminal.
_ESCAPED = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}


def cell(value: object) -> str:
    """Show a value as it would stand in a result; null is shown as nothing."""
    text = "" if value is None else str(plain(value))
    return text if text.isprintable() else text.translate(_ESCAPED)


def pairs(value: object) -> str:
    """Show a map as `key=value` and a list as its items, both without quotes."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={cell(item)}" for key, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(cell(item) for item in value)
    return cell(value)


def json_text(value: object) -> str:
    """Write JSON, on several lines for people."""
    return json.dumps(value, default=plain, indent=2 if sys.stdout.isatty() else None)


def print_json(value: object) -> None:
    """Print JSON, on several lines for people."""
    click.echo(json_text(value))


def plain(value: object) -> object:
    """Turn what JSON has no form for into text."""
    if isinstance(value, datetime.date | datetime.datetime):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return value if isinstance(value, str | int | float | bool) else str(value)
