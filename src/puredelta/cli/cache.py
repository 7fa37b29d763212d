"""`puredelta cache`: compiled adapters and Spark's classes, kept on this machine, and deleted."""

import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import click

from puredelta._util.printable_text import printable
from puredelta._util.size_text import size_text
from puredelta.cli import options as shared
from puredelta.cli.output.cells import print_json, printable_lines
from puredelta.cli.output.listing import Listing, print_listing

if TYPE_CHECKING:
    from puredelta.engine.bridge.cached_files import CachedFile

_NAMES = ("path", "bytes", "modified")


@click.group()
def cache() -> None:
    """Show or delete what is kept on this machine: compiled adapters, and Spark's classes.

    The adapters are compiled once for a version of Spark and of puredelta: within seconds they are
    compiled again. Spark's classes are kept by `puredelta cache classes`. The folder is that of
    PUREDELTA_CACHE_DIR, otherwise $XDG_CACHE_HOME/puredelta, otherwise ~/.cache/puredelta.
    """


@cache.command(name="list")
@shared.output_format
def list_files(form: str) -> None:
    """Print the files: path, bytes, time."""
    rows = [_row(file) for file in _kept()]
    print_listing(Listing(names=_NAMES, rows=rows), form)


@cache.command()
def classes() -> None:
    """Keep the classes that Spark loads, so that sessions start in less time.

    It runs a session for half a minute, and keeps some 180 MB. Sessions that `puredelta.configure`
    starts use them, as long as neither Spark nor Java changes; after an upgrade, run it again.
    """
    from puredelta.engine.bridge.class_archive import make_archive

    path = make_archive()
    click.echo(_text([file for file in _kept() if file.path == path], "kept"))


@cache.command()
@shared.dry_run
@shared.yes
@shared.report_format
def clear(dry_run: bool, yes: bool, as_json: bool) -> None:
    """Delete the files, and those that old sessions left in temporary folders.

    On a terminal it first prints what would be deleted, and asks. A running session keeps what it
    has loaded.
    """
    from puredelta.engine.bridge.cached_files import delete_cached

    files = _kept()
    if not dry_run and files:
        shared.confirm(lambda: _text(files, "to delete"), is_confirmed=yes or as_json)
    failed = [] if dry_run else delete_cached(files)
    gone = [file for file in files if file not in failed]
    if as_json:
        names = {"deleted": [] if dry_run else gone, "found": files, "failed": failed}
        print_json({name: [_row(file) for file in found] for name, found in names.items()})
    else:
        click.echo(_text(gone, "would be deleted" if dry_run else "deleted"))
    for file in failed:
        click.echo(f"error: {printable(str(file.path))} could not be deleted", err=True)
    sys.exit(1 if failed else 0)


def _kept() -> "list[CachedFile]":
    from puredelta.engine.bridge.cached_files import cached_files

    return cached_files()


def _row(file: "CachedFile") -> dict[str, object]:
    written = datetime.fromtimestamp(file.modified_ms / 1000, timezone.utc)
    text = written.isoformat(timespec="seconds").replace("+00:00", "Z")
    return {"path": str(file.path), "bytes": file.size, "modified": text}


def _text(files: "list[CachedFile]", what: str) -> str:
    lines = [f"{file.path}  {size_text(file.size)}" for file in files]
    total = size_text(sum(file.size for file in files))
    count = f"{len(files):,} file{'' if len(files) == 1 else 's'}"
    return printable_lines("\n".join([*lines, f"{count}, {total} {what}"]))
