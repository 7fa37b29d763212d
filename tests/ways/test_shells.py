"""The shells of Python and Scala, with settings alone."""

import sys

import pytest

from tests.ways.programs import run

# Each starts a Spark.
pytestmark = pytest.mark.rest

PYTHON = """
spark.range(3).write.format("delta").saveAsTable("t")
from puredelta import DeltaTable
DeltaTable.forName(spark, "t").delete("id = 0")
print("rows:", spark.table("t").count())
try:
    spark.sql("RESTORE TABLE t TO VERSION AS OF 9")
except Exception as error:
    print("raised:", error.getCondition())

"""

SCALA = """
spark.range(3).write.format("delta").saveAsTable("t")
spark.sql("DELETE FROM t WHERE id = 0")
println("rows: " + spark.table("t").count())
try { spark.sql("RESTORE TABLE t TO VERSION AS OF 9") } catch {
  case e: org.apache.spark.sql.AnalysisException => println("raised: " + e.getCondition)
}
"""


def shown(text):
    """Return the lines that a program printed for us."""
    return [line.split(">>> ")[-1] for line in text.splitlines() if ": " in line]


def test_shell_of_python(tmp_path):
    # Python reads what it starts with where somebody types, which -i has it believe.
    variables = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON_OPTS": "-i"}
    done = run("pyspark", [], tmp_path, typed=PYTHON, **variables)

    lines = shown(done.stdout)
    assert "rows: 2" in lines, done.stderr
    assert "raised: DELTA_CANNOT_RESTORE_TABLE_VERSION" in lines


def test_shell_of_scala(tmp_path):
    done = run("spark-shell", [], tmp_path, typed=SCALA)

    assert "rows: 2" in done.stdout, done.stderr
    assert "raised: DELTA_CANNOT_RESTORE_TABLE_VERSION" in done.stdout
