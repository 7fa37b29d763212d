"""Spark's own servers for clients of other processes, which PySpark's JARs contain."""

import logging
from collections.abc import Callable

from pyspark.sql import SparkSession

from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.bridge.classes import new, static_method

logger = logging.getLogger(__name__)

_CONNECT = "org.apache.spark.sql.connect.service.SparkConnectService"
_THRIFT = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"

Stop = Callable[[], None]


def start_connect(session: SparkSession) -> Stop:
    """Start the server of Spark Connect on the address that the settings name.

    Returns:
        What stops it.
    """
    static_method(_CONNECT, "start")(session.sparkContext._jsc.sc())

    def stop() -> None:
        nothing = static_method("scala.Option", "empty")()
        static_method(_CONNECT, "stop")(nothing, nothing)

    return stop


def start_thrift(session: SparkSession) -> Stop:
    """Start the Thrift server on the address that the settings name.

    Returns:
        What stops it.
    """
    server = static_method(_THRIFT, "startWithContext")(session._jsparkSession.sqlContext())
    stop: Stop = server.stop
    return stop


def log_clients(session: SparkSession) -> None:
    """Log each client that comes or goes."""
    session.sparkContext._jsc.sc().addSparkListener(new("puredelta.Clients"))


@serve("serve.client")
def _log_client(event: str, _first: object, _second: object) -> None:
    logger.info("%s", event)
