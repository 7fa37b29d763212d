"""What needs no Spark loads no Spark, and a fast command line stays fast."""

import subprocess
import sys

import pytest

PROBE = """
import sys
{statement}
print(*sorted({{name.split(".")[0] for name in sys.modules}} & {{"pyspark", "py4j", "pandas"}}))
"""


@pytest.mark.parametrize(
    "statement",
    [
        "import puredelta",
        "import puredelta.log",
        "import puredelta.txn.transaction",
        "import puredelta.cli.main",
        "import puredelta.cli.doctor",
        "import puredelta.engine.bridge.environment",
    ],
)
def test_import_in_a_fresh_process_loads_no_spark(statement):
    probe = [sys.executable, "-c", PROBE.format(statement=statement)]

    loaded = subprocess.run(probe, capture_output=True, text=True, check=True)

    assert loaded.stdout.split() == []


WITHOUT_PYSPARK = """
import sys
for name in ("pyspark", "py4j"):
    sys.modules[name] = None
import puredelta
from click.testing import CliRunner
from importlib import import_module
from puredelta.cli.main import main
from puredelta.errors import DeltaPackageMissingError
puredelta.open_table, puredelta.check_table, puredelta.__version__

def text(load, name):
    try:
        load(name)
    except ImportError as error:
        assert isinstance(error, DeltaPackageMissingError)
        return str(error)

def printed(command):
    done = CliRunner().invoke(main, [command])
    assert done.exit_code == 1
    return done.stderr.removeprefix("error: ").strip()

names = ("DeltaTable", "configure", "enable", "exceptions", "install_as_delta", "session", "tables")
modules = ("api", "exceptions", "serve", "session", "sidecar", "tables")
texts = [
    *(text(lambda name: getattr(puredelta, name), name) for name in names),
    *(text(import_module, f"puredelta.{name}") for name in modules),
    *(printed(command) for command in ("conf", "jar", "serve")),
]
print(len(texts), *set(texts), sep="\\n")
"""


def test_what_needs_spark_names_the_extra_where_pyspark_is_missing():
    probe = [sys.executable, "-c", WITHOUT_PYSPARK]

    shown = subprocess.run(probe, capture_output=True, text=True, check=False)

    count, problem, remedy, *_ = shown.stdout.splitlines() or [shown.stderr, "", ""]
    assert count == "16"
    assert problem.startswith("[PUREDELTA_PYSPARK_MISSING] PySpark is not installed")
    assert remedy == 'Install it: `pip install "puredelta[spark]"`.'


# What `pyspark-client` lacks.
WITHOUT_JVM = """
import pkgutil
import sys
for name in ("py4j", "pyspark.core", "pyspark.java_gateway", "pyspark.sql.classic"):
    sys.modules[name] = None
import puredelta
for found in pkgutil.walk_packages(puredelta.__path__, "puredelta."):
    if not found.name.startswith(("puredelta.__main__", "puredelta.conversion.iceberg")):
        __import__(found.name)
from puredelta.engine.exceptions import DeltaRuntimeException
from pyspark.sql import SparkSession
try:
    puredelta.configure(SparkSession.builder).getOrCreate()
except DeltaRuntimeException as error:
    print(error.getCondition())
"""


def test_every_module_is_imported_without_a_jvm():
    probe = [sys.executable, "-c", WITHOUT_JVM]

    shown = subprocess.run(probe, capture_output=True, text=True, check=False)

    assert shown.stdout.split() == ["PUREDELTA_PYSPARK_CLIENT"], shown.stderr


def test_doctor_runs_without_loading_spark():
    statement = "import puredelta.cli.doctor; puredelta.cli.doctor.examine()"
    probe = [sys.executable, "-c", PROBE.format(statement=statement)]

    loaded = subprocess.run(probe, capture_output=True, text=True, check=True)

    assert loaded.stdout.split() == []
