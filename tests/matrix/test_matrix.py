"""The wheel works on the newest patch of every PySpark line, and on the first of older ones.

$PUREDELTA_MATRIX says which lines: none (the default), ends (lowest and highest), all, or a list
like `4.0.1,4.2`. Each line has a virtual environment, kept in .venv/matrix for the next run.
"""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = ROOT / ".venv" / "matrix"
OLD_LINES = ("4.0.0", "4.0", "4.1.0", "4.1", "4.2")
LINES = (*OLD_LINES, "4.3") if sys.version_info >= (3, 11) else OLD_LINES

pytestmark = [pytest.mark.matrix, pytest.mark.timeout(900)]


def chosen_lines() -> list[str]:
    wanted = os.environ.get("PUREDELTA_MATRIX", "none")
    named = {"none": (), "ends": (LINES[0], LINES[-1]), "all": LINES}
    return list(named.get(wanted, wanted.split(",")))


def run(*command: object, cwd: Path = ROOT) -> str:
    """Run a command and give what it prints; show its end when it fails."""
    outside = ("PYTHONPATH", "SPARK_HOME", "VIRTUAL_ENV", "PYSPARK_PYTHON")
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        env={name: value for name, value in os.environ.items() if name not in outside},
        cwd=cwd,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-8000:]}"
    return done.stdout


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT)
    (built,) = folder.glob("puredelta-*.whl")
    return built


def environment_for(line: str, wheel: Path) -> Path:
    """Make or refresh the environment of a line, and return its Python."""
    folder = ENVIRONMENTS / line
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True, clear=True)
    install = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    is_patch = line.count(".") > 1
    run(*install, "--upgrade", f"pyspark=={line}" if is_patch else f"pyspark~={line}.0")
    run(*install, wheel)
    # The version stays the same from one build to the next, so that pip would keep the old one.
    run(*install, "--force-reinstall", "--no-deps", wheel)
    return python


@pytest.mark.skipif(not chosen_lines(), reason="PUREDELTA_MATRIX chooses no line")
@pytest.mark.parametrize("line", chosen_lines())
def test_wheel_works_on_a_line(line, wheel, tmp_path):
    python = environment_for(line, wheel)

    report = smoke(python, "local[2]", tmp_path)

    assert f"{report['pyspark']}.".startswith(f"{line}.")
    assert Path(report["from"]).is_relative_to(ENVIRONMENTS)


@pytest.mark.skipif(not chosen_lines(), reason="PUREDELTA_MATRIX chooses no line")
@pytest.mark.parametrize("line", chosen_lines()[-1:])
def test_wheel_works_on_executors_of_their_own(line, wheel, tmp_path):
    python = environment_for(line, wheel)

    report = smoke(python, "local-cluster[2,1,1024]", tmp_path)

    assert f"{report['pyspark']}.".startswith(f"{line}.")


def smoke(python: Path, master: str, folder: Path) -> dict[str, str]:
    """Run the smoke script away from the checkout, so that the wheel is what it imports."""
    script = Path(__file__).with_name("smoke.py")
    return json.loads(run(python, script, master, folder, cwd=folder).splitlines()[-1])
