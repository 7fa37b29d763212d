"""`puredelta diff`: how two versions of a table differ, without Spark."""

from itertools import chain

import click

from puredelta.cli import options as shared
from puredelta.cli.output.cells import print_json, printable_lines
from puredelta.cli.output.listing import (
    JSON,
    TABLE,
    listing_of,
    print_listing,
    row_pages,
    table_pieces,
)
from puredelta.cli.output.terminal import show


@click.command()
@shared.path
@click.argument("before", metavar="V1", type=click.IntRange(min=0))
@click.argument("after", metavar="[V2]", type=click.IntRange(min=0), required=False)
@click.option("--files", "has_files", is_flag=True, help="Print the files that differ as well.")
@shared.store_options
@shared.limit("files")
@shared.output_format
def diff(
    path: str,
    before: int,
    after: int | None,
    has_files: bool,
    options: dict[str, str],
    limit: int | None,
    form: str,
) -> None:
    """Print how version V2 differs from V1: files, rows, schema, properties, protocol.

    V2 is the latest version if it is left out; it may be the older one. The formats ndjson and csv
    have the files that differ, a row each; the others have them with --files.
    """
    from puredelta.log import open_table
    from puredelta.maintenance.version_difference import version_difference

    one = open_table(path, before, storage_options=options)
    other = open_table(path, after, storage_options=options)
    found = version_difference(one.snapshot, other.snapshot)
    listing = listing_of(found.files, "files that differ", limit=limit, form=form)
    if form == JSON:
        rows = [row for page in row_pages(listing) for row in page] if has_files else []
        print_json(found.as_dict() | ({"files": rows} if has_files else {}))
    elif form == TABLE:
        summary = f"{printable_lines(str(found))}\n"
        pieces = table_pieces(listing) if has_files and found.files.num_rows else ()
        show(chain([summary], ["\n"] if pieces else [], pieces))
    else:
        print_listing(listing, form)
