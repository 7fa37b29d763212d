"""The commands that list what the log has: commits, files, partitions, statistics, checkpoints."""

import click

from puredelta.cli import options as shared
from puredelta.cli.output import render
from puredelta.cli.output.listing import bound, listing_of, print_listing


@click.command()
@shared.path
@shared.store_options
@shared.limit("commits")
@shared.output_format
def history(path: str, options: dict[str, str], limit: int | None, form: str) -> None:
    """Print the commits of the table, the newest first."""
    from puredelta.log import open_table
    from puredelta.log.listing import list_log

    table = open_table(path, storage_options=options)
    total = len(list_log(table.log.store).commits)
    render.print_history(table.history(bound(limit, form)), total, form)


@click.command()
@shared.path
@shared.store_options
@shared.version
@shared.limit("files")
@shared.output_format
def files(
    path: str,
    options: dict[str, str],
    version: int | None,
    timestamp: str | None,
    limit: int | None,
    form: str,
) -> None:
    """Print the data files of the table: path, size, rows, partition."""
    from puredelta.log import open_table

    listed = open_table(path, version, timestamp, options).files()
    print_listing(listing_of(listed, "files", limit=limit, form=form), form)


@click.command()
@shared.path
@shared.store_options
@shared.version
@shared.limit("partitions")
@shared.output_format
def partitions(
    path: str,
    options: dict[str, str],
    version: int | None,
    timestamp: str | None,
    limit: int | None,
    form: str,
) -> None:
    """Print the partitions of the table: values, files, bytes, rows."""
    from puredelta.log import open_table

    listed = open_table(path, version, timestamp, options).partitions()
    print_listing(listing_of(listed, "partitions", limit=limit, form=form), form)


@click.command()
@shared.path
@shared.store_options
@shared.version
@click.option("--column", help="Only this column, such as a.b, with bounds in its type.")
@shared.limit("rows")
@shared.output_format
def stats(
    path: str,
    options: dict[str, str],
    version: int | None,
    timestamp: str | None,
    column: str | None,
    limit: int | None,
    form: str,
) -> None:
    """Print the statistics of the table, a row a file and column: bounds, nulls, rows."""
    from puredelta.log import open_table

    listed = open_table(path, version, timestamp, options).stats(column)
    print_listing(listing_of(listed, "statistics", limit=limit, form=form), form)


@click.command()
@shared.path
@shared.store_options
@shared.limit("checkpoints")
@shared.output_format
def checkpoints(path: str, options: dict[str, str], limit: int | None, form: str) -> None:
    """Print the checkpoints of the log, the newest first: version, kind, size, rows."""
    from puredelta.log import open_table

    listed = open_table(path, storage_options=options).checkpoints()
    print_listing(listing_of(listed, "checkpoints", limit=limit, form=form), form)
