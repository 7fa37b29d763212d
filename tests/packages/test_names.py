"""The package `delta` has the names of delta-spark's, which `record_names.py` wrote down."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import puredelta
from tests.environments import AS_DELTA, ROOT, read_project

HERE = Path(__file__).parent
SOURCE = Path(puredelta.__file__).parents[1]


def recorded() -> list[tuple[str, str, list[str]]]:
    """Return module, name and arguments of each name of delta-spark."""
    return [split(line) for line in HERE.joinpath("delta_spark_names.tsv").read_text().splitlines()]


def split(line: str) -> tuple[str, str, list[str]]:
    module, _, rest = line.partition("\t")
    name, _, arguments = rest.partition(":")
    return module, name, arguments.split()


def names_of(shown: str) -> dict[tuple[str, str], list[str]]:
    """Return the arguments by module and name of what `user/imports.py` printed."""
    return {(module, name): given for module, name, given in map(split, shown.splitlines())}


def missing(shown: str) -> list[str]:
    """Return what delta-spark has and we do not; we may have more arguments after its own."""
    ours = names_of(shown)
    return [
        f"{module}.{name}({', '.join(given)})"
        for module, name, given in recorded()
        if ours.get((module, name), ["nothing"])[: len(given)] != given
        or (module, name) not in ours
    ]


@pytest.mark.parametrize(
    ("folders", "options"), [([AS_DELTA / "src", SOURCE], []), ([SOURCE], ["--alias"])]
)
def test_each_name_of_delta_spark_is_there(folders, options):
    done = subprocess.run(
        [sys.executable, HERE / "user/imports.py", *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))},
    )

    assert done.returncode == 0, done.stderr
    assert missing(done.stdout) == []


def test_both_distributions_have_one_version():
    main, alias = read_project(ROOT), read_project(AS_DELTA)

    assert alias["version"] == main["version"]
    assert alias["dependencies"] == [f"puredelta[spark]>={main['version']}"]
    assert (AS_DELTA / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
