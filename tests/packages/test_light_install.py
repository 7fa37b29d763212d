"""The wheel without extras: no PySpark, no JVM, and tables are read and written all the same."""

import json
from pathlib import Path

import pytest

from puredelta import open_table
from tests.environments import (
    ROOT,
    attempt,
    build_wheel,
    install,
    install_anew,
    make_environment,
    run,
)
from tests.interop.recorded import FEATURES, recorded_folder

# An environment is made.
pytestmark = [pytest.mark.rest, pytest.mark.timeout(900)]

NO_JAVA = {"JAVA_HOME": "/no/java", "PATH": ""}


@pytest.fixture(scope="session")
def python() -> Path:
    """The Python of an environment with the wheel alone."""
    python = make_environment("packages/light")
    wheel = build_wheel(ROOT)
    install(python, wheel)
    install_anew(python, wheel)
    return python


@pytest.fixture(scope="session")
def table() -> Path:
    """A table that delta-spark made, with deletion vectors and mapped columns."""
    return recorded_folder(FEATURES) / "mapping_and_vectors"


def test_wheel_alone_brings_no_spark(python):
    listed = json.loads(run(python, "-m", "pip", "list", "--format", "json"))

    names = {package["name"].lower() for package in listed}
    assert names >= {"puredelta", "pyarrow"}
    assert names.isdisjoint({"pyspark", "pyspark-client", "py4j", "pandas"})


def test_rows_are_read(python, table, tmp_path):
    program = (
        "import json, puredelta, sys; rows = puredelta.open_table(sys.argv[1]).to_arrow(); "
        "print(json.dumps([rows.to_pylist(), 'pyspark' in sys.modules]))"
    )

    shown = run(python, "-c", program, table, cwd=tmp_path)

    assert json.loads(shown) == [open_table(table).to_arrow().to_pylist(), False]


def test_rows_are_written(python, tmp_path):
    program = """
import sys
import pyarrow as pa, puredelta
for number in range(2):
    puredelta.write_table("made", pa.table({"id": [number], "p": ["a"]}), partition_by="p")
print(puredelta.open_table("made").to_dataset().to_table().num_rows, "pyspark" in sys.modules)
"""

    shown = run(python, "-c", program, cwd=tmp_path)

    assert shown.split() == ["2", "False"]
    assert open_table(tmp_path / "made").to_arrow().num_rows == 2


@pytest.mark.parametrize("command", ["history", "detail", "head", "schema", "files", "check"])
def test_command_line_works(python, table, tmp_path, command):
    puredelta = python.with_name("puredelta")

    done = attempt(puredelta, command, table, "--json", cwd=tmp_path, **NO_JAVA)

    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)


def test_doctor_names_what_to_install(python, tmp_path):
    done = attempt(python.with_name("puredelta"), "doctor", "--json", cwd=tmp_path, **NO_JAVA)

    problems = {problem["condition"]: problem for problem in json.loads(done.stdout)["problems"]}
    missing = problems["PUREDELTA_PYSPARK_MISSING"]
    assert missing["remedy"] == 'Install it: `pip install "puredelta[spark]"`.'
