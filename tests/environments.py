"""Virtual environments with what users install: the wheels of this checkout and other packages.

They are kept in .venv for the next run; only the first one needs the network.
"""

import os
import subprocess
import sys
import venv
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
AS_DELTA = ROOT / "packages" / "puredelta-as-delta"

# What leads a Python to packages that its environment does not have.
_OUTSIDE = ("PYTHONPATH", "SPARK_HOME", "VIRTUAL_ENV", "PYSPARK_PYTHON")


def run(*command: object, cwd: Path = ROOT) -> str:
    """Run a command and return what it prints; show its end when it fails."""
    done = attempt(*command, cwd=cwd)
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-8000:]}"
    return done.stdout


def attempt(*command: object, cwd: Path = ROOT, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command that may fail; `more` are variables of its environment."""
    kept = {name: value for name, value in os.environ.items() if name not in _OUTSIDE}
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        env={**kept, **more},
        cwd=cwd,
        check=False,
    )


@cache
def build_wheel(project: Path) -> Path:
    """Return the wheel of a project of this checkout."""
    folder = Path(mkdtemp(prefix="puredelta-wheel-"))
    run(
        sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, project
    )
    (built,) = folder.glob("*.whl")
    return built


def make_environment(name: str) -> Path:
    """Return the Python of an environment below .venv, which is made unless it is there."""
    folder = ROOT / ".venv" / name
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True, clear=True)
    return python


def install(python: Path, *wanted: object) -> None:
    """Install packages into the environment of a Python."""
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted)


def install_anew(python: Path, *wheels: Path) -> None:
    """Install wheels without their dependencies, in place of those of an earlier build.

    The version stays the same from one build to the next, so that pip would keep the old one.
    """
    install(python, "--force-reinstall", "--no-deps", *wheels)


def read_project(folder: Path) -> dict[str, Any]:
    """Return the table `project` of a pyproject.toml."""
    with (folder / "pyproject.toml").open("rb") as file:
        project: dict[str, Any] = tomllib.load(file)["project"]
    return project
