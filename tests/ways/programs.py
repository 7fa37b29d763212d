"""Programs of Spark's that no Python of ours starts, run as a user would run them."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pyspark

import puredelta

SPARK_HOME = Path(pyspark.__file__).parent
PACKAGES = Path(puredelta.__file__).parents[1]
AS_DELTA = Path(__file__).parents[2] / "packages/puredelta-as-delta/src"

# Two tasks at a time, and no page for people.
SMALL = {
    "spark.master": "local[2]",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
}


@cache
def settings() -> dict[str, str]:
    """Return what `puredelta conf` prints."""
    done = subprocess.run(
        [sys.executable, "-m", "puredelta", "conf", "--json"],
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def environment(**more: str) -> dict[str, str]:
    """Return the variables of the environment that programs are started with."""
    path = os.pathsep.join([str(PACKAGES), str(AS_DELTA)])
    return {**os.environ, "SPARK_HOME": str(SPARK_HOME), "PYTHONPATH": path, **more}


def command(
    program: str,
    arguments: Sequence[str],
    folder: Path,
    conf: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the command that runs a program of Spark's; see `run`."""
    given = {
        **settings(),
        **SMALL,
        "spark.sql.warehouse.dir": str(folder / "tables"),
        **(conf or {}),
    }
    options = [part for key, value in given.items() for part in ("--conf", f"{key}={value}")]
    return [str(SPARK_HOME / "bin" / program), *options, *arguments]


def run(
    program: str,
    arguments: Sequence[str],
    folder: Path,
    conf: Mapping[str, str] | None = None,
    typed: str | None = None,
    **more: str,
) -> subprocess.CompletedProcess[str]:
    """Run a program of Spark's in a folder, with the settings of `puredelta conf`.

    Args:
        program: in Spark's folder `bin`.
        arguments: after the settings.
        folder: where tables go.
        conf: settings over those.
        typed: what its input has.
        more: variables of the environment.
    """
    return subprocess.run(
        command(program, arguments, folder, conf),
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=300,
        env=environment(**more),
    )


def run_python(
    text: str, *arguments: object, folder: Path | None = None, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a script in this Python.

    Args:
        text: the script.
        arguments: what `sys.argv` has after the first.
        folder: the working folder.
        more: variables of the environment.
    """
    return subprocess.run(
        [sys.executable, "-c", text, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=300,
        env=environment(**more),
    )


def beeline(port: int, folder: Path, text: str) -> str:
    """Run statements by the JDBC driver of Java; return what it printed, rows with tabs."""
    statements = folder / "statements.sql"
    statements.write_text(text)
    done = subprocess.run(
        [
            SPARK_HOME / "bin/beeline",
            *("-u", f"jdbc:hive2://127.0.0.1:{port}", "-n", "anyone", "-f", statements),
            *("--silent=true", "--outputformat=tsv2", "--showHeader=false"),
        ],
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    return done.stdout
