"""One `puredelta serve` for all tests of its clients."""

import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.ways.programs import environment


def free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    for probe in probes:
        probe.bind(("127.0.0.1", 0))
    ports = [probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    return ports


@pytest.fixture(scope="session")
def ports(tmp_path_factory) -> Iterator[list[int]]:
    connect, thrift, health = free_ports(3)
    command = [sys.executable, "-m", "puredelta", "serve"]
    command += ["--connect-port", str(connect), "--thrift-port", str(thrift)]
    command += ["--health-port", str(health), "--conf", "spark.master=local[2]"]
    command += ["--conf", "spark.sql.shuffle.partitions=2"]
    folder = tmp_path_factory.mktemp("served")
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=folder, env=environment()
    ) as server:
        lines = [server.stdout.readline().split() for _ in range(3)]
        assert [line[0] for line in lines] == ["connect", "thrift", "health"]
        yield [connect, thrift, health]
        server.terminate()
        assert server.wait(60) == 0
