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


def test_doctor_runs_without_loading_spark():
    statement = "import puredelta.cli.doctor; puredelta.cli.doctor.examine()"
    probe = [sys.executable, "-c", PROBE.format(statement=statement)]

    loaded = subprocess.run(probe, capture_output=True, text=True, check=True)

    assert loaded.stdout.split() == []
