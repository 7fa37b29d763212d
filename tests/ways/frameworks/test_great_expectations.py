"""Great Expectations validates a Delta table in a session that speaks Delta."""

import pytest

from tests.ways.frameworks.environment import run

# It starts a Spark.
pytestmark = pytest.mark.rest

PROGRAM = """
import great_expectations
import great_expectations.expectations as expect
from pyspark.sql import SparkSession
import puredelta

builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
spark = puredelta.configure(builder).getOrCreate()
rows = spark.range(10).selectExpr("id", "if(id = 3, NULL, 'v') AS v")
rows.write.format("delta").saveAsTable("t")
context = great_expectations.get_context(mode="ephemeral")
source = context.data_sources.add_spark("spark", persist=False)
batches = source.add_dataframe_asset("t").add_batch_definition_whole_dataframe("all")
batch = batches.get_batch(batch_parameters={"dataframe": spark.table("t")})
print(batch.validate(expect.ExpectColumnValuesToBeBetween(column="id", min_value=0)).success)
failed = batch.validate(expect.ExpectColumnValuesToNotBeNull(column="v"))
print(failed.success, failed.result["unexpected_count"], failed.result["element_count"])
spark.stop()
"""


def test_table_meets_one_expectation_and_fails_another(programs, tmp_path):
    # A file: in `python -c` PySpark 4.3 takes the lack of what Connect needs for the end of its own
    # tests, and exits.
    (tmp_path / "validate.py").write_text(PROGRAM)

    done = run(programs, ["python", "validate.py"], tmp_path)

    assert done.stdout.splitlines()[-2:] == ["True", "False 1 10"], done.stderr
