"""`puredelta head` and `puredelta schema`: the first rows of a table, and its columns."""

import click

from puredelta.cli import options as shared
from puredelta.cli import render
from puredelta.cli.pages import print_rows


@click.command()
@shared.path
@shared.store_options
@shared.version
@click.option(
    "-n", "--limit", type=click.IntRange(min=1), default=10, show_default=True, help="So many rows."
)
@click.option("--columns", help="Only these columns, such as id,name.")
@shared.as_json
def head(
    path: str,
    options: dict[str, str],
    version: int | None,
    timestamp: str | None,
    limit: int,
    columns: str | None,
    as_json: bool,
) -> None:
    """Print rows of the table, those of the first files; no more of them is read."""
    from puredelta.rows.open_table import open_table

    table = open_table(path, version, timestamp, options)
    names = None if columns is None else [name.strip() for name in columns.split(",")]
    print_rows(table.head(limit, names), "rows", limit=None, as_json=as_json)


@click.command()
@shared.path
@shared.store_options
@shared.version
@shared.as_json
def schema(
    path: str,
    options: dict[str, str],
    version: int | None,
    timestamp: str | None,
    as_json: bool,
) -> None:
    """Print the columns of the table: name, type, nullability, place in the partitioning."""
    from puredelta.log import open_table

    render.print_columns(open_table(path, version, timestamp, options).columns(), as_json=as_json)
