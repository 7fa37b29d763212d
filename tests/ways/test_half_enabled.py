"""Sessions in which a setting or the jar was forgotten: errors say which, and `enable` mends it."""

import json
import sys

import pytest

from tests.ways.programs import SMALL, run_python, settings

# Each starts a Spark.
pytestmark = pytest.mark.rest

EXTENSION = "spark.sql.extensions"
CATALOG = "spark.sql.catalog.spark_catalog"
JARS = "spark.jars"

SCRIPT = """
import json, sys
import puredelta
from puredelta import DeltaTable
from pyspark.sql import SparkSession

builder = SparkSession.builder
for key, value in json.loads(sys.argv[1]).items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()

def attempt(statement):
    try:
        spark.sql(statement)
        print("ran")
    except Exception as error:
        print(error.getCondition(), error.getMessageParameters().get("reason"))

attempt("CREATE TABLE t (id BIGINT) USING delta")
attempt("OPTIMIZE t")
attempt("SELECT * FROM delta.`/nothing/here`")
spark = puredelta.enable(spark)
spark.sql("CREATE TABLE mended (id BIGINT) USING delta")
spark.sql("INSERT INTO mended VALUES (1)")
spark.sql("OPTIMIZE mended")
print("rows:", DeltaTable.forName(spark, "mended").toDF().count())
"""


def attempts(folder, names):
    """Return what three statements raised in a session with some of the settings."""
    given = {name: settings()[name] for name in names}
    conf = {**SMALL, "spark.sql.warehouse.dir": str(folder / "tables"), **given}
    done = run_python(SCRIPT, json.dumps(conf), folder=folder, PYSPARK_PYTHON=sys.executable)
    *raised, mended = done.stdout.splitlines() or [""]
    assert mended == "rows: 1", done.stderr
    return raised


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        ((), [JARS, EXTENSION, JARS]),
        ((EXTENSION, CATALOG), [JARS, EXTENSION, JARS]),
        ((JARS,), [CATALOG, EXTENSION, CATALOG]),
        ((JARS, CATALOG), [EXTENSION, EXTENSION, EXTENSION]),
    ],
    ids=["nothing", "no jar", "jar alone", "no extension"],
)
def test_error_names_what_is_missing(tmp_path, names, missing):
    raised = attempts(tmp_path, names)

    for shown, name in zip(raised, missing, strict=True):
        assert shown.startswith("PUREDELTA_SESSION_NOT_ENABLED ")
        assert f"{name} does not name" in shown


def test_extension_needs_no_setting_of_the_catalog(tmp_path):
    created, optimized, missing = attempts(tmp_path, (JARS, EXTENSION))

    assert created == optimized == "ran"
    assert "PUREDELTA" not in missing
