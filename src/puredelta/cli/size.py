"""`puredelta size`: what lies in the folder of a table, by kind, without Spark."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from puredelta._util.printable_text import printable
from puredelta._util.size_text import size_text
from puredelta.cli import options as shared
from puredelta.cli.output.cells import print_json
from puredelta.cli.output.listing import JSON, TABLE, Listing, print_listing, table_pieces
from puredelta.cli.output.terminal import show

if TYPE_CHECKING:
    from puredelta.maintenance.folder_sizes import FolderSizes


@click.command()
@shared.path
@shared.store_options
@shared.output_format
def size(*, path: str, options: dict[str, str], form: str) -> None:
    """Print what lies in the folder of the table, by kind: files and bytes.

    The kinds are data files and deletion vectors of the latest version, the files of older
    versions (for time travel), change data, the log, its checkpoints, files that the log does not
    name (unreferenced), hidden files (other), and data files outside of the folder (elsewhere).
    """
    from puredelta.log import open_table
    from puredelta.maintenance.folder_sizes import folder_sizes

    found = folder_sizes(open_table(path, storage_options=options).snapshot)
    rows = [
        {"kind": each.kind.value, "files": each.files, "bytes": each.size} for each in found.kinds
    ]
    if form == JSON:
        facts = {"table": found.table, "version": found.version, "files": found.files}
        print_json({**facts, "bytes": found.size, "missing": found.missing, "kinds": rows})
    elif form == TABLE:
        show(_text(found))
    else:
        print_listing(Listing(names=["kind", "files", "bytes"], rows=rows), form)


def _text(found: "FolderSizes") -> Iterator[str]:
    yield f"{printable(found.table)}, version {found.version}\n"
    in_folder = [
        (each.kind.value, each.files, each.size, f"{each.size / (found.size or 1):.1%}")
        for each in found.kinds
        if each.files and each not in found.elsewhere
    ]
    outside = [(each.kind.value, each.files, each.size, "") for each in found.elsewhere]
    lines = [*in_folder, ("in the folder", found.files, found.size, ""), *outside]
    # Sizes have units, and stand to the right like numbers.
    rows = [
        {"kind": kind, "files": f"{files:,}".rjust(9), "size": size_text(size).rjust(11)}
        | {"share": share.rjust(6)}
        for kind, files, size, share in lines
    ]
    names = {"files": "    files", "size": "       size", "share": " share"}
    yield from table_pieces(Listing(names=["kind", *names], headers=names, rows=rows))
    if found.missing:
        count = f"{found.missing:,} file{'' if found.missing == 1 else 's'}"
        yield f"{count} of the latest version missing: puredelta check says which\n"
