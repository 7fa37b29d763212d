"""CONVERT TO DELTA of tables in a Hive metastore, in a process that has one."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import json, sys, puredelta
from pyspark.sql import SparkSession

base = sys.argv[1]
builder = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.ui.showConsoleProgress", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.sql.warehouse.dir", base + "/warehouse")
    .config("spark.hadoop.hive.exec.dynamic.partition.mode", "nonstrict")
    .config(
        "spark.hadoop.javax.jdo.option.ConnectionURL",
        "jdbc:derby:;databaseName=" + base + "/metastore;create=true",
    )
    .config("spark.driver.extraJavaOptions", "-Dderby.system.home=" + base)
)
spark = puredelta.configure(builder.enableHiveSupport()).getOrCreate()
found = {}

def convert(table, create, insert):
    spark.sql(create)
    spark.sql(insert)
    try:
        spark.sql("CONVERT TO DELTA " + table)
    except Exception as error:
        found[table] = error.getCondition()
        return
    spark.sql(insert)
    told = {row.col_name: row.data_type for row in
            spark.sql("DESCRIBE TABLE EXTENDED " + table).collect()}
    found[table] = {
        "provider": told["Provider"],
        "serde": told.get("Serde Library"),
        "columns": spark.table(table).columns,
        "rows": sorted(str(tuple(row)) for row in spark.table(table).collect()),
        "properties": spark.sql("DESCRIBE DETAIL " + table).first().properties,
    }

convert(
    "serde",
    "CREATE TABLE serde (id INT, Name STRING) STORED AS PARQUET TBLPROPERTIES ('a' = 'b')",
    "INSERT INTO serde VALUES (1, 'x')",
)
convert(
    "parted",
    "CREATE TABLE parted (id INT) PARTITIONED BY (Part STRING) STORED AS PARQUET",
    "INSERT INTO parted VALUES (1, 'x y'), (2, NULL)",
)
convert(
    "source",
    "CREATE TABLE source (Id INT, P STRING) USING parquet PARTITIONED BY (P)",
    "INSERT INTO source VALUES (1, 'a=b')",
)
convert("orc", "CREATE TABLE orc (id INT) STORED AS ORC", "INSERT INTO orc VALUES (1)")
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What the script saw of each table, or the condition of the error."""
    folder: Path = tmp_path_factory.mktemp("hive")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(done.stdout.splitlines()[-1]))


def test_table_that_hive_reads_by_its_parquet_serde_is_converted(found):
    assert found["serde"] == {
        "provider": "delta",
        "serde": None,
        "columns": ["id", "Name"],
        "rows": ["(1, 'x')", "(1, 'x')"],
        "properties": {"a": "b"},
    }


def test_partitions_of_hive_keep_their_values(found):
    assert found["parted"]["rows"] == ["(1, 'x y')", "(1, 'x y')", "(2, None)", "(2, None)"]
    assert found["parted"]["columns"] == ["id", "Part"]


def test_table_of_spark_in_the_metastore_keeps_its_spelling(found):
    assert found["source"]["columns"] == ["Id", "P"]
    assert found["source"]["rows"] == ["(1, 'a=b')", "(1, 'a=b')"]


def test_other_serdes_are_refused(found):
    assert found["orc"] == "DELTA_CONVERT_NON_PARQUET_TABLE"
