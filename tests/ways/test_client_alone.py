"""`DeltaTable` in a Python that has `pyspark-client` only: no JVM, no py4j, no JARs."""

from collections.abc import Callable
from pathlib import Path

import pyspark
import pytest

from tests.environments import (
    ROOT,
    attempt,
    build_wheel,
    install,
    install_anew,
    make_environment,
    run,
)

# An environment is made, and a driver is started.
pytestmark = [pytest.mark.rest, pytest.mark.timeout(900)]

HEAD = """
import sys

import puredelta
from puredelta import DeltaTable
from puredelta.exceptions import DeltaAnalysisException, DeltaRuntimeException
from pyspark.sql import SparkSession, functions as F

"""
CONNECTED = """
spark = SparkSession.builder.remote(f"sc://127.0.0.1:{sys.argv[1]}").getOrCreate()

def shown(frame):
    return sorted(map(tuple, frame.collect()))

"""
NO_JAVA = {"JAVA_HOME": "/no/java", "PATH": ""}


@pytest.fixture(scope="session")
def client_python() -> Path:
    """The Python of a client; Spark has the distribution a while after PySpark's."""
    python = make_environment(f"clients/{pyspark.__version__}")
    # PySpark before 4.3 warns of a newer pandas.
    wheel = build_wheel(ROOT)
    install(python, f"pyspark-client<={pyspark.__version__}", "pandas<3", wheel)
    install_anew(python, wheel)
    return python


@pytest.fixture
def client(client_python, tmp_path) -> Callable[..., list[str]]:
    """Runs a program of its own; returns the lines that it prints."""

    def ran(program: str, *arguments: object) -> list[str]:
        # With `python -c`, PySpark's client takes itself to be under test and looks for a Spark.
        script = tmp_path / "client.py"
        script.write_text(HEAD + program)
        done = attempt(client_python, script, *arguments, cwd=tmp_path, **NO_JAVA)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return ran


def test_rows_are_changed_and_errors_are_typed(client, ports):
    assert client(
        CONNECTED
        + """
table = (
    DeltaTable.createOrReplace(spark)
    .tableName("alone")
    .addColumn("id", "BIGINT", nullable=False)
    .addColumn("name", "STRING")
    .execute()
)
rows = spark.range(5).selectExpr("id", "concat('n', id) name")
rows.write.format("delta").mode("append").saveAsTable("alone")
news = spark.createDataFrame([(3, "three"), (7, "seven")], "id BIGINT, name STRING")
merge = table.alias("t").merge(news.alias("s"), F.col("t.id") == F.col("s.id"))
done = merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
print(shown(done))
print(shown(DeltaTable.forName(spark, "alone").delete(F.col("id") < 3)))
print(shown(table.toDF()))
print([row.operation for row in table.history(3).collect()])
print(type(table.upsert(news, "id")).__name__, table.optimize().executeCompaction().columns)
try:
    table.restoreToVersion(99)
except DeltaAnalysisException as error:
    print(error.getCondition(), error.getSqlState())
try:
    DeltaTable.forName(spark, "missing")
except DeltaAnalysisException as error:
    print(error.getCondition())
""",
        ports[0],
    ) == [
        "[(2, 1, 0, 1)]",
        "[(3,)]",
        "[(3, 'three'), (4, 'n4'), (7, 'seven')]",
        "['DELETE', 'MERGE', 'WRITE']",
        "Upserted ['path', 'metrics']",
        "DELTA_CANNOT_RESTORE_TABLE_VERSION 22003",
        "DELTA_MISSING_DELTA_TABLE",
    ]


def test_what_needs_a_jvm_says_so(client):
    assert (
        client("""
for starts in (
    lambda: puredelta.configure(SparkSession.builder).getOrCreate(),
    lambda: puredelta.configure_spark_with_delta_pip(SparkSession.builder).getOrCreate(),
):
    try:
        starts()
    except DeltaRuntimeException as error:
        print(error.getCondition())
""")
        == ["PUREDELTA_PYSPARK_CLIENT"] * 2
    )


def test_log_is_read_and_doctor_answers(client_python, client, tmp_path):
    doctor = attempt(client_python, "-m", "puredelta", "doctor", cwd=tmp_path, **NO_JAVA)
    served = attempt(client_python, "-m", "puredelta", "serve", cwd=tmp_path, **NO_JAVA)
    log = run(client_python, "-c", "import puredelta.log; print(puredelta.log.open_table)")

    assert "pyspark-client" in doctor.stdout
    assert "PUREDELTA_PYSPARK_CLIENT" in served.stderr
    assert "open_table" in log
    assert client("from puredelta.tables import DeltaMergeBuilder; print('there')") == ["there"]
