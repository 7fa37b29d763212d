"""Clients of `puredelta serve`: their sessions are apart, and what they cancel stops."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from pyhive import hive
from TCLIService.ttypes import TOperationState

from tests.patience import patient
from tests.ways.programs import beeline, run_python

# A driver is started for them.
pytestmark = pytest.mark.rest

# More than a minute of work.
SLOW = "SELECT id FROM range(0, 4000, 1, 2) WHERE reflect('java.lang.Thread', 'sleep', 50L) IS NULL"

CANCELLING = """
import sys, threading, time
from pyspark.sql import SparkSession

port, slow = sys.argv[1:]
spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
spark.sql("CREATE TABLE cancelled (id BIGINT) USING delta")
spark.sql("INSERT INTO cancelled VALUES (-1)")
merge = f"MERGE INTO cancelled t USING ({slow}) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *"

for statement in (
    f"INSERT INTO cancelled {slow}",
    merge,
    f"CREATE TABLE half_made USING delta AS {slow}",
):
    raised = []

    def work():
        try:
            spark.sql(statement)
        except Exception as error:
            raised.append(error.getCondition())

    worker = threading.Thread(target=work)
    worker.start()
    while worker.is_alive():
        time.sleep(1)
        spark.interruptAll()
    print(statement.split()[0], *raised)
print("versions", spark.sql("DESCRIBE HISTORY cancelled").count())
print("rows", spark.table("cancelled").count())
spark.sql("CREATE TABLE half_made USING delta AS SELECT 1 AS id")
print("made", spark.table("half_made").count())
"""


def test_statements_that_a_connect_client_cancels_stop(ports):
    begin = time.monotonic()
    done = run_python(CANCELLING, ports[0], SLOW)

    assert done.stdout.splitlines() == [
        "INSERT OPERATION_CANCELED",
        "MERGE OPERATION_CANCELED",
        "CREATE OPERATION_CANCELED",
        "versions 2",
        "rows 1",
        "made 1",
    ], done.stderr
    # Each of the three would work for longer.
    assert time.monotonic() - begin < patient(100)


def test_statement_that_a_jdbc_client_cancels_stops(ports):
    with closing(hive.connect(host="127.0.0.1", port=ports[1])) as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE cancelled_by_jdbc (id BIGINT) USING delta")
        cursor.execute(f"INSERT INTO cancelled_by_jdbc {SLOW}", async_=True)
        time.sleep(3)
        cursor.cancel()

        assert cursor.poll().operationState == TOperationState.CANCELED_STATE
        cursor.execute("INSERT INTO cancelled_by_jdbc VALUES (1)")
        cursor.execute("SELECT id FROM cancelled_by_jdbc")
        assert cursor.fetchall() == [(1,)]


WRITING = """
import sys
from pyspark.sql import SparkSession

port, number = sys.argv[1], int(sys.argv[2])
spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
spark.conf.set("spark.sql.session.timeZone", f"UTC+{number}")
spark.range(1).createOrReplaceTempView(f"of_{number}")
views = [t.name for t in spark.catalog.listTables() if t.isTemporary]
for row in range(5):
    spark.sql(f"INSERT INTO shared VALUES ({number}, {row})")
    spark.sql(f"UPDATE counts SET n = n + 1 WHERE client = {number}")
print(views, spark.conf.get("spark.sql.session.timeZone"))
"""


def test_clients_write_at_the_same_time_in_sessions_of_their_own(ports):
    with closing(hive.connect(host="127.0.0.1", port=ports[1])) as connection:
        cursor = connection.cursor()
        cursor.execute("CREATE TABLE shared (client BIGINT, row BIGINT) USING delta")
        cursor.execute(
            "CREATE TABLE counts USING delta PARTITIONED BY (client) AS "
            "SELECT client, 0 AS n FROM VALUES 1, 2, 3 AS t(client)"
        )
        with ThreadPoolExecutor(3) as pool:
            clients = list(pool.map(lambda n: run_python(WRITING, ports[0], n), (1, 2, 3)))
        cursor.execute("SELECT count(*), count(DISTINCT client, row) FROM shared")
        rows = cursor.fetchall()
        cursor.execute("SELECT client, n FROM counts ORDER BY client")
        counts = cursor.fetchall()

    for number, client in enumerate(clients, 1):
        assert client.stdout.split("\n")[0] == f"['of_{number}'] UTC+{number}", client.stderr
    assert rows == [(15, 15)]
    assert counts == [(1, 5), (2, 5), (3, 5)]


def test_jdbc_driver_of_java_reads_and_writes(ports, tmp_path):
    shown = beeline(
        ports[1],
        tmp_path,
        """
        CREATE TABLE of_beeline (id BIGINT, name STRING) USING delta;
        INSERT INTO of_beeline VALUES (1, 'one'), (2, 'two');
        MERGE INTO of_beeline t USING (SELECT 2L AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE;
        SELECT 'rows', id, name FROM of_beeline;
        DESCRIBE HISTORY of_beeline LIMIT 1;
        """,
    )

    assert "rows\t1\tone\n" in shown
    assert "\tMERGE\t" in shown
