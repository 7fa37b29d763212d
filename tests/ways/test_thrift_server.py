"""Spark's own Thrift server, with settings alone: a JVM that no Python started."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from pyhive import hive

from tests.patience import patient
from tests.ways.conftest import free_ports
from tests.ways.programs import beeline, command, environment

# A driver is started for it.
pytestmark = pytest.mark.rest

SERVER = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"


@contextmanager
def thrift_server(folder: Path) -> Iterator[int]:
    """Run the server in a process group of its own, and end all of it."""
    (port,) = free_ports(1)
    conf = {
        "spark.hadoop.hive.server2.thrift.port": str(port),
        "spark.hadoop.hive.server2.thrift.bind.host": "127.0.0.1",
    }
    process = subprocess.Popen(
        command("spark-submit", ["--class", SERVER, "spark-internal"], folder, conf),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment(),
        start_new_session=True,
    )
    try:
        wait_for_port(port)
        yield port
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def wait_for_port(port: int) -> None:
    end = time.monotonic() + patient(90)
    while not listens(port):
        assert time.monotonic() < end
        time.sleep(0.2)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_clients_come_and_go(tmp_path):
    with thrift_server(tmp_path) as port:
        for row in range(2):
            with closing(hive.connect(host="127.0.0.1", port=port)) as connection:
                cursor = connection.cursor()
                cursor.execute("CREATE TABLE IF NOT EXISTS t (id BIGINT) USING delta")
                cursor.execute(f"INSERT INTO t VALUES ({row}), (9)")
                cursor.execute("DELETE FROM t WHERE id = 9")
                with pytest.raises(hive.OperationalError, match="DELTA_CANNOT_RESTORE_TABLE"):
                    cursor.execute("RESTORE TABLE t TO VERSION AS OF 99")
        # Hive has closed the class loaders of those who left.
        shown = beeline(port, tmp_path, "SELECT 'rows', count(*) FROM t; OPTIMIZE t;")

    assert "rows\t2\n" in shown
