"""A driver that serves Spark Connect and Thrift (JDBC) clients until it is stopped.

Both servers are in PySpark's own JARs. The command line's `puredelta serve` runs this.
"""

import json
import logging
import os
import socket
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from puredelta.errors.packages import without_spark

try:
    from pyspark.sql import SparkSession
except ModuleNotFoundError as missing:
    raise without_spark(missing) from None

from puredelta.engine.bridge.gateway import build_adapters_apart
from puredelta.engine.bridge.session_settings import DRIVER_CLASSES
from puredelta.engine.exceptions import public
from puredelta.engine.session.servers import Stop, log_clients, start_connect, start_thrift
from puredelta.errors.classes import DeltaRuntimeError
from puredelta.session import configure

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Where clients connect.

    Attributes:
        connect: the port of Spark Connect, None for no such server.
        thrift: the port of the Thrift server, None for no such server.
        health: the port of the health check over HTTP, None for no such server.
        address: the address that they are bound to; others than loopback let other machines in.
    """

    connect: int | None = 15002
    thrift: int | None = 10000
    health: int | None = None
    address: str = LOOPBACK


@dataclass(slots=True)
class Server:
    """A running driver with its servers.

    Attributes:
        session: the driver's own session.
        ports: where clients connect.
        stops: what stops each of its servers.
    """

    session: SparkSession
    ports: Ports
    stops: list[Stop] = field(default_factory=list)
    _ended: threading.Event = field(default_factory=threading.Event)

    def addresses(self) -> dict[str, str]:
        """Return what clients connect to, by the kind of server."""
        at = self.ports.address
        found = {
            "connect": self.ports.connect and f"sc://{at}:{self.ports.connect}",
            "thrift": self.ports.thrift and f"jdbc:hive2://{at}:{self.ports.thrift}",
            "health": self.ports.health and f"http://{at}:{self.ports.health}/health",
        }
        return {kind: address for kind, address in found.items() if address}

    def is_healthy(self) -> bool:
        """Say whether a statement runs."""
        try:
            return bool(self.session.sql("SELECT 1").collect())
        except Exception:
            logger.warning("the health check failed", exc_info=True)
            return False

    def end(self) -> None:
        """Let `wait` return; all that a handler of a signal may do."""
        self._ended.set()

    def wait(self) -> None:
        """Wait until `end` is called."""
        self._ended.wait()

    def stop(self) -> None:
        """Let no more clients in, end their statements and the driver."""
        for stop in self.stops:
            stop()
        self.session.stop()


def start(ports: Ports, settings: Mapping[str, str] | None = None) -> Server:
    """Start a driver and its servers.

    Args:
        ports: where clients connect.
        settings: settings of Spark, over those of spark-defaults.conf.

    Raises:
        DeltaRuntimeException: PUREDELTA_PORT_IN_USE, or what keeps a session from starting.
    """
    _refuse_ports_in_use(ports)
    # Functions in Python that clients send run in this Python, unless another is named.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("puredelta serve")
    for key, value in _with_adapters({**_bound_to(ports), **(settings or {})}).items():
        builder = builder.config(key, value)
    server = Server(configure(builder).getOrCreate(), ports)
    log_clients(server.session)
    if ports.connect is not None:
        server.stops.append(start_connect(server.session))
    if ports.thrift is not None:
        server.stops.append(start_thrift(server.session))
    if ports.health is not None:
        server.stops.append(_serve_health(server, ports.health))
    return server


def _bound_to(ports: Ports) -> dict[str, str]:
    """Return the settings of the servers that are started, and only of these."""
    bound = {"spark.ui.enabled": "false"}
    if ports.connect is not None:
        bound["spark.connect.grpc.binding.address"] = ports.address
        bound["spark.connect.grpc.binding.port"] = str(ports.connect)
    if ports.thrift is not None:
        bound["spark.hadoop.hive.server2.thrift.bind.host"] = ports.address
        bound["spark.hadoop.hive.server2.thrift.port"] = str(ports.thrift)
    return bound


def _with_adapters(settings: dict[str, str]) -> dict[str, str]:
    """Return settings by which the driver starts with the adapters; see `DRIVER_CLASSES`."""
    given = settings.get(DRIVER_CLASSES)
    adapters = str(build_adapters_apart())
    return {**settings, DRIVER_CLASSES: os.pathsep.join(filter(None, (adapters, given)))}


def _refuse_ports_in_use(ports: Ports) -> None:
    for port in filter(None, (ports.connect, ports.thrift, ports.health)):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((ports.address, port))
            except OSError as error:
                facts = {"address": ports.address, "port": port, "reason": error.strerror}
                raise public(DeltaRuntimeError("PUREDELTA_PORT_IN_USE", **facts)) from None


def _serve_health(server: Server, port: int) -> Stop:
    class Health(BaseHTTPRequestHandler):
        """Answers 200 where a statement runs, 503 where none does."""

        def do_GET(self) -> None:
            is_healthy = server.is_healthy()
            body = json.dumps({"healthy": is_healthy, **server.addresses()}).encode()
            self.send_response(200 if is_healthy else 503)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # as inherited
            logger.debug(format, *args)

    health = ThreadingHTTPServer((server.ports.address, port), Health)
    threading.Thread(target=health.serve_forever, name="puredelta-health", daemon=True).start()
    return health.shutdown
