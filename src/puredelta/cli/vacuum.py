"""`puredelta vacuum`: deletes files that no version within the retention needs, without Spark."""

import sys

import click

from puredelta.cli import options as shared
from puredelta.cli.output.cells import print_json, printable_lines
from puredelta.errors.classes import DeltaTableNotFoundError


@click.command()
@shared.path
@click.option(
    "--retain-hours",
    type=click.FloatRange(min=0),
    metavar="N",
    help="Keep files that versions of the last N hours need; by default as the table says.",
)
@click.option("--lite", is_flag=True, help="Find the files in the log, without listing the folder.")
@click.option("--dry-run", is_flag=True, help="Delete nothing, and print what would be deleted.")
@click.option("--yes", is_flag=True, help="Do not ask before deleting.")
@click.option(
    "--no-retention-check",
    is_flag=True,
    help="Accept a retention shorter than the table's. Running queries and writes may then fail.",
)
@shared.store_options
@shared.report_format
def vacuum(
    *,
    path: str,
    retain_hours: float | None,
    lite: bool,
    dry_run: bool,
    yes: bool,
    no_retention_check: bool,
    options: dict[str, str],
    as_json: bool,
) -> None:
    """Delete files of the table that no version within the retention needs.

    In a terminal it first prints what would be deleted, and asks. Exits with 0 when all of it is
    deleted, and with 1 when it could not be, or was not wanted.
    """
    from puredelta.log.table_log import open_log
    from puredelta.maintenance.vacuum.request import VacuumRequest
    from puredelta.maintenance.vacuum.run import Vacuum
    from puredelta.maintenance_settings import VacuumSettings

    log = open_log(path, options)
    if not log.exists():
        raise DeltaTableNotFoundError("DELTA_PATH_DOES_NOT_EXIST", path=path)
    work = Vacuum(
        log=log,
        label=path,
        request=VacuumRequest(lite=lite, retain_hours=retain_hours),
        settings=VacuumSettings(retention_check=not no_retention_check),
    )
    if dry_run or (not yes and is_terminal()):
        preview = work.preview()
        if dry_run:
            _print(preview.as_dict(), str(preview), as_json=as_json)
            return
        click.echo(printable_lines(str(preview)), err=True)
        if preview.paths and not click.confirm("Delete these files?", err=True):
            sys.exit(1)
    done = work.run()
    _print(done.as_dict(), str(done), as_json=as_json)
    if done.failed:
        click.echo(f"error: {done.failed:,} files could not be deleted", err=True)
        sys.exit(1)


def is_terminal() -> bool:
    """Say whether there is someone to ask."""
    return sys.stdin.isatty()


def _print(facts: dict[str, object], text: str, *, as_json: bool) -> None:
    if as_json:
        print_json(facts)
    else:
        click.echo(printable_lines(text))
