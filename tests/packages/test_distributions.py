"""Both wheels, installed as a user would: what is imported, and what type checkers see of them."""

import json
import zipfile
from pathlib import Path

import pyspark
import pytest

from tests.environments import (
    AS_DELTA,
    ROOT,
    attempt,
    build_wheel,
    install,
    install_anew,
    make_environment,
    run,
)
from tests.packages.test_names import missing

USER = Path(__file__).with_name("user")
MARK = "# refused"

# An environment is made.
pytestmark = [pytest.mark.rest, pytest.mark.timeout(900)]


@pytest.fixture(scope="session")
def wheels() -> list[Path]:
    return [build_wheel(ROOT), build_wheel(AS_DELTA)]


@pytest.fixture(scope="session")
def python(wheels) -> Path:
    """The Python of an environment with both wheels, two type checkers and pytest."""
    python = make_environment(f"packages/{pyspark.__version__}")
    ours, alias = wheels
    spark = f"pyspark=={pyspark.__version__}"
    install(python, spark, "mypy", "pyright[nodejs]", "pytest", f"{ours}[spark]", alias)
    install_anew(python, *wheels)
    return python


@pytest.fixture
def project(tmp_path) -> Path:
    """A project of a user, away from the checkout."""
    for name in ("accepted.py", "refused.py"):
        (tmp_path / name).write_text((USER / name).read_text("utf-8"), "utf-8")
    strict = {"typeCheckingMode": "strict", "reportMissingTypeStubs": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(strict))
    return tmp_path


def marked_lines(name: str) -> list[int]:
    lines = (USER / name).read_text("utf-8").splitlines()
    return [number for number, line in enumerate(lines, 1) if line.endswith(MARK)]


def test_wheels_say_that_they_have_types(wheels):
    for wheel, package in zip(wheels, ("puredelta", "delta"), strict=True):
        assert f"{package}/py.typed" in zipfile.ZipFile(wheel).namelist()


def test_names_are_those_of_the_wheels(python, tmp_path):
    shown = run(python, USER / "imports.py", cwd=tmp_path)
    versions = "import delta, delta.version, puredelta; print(delta.__file__, delta.__version__)"
    place, version = run(python, "-c", versions, cwd=tmp_path).split()

    assert missing(shown) == []
    assert Path(place).is_relative_to(python.parents[1])
    assert f"-{version}-" in build_wheel(ROOT).name


def test_pytest_has_the_fixtures(python, tmp_path):
    lines = ("import sys", "def test_nothing_is_loaded(): assert 'pyspark' not in sys.modules")
    (tmp_path / "test_user.py").write_text("\n".join(lines))

    fixtures = run(python, "-m", "pytest", "--fixtures", cwd=tmp_path)
    without = run(python, "-m", "pytest", "--fixtures", "-p", "no:puredelta", cwd=tmp_path)

    assert "delta_table -- " in fixtures
    assert "delta_table -- " not in without
    assert "1 passed" in run(python, "-m", "pytest", cwd=tmp_path)


def test_mypy_accepts_and_refuses(python, project):
    accepted = attempt(python, "-m", "mypy", "--strict", "accepted.py", cwd=project)
    refused = attempt(python, "-m", "mypy", "--strict", "refused.py", cwd=project)

    assert accepted.returncode == 0, accepted.stdout
    errors = [line.split(":") for line in refused.stdout.splitlines() if ": error:" in line]
    assert [int(error[1]) for error in errors] == marked_lines("refused.py"), refused.stdout


def test_pyright_accepts_and_refuses(python, project):
    shown = attempt(
        python, "-m", "pyright", "--outputjson", "--pythonpath", python, ".", cwd=project
    )

    errors = [
        (Path(found["file"]).name, found["range"]["start"]["line"] + 1)
        for found in json.loads(shown.stdout)["generalDiagnostics"]
    ]
    wanted = [("refused.py", line) for line in marked_lines("refused.py")]
    assert sorted(set(errors)) == wanted, shown.stdout


@pytest.mark.parametrize(
    "package", ["delta", "puredelta.tables", "puredelta.exceptions", "puredelta.testing"]
)
def test_types_of_public_names_are_complete(python, package, tmp_path):
    options = ("--verifytypes", package, "--ignoreexternal", "--outputjson")
    path = f"{python.parent}:/usr/bin:/bin"
    shown = attempt(python, "-m", "pyright", *options, cwd=tmp_path, PATH=path)

    report = json.loads(shown.stdout)["typeCompleteness"]
    unknown = [
        (symbol["name"], [found["message"] for found in symbol["diagnostics"]])
        for symbol in report["symbols"]
        if symbol["isExported"] and not symbol["isTypeKnown"]
    ]
    assert report["symbols"]
    assert unknown == []
