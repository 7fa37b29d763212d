"""Arguments and options that several commands have."""

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

from puredelta.cli.cells import printable_lines

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
limit = click.option("--limit", type=click.IntRange(min=1), help="Print at most so many.")
path = click.argument("path")
dry_run = click.option(
    "--dry-run", is_flag=True, help="Look what would be done, and write nothing."
)
yes = click.option("--yes", is_flag=True, help="Do not ask on a terminal.")
store_options = click.option(
    "-o",
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    callback=lambda _context, _parameter, given: pairs(given),
    help="What the store needs to get in, such as fs.s3a.endpoint=http://localhost:9000.",
)


_Command = TypeVar("_Command", bound=Callable[..., Any])


def version(command: _Command) -> _Command:
    """Add the options that choose a version of the table."""
    by_number = click.option(
        "--version",
        type=click.IntRange(min=0),
        help="The version of the table; the latest if left out.",
    )
    by_time = click.option(
        "--timestamp", help="The version that was the latest at this time (ISO 8601)."
    )
    return by_number(by_time(command))


def pairs(given: Sequence[str]) -> dict[str, str]:
    """Read the values of an option that was given as NAME=VALUE."""
    split = [text.partition("=") for text in given]
    if wrong := [name for name, sign, _ in split if not (name and sign)]:
        raise click.BadParameter(f"{wrong[0]!r} is not NAME=VALUE")
    return {name: value for name, _, value in split}


_UTC = "UTC"


def time_zone(help_text: str) -> Callable[[Any], Any]:
    """Return the option that names a time zone, which the command receives as `zone`."""
    return click.option(
        "--time-zone",
        "zone",
        metavar="ZONE",
        default=_UTC,
        show_default=True,
        callback=lambda _context, _parameter, zone: _known_zone(zone),
        help=help_text,
    )


def _known_zone(zone: str) -> str:
    try:
        # Machines without a list of zones know this one all the same.
        if zone != _UTC:
            ZoneInfo(zone)
    # Some names are folders of zones.
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise click.BadParameter(f"there is no time zone {zone!r}") from error
    return zone


def confirm(text: Callable[[], str], *, is_confirmed: bool) -> None:
    """Show what would be done and ask for it, where a person sits at a terminal.

    Args:
        text: Returns what would be done.
        is_confirmed: Whether the command line says yes already.
    """
    if not is_confirmed and sys.stdin.isatty() and sys.stdout.isatty():
        click.echo(printable_lines(text()))
        click.confirm("Go on?", abort=True)
