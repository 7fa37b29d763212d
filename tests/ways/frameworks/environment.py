"""The environment that `make test-frameworks` makes, and programs that run in it."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.ways.programs import PACKAGES

_CHECKOUT = Path(__file__).parents[3]


def find_programs() -> tuple[Path | None, str]:
    """Look for the environment's folder `bin`; where there is none, say what to do."""
    folder = Path(os.environ.get("PUREDELTA_FRAMEWORKS") or _CHECKOUT / ".venv/frameworks")
    is_ready = (folder / "bin/dbt").is_file()
    why = f"no frameworks in {folder}: `make test-frameworks` installs them"
    return (folder / "bin" if is_ready else None), "" if is_ready else why


def run(
    programs: Path, arguments: Sequence[object], folder: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a program of the environment.

    Args:
        programs: the environment's folder `bin`.
        arguments: the program's name and its arguments.
        folder: the working folder.
        variables: variables of the environment.
    """
    program, *rest = map(str, arguments)
    # Spark is the PySpark of that environment.
    inherited = {key: value for key, value in os.environ.items() if key != "SPARK_HOME"}
    python = str(programs / "python")
    own = {"PYTHONPATH": str(PACKAGES), "PYSPARK_PYTHON": python, "DO_NOT_TRACK": "1"}
    return subprocess.run(
        [str(programs / program), *rest],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=280,
        env={**inherited, **own, **variables},
    )
