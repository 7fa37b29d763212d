"""`puredelta convert`: a folder of Parquet becomes a Delta table, without Spark."""

import sys

import click

from puredelta.cli import options as shared
from puredelta.cli.output import render


@click.command()
@shared.path
@click.option(
    "--from",
    "source_format",
    type=click.Choice(["parquet", "iceberg"]),
    default="parquet",
    show_default=True,
    help="What the folder holds.",
)
@click.option(
    "--partitioned-by",
    metavar="COLUMNS",
    help="The partition columns with their types, as SQL has them: 'day DATE, country STRING'.",
)
@click.option(
    "--infer-partitions/--no-infer-partitions",
    "infers",
    default=True,
    show_default=True,
    help="Take the partition columns from the names of folders, if none are given.",
)
@shared.time_zone(
    "Where points in time in names of folders were written that name no zone: Europe/Oslo."
)
@click.option(
    "--leave-out-partitions",
    is_flag=True,
    help="Convert an Iceberg table without those of its partitions that a Delta table cannot have.",
)
@click.option(
    "--delta-path",
    metavar="FOLDER",
    help="The folder of the Delta table, where it is not that of the files.",
)
@click.option("--no-statistics", is_flag=True, help="Leave statistics out of the log.")
@click.option("--dry-run", is_flag=True, help="Look what would become of it, and write nothing.")
@click.option(
    "--on-bad-file",
    type=click.Choice(["fail", "skip"]),
    default="fail",
    show_default=True,
    help="What happens when a file cannot become part of the table.",
)
@shared.store_options
@shared.report_format
def convert(  # noqa: PLR0913  # click passes each option
    *,
    path: str,
    source_format: str,
    partitioned_by: str | None,
    infers: bool,
    zone: str,
    leave_out_partitions: bool,
    delta_path: str | None,
    no_statistics: bool,
    dry_run: bool,
    on_bad_file: str,
    options: dict[str, str],
    as_json: bool,
) -> None:
    """Make a Delta table of a folder of Parquet, in place: no data file is moved or rewritten.

    Exits with 0 when the folder is a Delta table, or could become one, and with 1 otherwise.
    """
    from puredelta.conversion.convert import ConvertToDeltaCommandBase
    from puredelta.conversion.partitions.clause import partition_columns
    from puredelta.conversion.request import ConversionSettings, ConvertRequest
    from puredelta.conversion.source_table import target_at

    request = ConvertRequest(
        partition_schema=None if partitioned_by is None else partition_columns(partitioned_by),
        infer_partitions=infers,
        collect_stats=not no_statistics,
        dry_run=dry_run,
        on_bad_file=on_bad_file,
        delta_path=delta_path,
    )
    target = target_at(source_format, path, label=path, options=options)
    settings = ConversionSettings(
        zone=zone,
        iceberg_evolution=leave_out_partitions,
        iceberg_transforms_left_out=leave_out_partitions,
    )
    report = ConvertToDeltaCommandBase(target=target, request=request, settings=settings).run()
    render.print_conversion(report.as_dict(), str(report), as_json=as_json)
    sys.exit(0 if report.would_succeed else 1)
