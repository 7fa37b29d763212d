"""A job written for delta-spark, unchanged, submitted with settings alone."""

import sys

import pytest

from tests.ways.programs import run

JOB = """
import sys

from delta import *
from delta.exceptions import DeltaAnalysisException
from delta.tables import DeltaTable
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

path = sys.argv[1]
spark = SparkSession.builder.getOrCreate()
spark.range(5).write.format("delta").save(path)
try:
    spark.sql(f"RESTORE TABLE delta.`{path}` TO VERSION AS OF 9")
except AnalysisException as error:
    print(type(error).__module__.partition(".")[0], error.getCondition())

table = DeltaTable.forPath(spark, path)
table.delete("id = 1")
print("rows:", table.toDF().count(), table.history(1).first()["operation"])
try:
    spark.sql(f"RESTORE TABLE delta.`{path}` TO VERSION AS OF 9")
except DeltaAnalysisException as error:
    print("by the job:", error.getCondition())
"""


@pytest.mark.rest
def test_job_for_delta_spark(tmp_path):
    job = tmp_path / "job.py"
    job.write_text(JOB)
    theirs = {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    }

    done = run(
        "spark-submit",
        [str(job), str(tmp_path / "table")],
        tmp_path,
        theirs,
        PYSPARK_PYTHON=sys.executable,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "puredelta DELTA_CANNOT_RESTORE_TABLE_VERSION",
        "rows: 4 DELETE",
        "by the job: DELTA_CANNOT_RESTORE_TABLE_VERSION",
    ]
