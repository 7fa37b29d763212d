"""The commands of `puredelta`: what a table holds, is it whole, what does this machine lack."""

import json
import sys
from typing import Any, NoReturn

import click

from puredelta._util.progress import AUTO, ask_mode
from puredelta.cli import options as shared
from puredelta.cli.cache import cache
from puredelta.cli.completion import completion
from puredelta.cli.convert import convert
from puredelta.cli.diff import diff
from puredelta.cli.generate import generate
from puredelta.cli.health import health
from puredelta.cli.lists import checkpoints, files, history, partitions, stats
from puredelta.cli.optimize import optimize
from puredelta.cli.output import render
from puredelta.cli.output.cells import printable_lines
from puredelta.cli.plot import plot
from puredelta.cli.restore import restore
from puredelta.cli.rows import head, schema
from puredelta.cli.serve import serve
from puredelta.cli.size import size
from puredelta.cli.vacuum import vacuum
from puredelta.cli.ways import conf, jar
from puredelta.errors.classes import DeltaError

_FINDERS = ("check", "health")


class _Group(click.Group):
    """Prints an error of ours as one, without a traceback, and exits with 1 or 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except DeltaError as error:
            # Their exit code 1 means that they found something.
            status = 2 if ctx.invoked_subcommand in _FINDERS else 1
            _fail(error, status, as_json=shared.is_json_wanted(ctx))


def _fail(error: DeltaError, status: int, *, as_json: bool) -> NoReturn:
    if as_json:
        facts = {
            "condition": error.condition,
            "sqlState": error.sql_state,
            "message": error.message,
            "parameters": error.parameters,
        }
        click.echo(json.dumps({"error": facts}), err=True)
    else:
        click.echo(printable_lines(f"error: {error}"), err=True)
    sys.exit(status)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="puredelta", message="%(prog)s %(version)s")
@shared.no_pager
def main() -> None:
    """Look at Delta tables, make them of Parquet, and keep them well, without Spark.

    PATH is a folder or the URL of one: file://, s3://, gs://, az://, abfss://.
    """
    ask_mode(lambda: AUTO)


@main.command()
@shared.path
@shared.store_options
@shared.version
@shared.report_format
def detail(
    path: str,
    options: dict[str, str],
    version: int | None,
    timestamp: str | None,
    as_json: bool,
) -> None:
    """Print what the table is: schema, size, properties, protocol."""
    from puredelta.log import open_table
    from puredelta.schema.codec import schema_to_json

    table = open_table(path, version, timestamp, options)
    schema = {"columns": table.columns(), "schema": json.loads(schema_to_json(table.schema))}
    render.print_detail({**table.detail(), **schema}, as_json=as_json)


@main.command()
@shared.path
@shared.store_options
@shared.version
@shared.output_format
def protocol(
    path: str,
    options: dict[str, str],
    version: int | None,
    timestamp: str | None,
    form: str,
) -> None:
    """Print the protocol of the table: versions, features, and what puredelta does with each."""
    from puredelta.log import open_table
    from puredelta.table.protocol.protocol_report import protocol_rows

    table = open_table(path, version, timestamp, options)
    render.print_protocol(protocol_rows(table.protocol, table.metadata), form)


@main.command()
@shared.path
@shared.store_options
@click.option("--quick", is_flag=True, help="Read footers of data files in place of all rows.")
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=3,
    show_default=True,
    metavar="N",
    help="Print N findings of each kind, or all of them with 0; other formats have all.",
)
@shared.output_format
def check(path: str, options: dict[str, str], quick: bool, examples: int, form: str) -> None:
    """Check that the table is whole: log, files, statistics, deletion vectors.

    Exits with 0 when it is, with 1 when there are errors or warnings, and with 2 when it cannot be
    checked.
    """
    from puredelta.table.check import check_table

    report = check_table(path, quick=quick, storage_options=options)
    render.print_check(report.as_dict(), examples, form)
    sys.exit(0 if report.is_sound else 1)


@main.command()
@shared.report_format
def doctor(as_json: bool) -> None:
    """Check what Spark needs on this machine; exit with 1 when something is wrong."""
    from puredelta.cli.doctor import examine

    report = examine()
    render.print_report(report, as_json=as_json)
    sys.exit(1 if report["problems"] else 0)


_COMMANDS = [
    *(cache, checkpoints, completion, conf, convert, diff, files, generate, head, health, history),
    *(jar, optimize, partitions, plot, restore, schema, serve, size, stats, vacuum),
]
for _command in _COMMANDS:
    main.add_command(_command)
