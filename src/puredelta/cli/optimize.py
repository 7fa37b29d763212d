"""`puredelta optimize --dry-run`: which small files OPTIMIZE would put together, without Spark."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from puredelta.cli import options as shared
from puredelta.cli.output.cells import print_json, printable_lines
from puredelta.errors.classes import DeltaAnalysisError

if TYPE_CHECKING:
    from puredelta.table.skipping.predicate import Condition


def _parsed(given: Sequence[str]) -> "Condition":
    from puredelta.maintenance.partition_predicate import parse_predicate
    from puredelta.table.skipping.predicate import And

    try:
        return And(tuple(map(parse_predicate, given)))
    except DeltaAnalysisError as reason:
        raise click.BadParameter(reason.message) from reason


@click.command()
@shared.path
@click.option(
    "--dry-run",
    is_flag=True,
    help="Required: rows are rewritten by Spark alone, with SQL or DeltaTable.optimize().",
)
@click.option(
    "--where",
    "wanted",
    multiple=True,
    metavar="PREDICATE",
    callback=lambda _context, _parameter, given: _parsed(given),
    help='Only partitions for which it is true, such as "day >= 2024-05-01"; =, <, IN, BETWEEN, '
    "IS NULL, AND, OR and NOT are known. Several must all hold.",
)
@click.option(
    "--min-file-size",
    type=click.IntRange(min=1),
    default=1 << 30,
    show_default=True,
    help="Files with fewer bytes are put together.",
)
@click.option(
    "--max-file-size",
    type=click.IntRange(min=1),
    default=1 << 30,
    show_default=True,
    help="Files that are put together have so many bytes at most.",
)
@shared.store_options
@shared.report_format
def optimize(  # click passes each option
    *,
    path: str,
    dry_run: bool,
    wanted: "Condition",
    min_file_size: int,
    max_file_size: int,
    options: dict[str, str],
    as_json: bool,
) -> None:
    """Print which small files OPTIMIZE would put together: files and bytes, by partition."""
    if not dry_run:
        raise click.UsageError(
            "rows are rewritten by Spark: run OPTIMIZE there, or add --dry-run to see what it does"
        )
    from puredelta.log import open_table
    from puredelta.maintenance.compaction import CompactionLimits, preview_compaction

    preview = preview_compaction(
        open_table(path, storage_options=options).snapshot,
        CompactionLimits(min_file_size=min_file_size, max_file_size=max_file_size),
        table=path,
        wanted=wanted,
    )
    if as_json:
        print_json(asdict(preview))
    else:
        click.echo(printable_lines(str(preview)))
