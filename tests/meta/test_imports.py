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
