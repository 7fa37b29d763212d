"""`puredelta jar` and `puredelta conf`: what a Spark that no Python configures is started with."""

import json
import shlex
import shutil
import sys
from pathlib import Path

import click

from puredelta.cli import options as shared


@click.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, writable=True, path_type=Path),
    help="A folder into which the jar is copied, for example one that all nodes see.",
)
def jar(out: Path | None) -> None:
    """Print the path of the jar of adapters for the Spark that is installed (or SPARK_HOME).

    It is compiled when it is not there yet, which takes two seconds and no session.
    """
    click.echo(_jar(out))


@click.command()
@click.option(
    "--spark-defaults", "form", flag_value="defaults", help="As lines of spark-defaults.conf."
)
@click.option(
    "--submit",
    "form",
    flag_value="submit",
    default=True,
    help="As options of spark-submit, spark-sql and the other shells (the default).",
)
@click.option(
    "--python", "python", help="The Python in which Delta statements run; this one if left out."
)
@shared.report_format
def conf(form: str, python: str | None, as_json: bool) -> None:
    """Print the settings with which any Spark speaks Delta: shells, servers, submitted jobs."""
    from puredelta.engine.bridge import session_settings as names

    adapters = _jar(None)
    settings = {
        names.EXTENSIONS: names.OUR_EXTENSION,
        names.CATALOG: names.OUR_CATALOG,
        names.JARS: str(adapters),
        names.DRIVER_CLASSES: str(adapters),
        "spark.puredelta.python": python or sys.executable,
    }
    if as_json:
        click.echo(json.dumps(settings, indent=2))
    elif form == "defaults":
        click.echo("\n".join(f"{key} {value}" for key, value in settings.items()))
    else:
        click.echo(
            " ".join(f"--conf {shlex.quote(f'{key}={value}')}" for key, value in settings.items())
        )


def _jar(out: Path | None) -> Path:
    from puredelta.engine.bridge.gateway import build_adapters

    built = build_adapters()
    if out is None:
        return built
    out.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(built, out))
