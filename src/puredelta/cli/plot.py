"""`puredelta plot`: growth, file sizes and partitions as bars in the terminal, or as a picture."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click
from rich.bar import Bar
from rich.console import Console
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from puredelta._util.printable_text import printable
from puredelta.cli import options as shared
from puredelta.cli.output.cells import print_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from puredelta.plots.partitions import Measure

_NARROW = 80
_MOST_ROWS = 40
_BAR = 24

_save = click.option(
    "--save",
    metavar="FILE",
    type=click.Path(dir_okay=False, writable=True),
    help='Write a picture in place of bars: .png, .svg, .pdf. Needs "puredelta[plots]".',
)


class _BarRow(NamedTuple):
    """A row of bars.

    Attributes:
        name: what the row is about.
        amounts: how long its bars are, and their text; None where an amount is not known.
    """

    name: str
    amounts: Sequence[tuple[float | None, str]]


@click.group()
def plot() -> None:
    """Draw a table: its versions, its file sizes, its partitions."""


@plot.command()
@shared.path
@shared.store_options
@shared.version
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=_MOST_ROWS,
    show_default=True,
    metavar="N",
    help="Draw the N newest versions, or all of them with 0.",
)
@_save
@shared.report_format
def versions(
    path: str,
    options: dict[str, str],
    version: int | None,
    timestamp: str | None,
    limit: int,
    save: str | None,
    as_json: bool,
) -> None:
    """Draw rows and bytes over the versions of the table, the oldest first."""
    from puredelta._util.size_text import size_text
    from puredelta.rows.open_table import open_table

    table = open_table(path, version, timestamp, options)
    if save is not None:
        _write(table.plot.versions(limit or None), save)
        return
    rows = table.versions(limit or None).to_pylist()
    if as_json:
        print_json(rows)
        return
    width = len(str(table.version))
    bars = [
        _BarRow(
            f"{row['version']:>{width}} {row['operation'] or ''}",
            [
                (row["num_rows"], "unknown" if row["num_rows"] is None else f"{row['num_rows']:,}"),
                (row["size"], size_text(row["size"])),
            ],
        )
        for row in rows
    ]
    _print_bars("version", ["rows", "bytes"], bars)
    first = rows[0]["version"]
    if len(rows) == limit and first > 0:
        click.echo(f"from version {first} on; --limit 0 shows all")


@plot.command()
@shared.path
@shared.store_options
@shared.version
@_save
@shared.report_format
def sizes(
    path: str,
    options: dict[str, str],
    version: int | None,
    timestamp: str | None,
    save: str | None,
    as_json: bool,
) -> None:
    """Draw how many files of the table are how large."""
    from puredelta._util.size_text import size_text
    from puredelta.plots.canvas import tick_text
    from puredelta.plots.sizes import size_bins, sizes_summary
    from puredelta.rows.open_table import open_table

    table = open_table(path, version, timestamp, options)
    if save is not None:
        _write(table.plot.sizes(), save)
        return
    files = table.files()
    bins = size_bins(files)
    if as_json:
        print_json([each._asdict() for each in bins])
        return
    bars = [
        _BarRow(
            f"{tick_text(each.low)} to {tick_text(each.high)}",
            [(each.files, f"{each.files:,}"), (each.size, size_text(each.size))],
        )
        for each in bins
    ]
    _print_bars("size of file", ["files", "bytes"], bars)
    click.echo(sizes_summary(files))


@plot.command()
@shared.path
@shared.store_options
@shared.version
@click.option(
    "--by",
    type=click.Choice(["size", "num_records", "num_files"]),
    default="size",
    show_default=True,
    help="What partitions are compared by.",
)
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="So many.")
@_save
@shared.report_format
def partitions(
    path: str,
    options: dict[str, str],
    version: int | None,
    timestamp: str | None,
    by: "Measure",
    limit: int,
    save: str | None,
    as_json: bool,
) -> None:
    """Draw the largest partitions of the table, the largest first."""
    from puredelta.plots.partitions import (
        MEASURES,
        amount_text,
        largest_partitions,
        partitions_summary,
    )
    from puredelta.rows.open_table import open_table

    table = open_table(path, version, timestamp, options)
    if save is not None:
        _write(table.plot.partitions(by), save)
        return
    listed = table.partitions()
    shares = largest_partitions(listed, by, limit)
    if as_json:
        print_json([{"partition": each.partition, by: each.amount} for each in shares])
        return
    bars = [
        _BarRow(each.partition, [(each.amount, amount_text(each.amount, by))]) for each in shares
    ]
    _print_bars("partition", [MEASURES[by]], bars)
    click.echo(partitions_summary(listed, by))


def _write(figure: "Figure", path: str) -> None:
    try:
        figure.savefig(path)
    except (ValueError, OSError) as error:
        # matplotlib names the formats that it knows.
        raise click.BadParameter(str(error), param_hint="--save") from error
    click.echo(f"wrote {printable(path)}")


def _print_bars(what: str, heads: Sequence[str], rows: Sequence[_BarRow]) -> None:
    """Print rows of bars; those of one column have one scale."""
    # Bars that are piped get the width of a plain terminal.
    console = Console(width=None if sys.stdout.isatty() else _NARROW, highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(what, overflow="ellipsis", no_wrap=True)
    longest = []
    for number, head in enumerate(heads):
        table.add_column(head, justify="right", no_wrap=True)
        table.add_column("", max_width=_BAR, ratio=1)
        longest.append(max((row.amounts[number][0] or 0 for row in rows), default=0))
    for row in rows:
        cells: list[Text | Bar | ProgressBar] = [Text(printable(row.name))]
        for (amount, text), most in zip(row.amounts, longest, strict=True):
            cells += [Text(text), _bar(console, amount or 0, most)]
        table.add_row(*cells)
    console.print(table)


def _bar(console: Console, amount: float, most: float) -> Bar | ProgressBar:
    if console.options.ascii_only:
        # Blocks are in Unicode only.
        return ProgressBar(total=most or 1, completed=amount)
    return Bar(most or 1, 0, amount, color="blue")
