"""`puredelta health`: what makes a table slow or large, and what mends it, without Spark."""

import sys

import click

from puredelta.cli import options as shared
from puredelta.cli.output.cells import print_json, printable_lines


@click.command()
@shared.path
@shared.store_options
@shared.report_format
def health(*, path: str, options: dict[str, str], as_json: bool) -> None:
    """Report what makes the table slow or large, with the statements that mend it.

    Exits with 0 when there is nothing to mend, and with 1 otherwise.
    """
    from puredelta.log import open_table
    from puredelta.maintenance.health.examination import examine_table

    snapshot = open_table(path, storage_options=options).snapshot
    report = examine_table(snapshot, f"delta.`{path}`")
    if as_json:
        print_json(report.as_dict())
    else:
        click.echo(printable_lines(str(report)))
    sys.exit(0 if report.is_healthy else 1)
