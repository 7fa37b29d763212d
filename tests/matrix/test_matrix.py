"""The wheel works on the newest patch of every PySpark line, and on the first of older ones.

$PUREDELTA_MATRIX says which lines: none (the default), ends (lowest and highest), all, or a list
like `4.0.1,4.2`. Each line has a virtual environment, kept in .venv/matrix for the next run.
"""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.environments import ROOT, build_wheel, install, install_anew, make_environment, run

ENVIRONMENTS = ROOT / ".venv" / "matrix"
OLD_LINES = ("4.0.0", "4.0", "4.1.0", "4.1", "4.2")
LINES = (*OLD_LINES, "4.3") if sys.version_info >= (3, 11) else OLD_LINES

pytestmark = [pytest.mark.matrix, pytest.mark.timeout(900)]


def chosen_lines() -> list[str]:
    wanted = os.environ.get("PUREDELTA_MATRIX", "none")
    named = {"none": (), "ends": (LINES[0], LINES[-1]), "all": LINES}
    return list(named.get(wanted, wanted.split(",")))


@pytest.fixture(scope="session")
def wheel() -> Path:
    return build_wheel(ROOT)


def environment_for(line: str, wheel: Path) -> Path:
    """Make or refresh the environment of a line, and return its Python."""
    python = make_environment(f"matrix/{line}")
    is_patch = line.count(".") > 1
    install(python, "--upgrade", f"pyspark=={line}" if is_patch else f"pyspark~={line}.0")
    install(python, f"{wheel}[spark]")
    install_anew(python, wheel)
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
