"""`puredelta head` and `puredelta schema`: the first rows of a table, and its columns."""

from collections.abc import Iterator

import click
import pyarrow as pa

from puredelta.cli import options as shared
from puredelta.cli.output import render
from puredelta.cli.output.arrow_pages import are_plain
from puredelta.cli.output.listing import Listing, print_listing

_BATCH = 65_536


@click.command()
@shared.path
@shared.store_options
@shared.version
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=0),
    default=10,
    show_default=True,
    metavar="N",
    help="Print N rows at most, or all of them with 0.",
)
@click.option("--columns", help="Only these columns, such as id,name.")
@click.option(
    "--where",
    metavar="FILTER",
    help="Only rows for which it is true, in SQL: \"month = 3 AND name LIKE 'A%'\"; =, <>, <, <=, "
    ">, >=, <=>, IN, BETWEEN, LIKE, IS NULL, IS TRUE, AND, OR and NOT are known.",
)
@shared.time_zone("The zone of timestamps in --where that name none: Europe/Oslo.")
@shared.output_format
def head(  # noqa: PLR0913  # click passes each option
    *,
    path: str,
    options: dict[str, str],
    version: int | None,
    timestamp: str | None,
    limit: int,
    columns: str | None,
    where: str | None,
    zone: str,
    form: str,
) -> None:
    """Print rows of the table, those of the first files; no more of them is read."""
    from puredelta.rows.filters import text_filter
    from puredelta.rows.open_table import open_table

    table = open_table(path, version, timestamp, options)
    names = None if columns is None else [name.strip() for name in columns.split(",")]
    wanted = None if where is None else text_filter(where, table.schema, zone)
    size = min(limit + 1, _BATCH) if limit and wanted is None else _BATCH
    rows = table.to_batches(names, wanted, batch_size=size)
    first = _FirstRows(rows, limit)
    listing = Listing(
        names=rows.schema.names,
        batches=first,
        is_plain=are_plain(rows.schema.types),
        note=first.note,
    )
    print_listing(listing, form)


class _FirstRows:
    """The first rows of a stream, and whether there are more; nothing after them is read."""

    def __init__(self, rows: pa.RecordBatchReader, limit: int) -> None:
        self._rows = rows
        self._limit = limit
        self._has_more = False

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        left = self._limit
        for batch in self._rows:
            if not self._limit:
                yield batch
                continue
            yield batch.slice(0, left)
            left -= batch.num_rows
            # A row more than wanted says that there are more.
            if left < 0:
                self._has_more = True
                return

    def note(self) -> str | None:
        """Return the sentence that says that there are more rows; None where there are not."""
        if not self._has_more:
            return None
        return f"the first {self._limit:,} rows; -n N for more, -n 0 for all"


@click.command()
@shared.path
@shared.store_options
@shared.version
@shared.output_format
def schema(
    path: str,
    options: dict[str, str],
    version: int | None,
    timestamp: str | None,
    form: str,
) -> None:
    """Print the columns of the table: name, type, nullability, place in the partitioning."""
    from puredelta.log import open_table

    render.print_columns(open_table(path, version, timestamp, options).columns(), form)
