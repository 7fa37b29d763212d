"""`puredelta generate`: manifests of a table's files for other engines, without Spark."""

import click

from puredelta._util.printable_text import printable
from puredelta.cli import options as shared
from puredelta.cli.output.cells import print_json


@click.command()
@shared.path
@shared.time_zone("The zone in which names of folders show points in time: Europe/Oslo.")
@shared.store_options
@shared.report_format
def generate(*, path: str, zone: str, options: dict[str, str], as_json: bool) -> None:
    """Write manifests, by which engines that do not know Delta tables find the data files."""
    from puredelta.log import open_table
    from puredelta.maintenance.manifest import FOLDER, ManifestNames, write_manifests

    snapshot = open_table(path, storage_options=options).snapshot
    count = write_manifests(snapshot, ManifestNames(zone=zone))
    folder = f"{snapshot.store.url}/{FOLDER}"
    if as_json:
        print_json({"folder": folder, "manifests": count, "version": snapshot.version})
    else:
        click.echo(f"{count:,} manifests in {printable(folder)}")
