"""Arguments and options that several commands have."""

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click
from click.shell_completion import CompletionItem

from puredelta.cli.output.cells import printable_lines
from puredelta.cli.output.listing import FORMATS, JSON, LINES, MOST_ROWS, TABLE
from puredelta.cli.output.terminal import NO_PAGER

path = click.argument(
    "path",
    # A URL has no completion, and what begins like a folder has that of folders.
    shell_complete=lambda _context, _parameter, begun: [CompletionItem(begun, type="dir")],
)
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

_FORM = "puredelta.form"


def is_json_wanted(context: click.Context) -> bool:
    """Say whether a program reads what is printed as JSON, errors among it."""
    return context.meta.get(_FORM) in (JSON, LINES)


def _json_flag(context: click.Context, _parameter: click.Parameter, given: bool) -> None:
    if given:
        context.meta[_FORM] = JSON


def _form(context: click.Context, parameter: click.Parameter, given: str | None) -> str:
    wanted = context.meta.get(_FORM)
    if given and wanted and given != wanted:
        raise click.BadParameter(f"--json is the format json, not {given}", context, parameter)
    return str(context.meta.setdefault(_FORM, given or wanted or TABLE))


def _no_pager(context: click.Context, _parameter: click.Parameter, given: bool) -> None:
    if given:
        context.meta[NO_PAGER] = True


no_pager = click.option(
    "--no-pager",
    is_flag=True,
    expose_value=False,
    callback=_no_pager,
    help="Print long output on a terminal at once.",
)
_json = click.option(
    "--json",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_json_flag,
    help="The same as --format json.",
)


def output_format(command: _Command) -> _Command:
    """Add the options of a command that prints rows: the format, which it receives as `form`."""
    form = click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        callback=_form,
        help="How rows are printed: as a table (the default), as a list in JSON, as JSON with a "
        "line a row, or as CSV.",
    )
    return form(_json(no_pager(command)))


def report_format(command: _Command) -> _Command:
    """Add the options of a command that prints a report, which it receives as `as_json`."""
    form = click.option(
        "--format",
        "as_json",
        type=click.Choice((TABLE, JSON)),
        callback=lambda *given: _form(*given) == JSON,
        help="How the report is printed: for people (the default), or as JSON.",
    )
    return form(_json(command))


def limit(what: str) -> Callable[[Any], Any]:
    """Return the option that bounds what is printed.

    Args:
        what: What is printed, in the plural.
    """
    return click.option(
        "--limit",
        type=click.IntRange(min=0),
        metavar="N",
        help=f"Print N {what} at most, or all of them with 0; "
        f"a table has {MOST_ROWS:,} unless it is given, other formats have all.",
    )


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
