"""`puredelta serve`: clients of Spark Connect and of the Thrift server."""

import json
import subprocess
import sys
import urllib.request
from contextlib import closing

import pytest
from pyhive import hive

from tests.ways.programs import environment, run_python

# A driver is started for them.
pytestmark = pytest.mark.rest

CLIENT = """
import sys
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote(f"sc://127.0.0.1:{sys.argv[1]}").getOrCreate()
spark.sql("CREATE TABLE of_connect (id BIGINT) USING delta")
spark.sql("ALTER TABLE of_connect ADD CONSTRAINT positive CHECK (id > 0)")
spark.range(1, 6).write.format("delta").mode("append").saveAsTable("of_connect")
print(spark.table("of_connect").count())
for statement in (
    "INSERT INTO of_connect VALUES (-1)",
    "RESTORE TABLE of_connect TO VERSION AS OF 9",
    "OPTIMIZE of_connect ZORDER BY (missing)",
    "OPTIMIZE of_connect FULL",
):
    try:
        spark.sql(statement)
    except Exception as error:
        print(type(error).__name__, error.getCondition(), error.getSqlState())
"""


def test_connect_client_gets_our_errors(ports):
    done = run_python(CLIENT, ports[0])

    assert done.stdout.splitlines() == [
        "5",
        "SparkRuntimeException DELTA_VIOLATE_CONSTRAINT_WITH_VALUES 23001",
        "AnalysisException DELTA_CANNOT_RESTORE_TABLE_VERSION 22003",
        "IllegalArgumentException DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST 42703",
        "UnsupportedOperationException DELTA_OPTIMIZE_FULL_NOT_SUPPORTED 42601",
    ], done.stderr


def test_jdbc_client_reads_and_writes(ports):
    with closing(hive.connect(host="127.0.0.1", port=ports[1])) as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE of_jdbc (id BIGINT) USING delta")
        cursor.execute("INSERT INTO of_jdbc VALUES (1), (2)")
        cursor.execute("DELETE FROM of_jdbc WHERE id = 1")
        cursor.execute("SELECT id FROM of_jdbc")

        assert cursor.fetchall() == [(2,)]
        with pytest.raises(hive.OperationalError, match="DELTA_CANNOT_RESTORE_TABLE_VERSION"):
            cursor.execute("RESTORE TABLE of_jdbc TO VERSION AS OF 9")


def test_health_check_runs_a_statement(ports):
    with urllib.request.urlopen(f"http://127.0.0.1:{ports[2]}/health") as answer:
        found = json.load(answer)

    assert found["healthy"] is True
    assert found["connect"] == f"sc://127.0.0.1:{ports[0]}"


def test_port_in_use_is_named(ports):
    done = subprocess.run(
        [sys.executable, "-m", "puredelta", "serve", "--connect-port", str(ports[0])],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )

    assert done.returncode == 1
    assert f"[PUREDELTA_PORT_IN_USE] Port {ports[0]} of 127.0.0.1" in done.stderr
