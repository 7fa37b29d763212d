"""The one door to py4j: starts the JVM, puts the adapters on its class path, opens the way back."""

import logging
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from puredelta.errors.packages import without_spark

try:
    from pyspark import SparkConf
except ModuleNotFoundError as missing:
    raise without_spark(missing) from None

from puredelta.engine.bridge import (
    call_sites,
    class_archive,
    compiler,
    deferred,
    environment,
    failures,
    handles,
    patches,
    quiet,
)
from puredelta.engine.bridge.callbacks import Engine
from puredelta.engine.bridge.classes import Lookups
from puredelta.engine.bridge.jvm_parts import SparkContext, ensure_callback_server_started
from puredelta.engine.bridge.unbroken import Caller
from puredelta.engine.exceptions import public
from puredelta.errors.classes import DeltaRuntimeError
from puredelta.version import __version__

logger = logging.getLogger(__name__)

_LOADED = "puredelta.adapters"
_ENGINE = "puredelta_engine"
# Two threads that open a session at the same time must not start two JVMs.
_lock = threading.RLock()


def open_gateway(options: Mapping[str, str]) -> Path:
    """Start the JVM if there is none, load the adapters and answer their calls. Safe to repeat.

    Args:
        options: settings of the session; those of the driver's JVM count when it starts here.

    Returns:
        The jar of the adapters, for `spark.jars`.

    Raises:
        DeltaRuntimeError: PUREDELTA_JAVA_MISSING, PUREDELTA_JAVA_TOO_OLD and the like.
    """
    with _lock:
        gateway = _launch(options)
        jar = compiler.adapters_jar(gateway, _spark_version(gateway))
        _load(gateway, jar)
        _answer(gateway)
        return jar


def build_adapters() -> Path:
    """Return the jar of the adapters for the Spark of this machine, compiled if it is not cached.

    Raises:
        DeltaRuntimeError: as `open_gateway`, where a JVM is needed to compile it.
    """
    cached = _cached_adapters()
    if cached is not None:
        return cached
    with _lock:
        gateway = _launch({})
        return compiler.adapters_jar(gateway, _spark_version(gateway))


def build_adapters_apart() -> Path:
    """Return the jar of the adapters before this process has a JVM, which may then start with it.

    Raises:
        DeltaRuntimeError: as `open_gateway`.
    """
    _refuse_what_cannot_work()
    cached = _cached_adapters()
    if cached is not None:
        return cached
    command = [sys.executable, "-m", "puredelta", "jar"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return Path(done.stdout.strip())


def _cached_adapters() -> Path | None:
    version = environment.spark_version()
    return compiler.cached_jar(version) if version else None


def join_gateway(*, takes_over: bool) -> None:
    """Answer the adapters of the JVM that PySpark is connected to, where they are loaded.

    Args:
        takes_over: answer in place of another process that may answer already.

    Raises:
        DeltaRuntimeError: PUREDELTA_ADAPTERS_MISSING where there are none,
            PUREDELTA_ADAPTERS_DIFFER where they are those of another version,
            PUREDELTA_SIDECAR_SECOND where another process answers.
    """
    with _lock:
        gateway: Any = SparkContext._gateway
        if not _has_adapters(gateway):
            raise public(DeltaRuntimeError("PUREDELTA_ADAPTERS_MISSING"))
        patches.find_late_classes(gateway)
        patches.number_proxies_apart(gateway)
        _answer(gateway, takes_over=takes_over)


def is_answering() -> bool:
    """Say whether this process answers the adapters of its JVM."""
    return SparkContext._gateway is not None and _ENGINE in SparkContext._gateway.__dict__


def _launch(options: Mapping[str, str]) -> Any:
    if SparkContext._gateway is None:
        _refuse_what_cannot_work()
        conf = SparkConf().setAll(list(options.items()))
        with class_archive.mapped_classes():
            SparkContext._ensure_initialized(conf=conf)
    return SparkContext._gateway


def _refuse_what_cannot_work() -> None:
    explained = environment.explain_launch_failure()
    if explained is not None:
        raise public(explained)


def _spark_version(gateway: Any) -> str:
    package = getattr(gateway.jvm.org.apache.spark, "package$")
    return str(getattr(package, "MODULE$").SPARK_VERSION())


def _load(gateway: Any, jar: Path) -> None:
    # The record is a property of the JVM, because the JVM's class loader has the adapters as long
    # as it lives.
    if gateway.jvm.System.getProperty(_LOADED) is not None:
        return
    if not _has_adapters(gateway):
        _loader(gateway).addURL(gateway.jvm.java.io.File(str(jar)).toURI().toURL())
    patches.find_late_classes(gateway)
    gateway.jvm.System.setProperty(_LOADED, str(jar))


def _has_adapters(gateway: Any) -> bool:
    """Say whether the JVM was started with the adapters, as by `spark-submit --jars`."""
    digest = _loader(gateway).getResourceAsStream(compiler.DIGEST_OF_SOURCES)
    if digest is None:
        return False
    found = bytes(digest.readAllBytes()).decode("ascii")
    if found != compiler.sources_digest():
        raise public(DeltaRuntimeError("PUREDELTA_ADAPTERS_DIFFER", version=__version__))
    return True


def _loader(gateway: Any) -> Any:
    return gateway.jvm.java.lang.Thread.currentThread().getContextClassLoader()


def _answer(gateway: Any, *, takes_over: bool = True) -> None:
    if _ENGINE in gateway.__dict__:
        return
    _start_callback_server(gateway)
    failures.install()
    call_sites.install()
    client = patches.InterceptedClient(gateway._gateway_client)
    # A command passes the look-ups first, then the calls that wait, then the caller, then py4j:
    # what the look-ups answer needs no round trip that an interrupt has to wait for.
    caller = Caller(gateway, client.send)
    client.send_through(caller.send_command)
    calls = deferred.attach(gateway, client)
    client.send_through(Lookups(client.send).send_command)
    engine = Engine(caller)
    bridge = gateway.jvm.puredelta.Bridge
    connections = gateway.jvm.puredelta.Connections(patches.java_gateway(gateway))
    if takes_over:
        bridge.attach(engine, connections)
    elif not bridge.attachFirst(engine, connections):
        raise DeltaRuntimeError("PUREDELTA_SIDECAR_SECOND")
    handles.attach(gateway, client, calls)
    quiet.leave_out_calls_of(gateway, engine)
    # The entry is made last, so that an attempt that failed is made again by the next session.
    gateway.__dict__[_ENGINE] = engine


def _start_callback_server(gateway: Any) -> None:
    """Let the JVM call back, over loopback, with the gateway's own token and nothing less."""
    parameters = gateway.callback_server_parameters
    token = gateway.gateway_parameters.auth_token
    # Set before the server starts or, where PySpark started it already, before the next connection.
    parameters.auth_token = token
    ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]  # PySpark's own
    patches.keep_callback_token(gateway, token)
