"""All that is replaced in PySpark and py4j, and what is used of them that is private to them.

Each function or class changes one thing and says why, and which versions have what it changes.
None of them decides anything: what is to be done instead is passed in.
`docs/decisions/0012-state-and-patches.md` lists them.

Those of the process are applied once and stay until it ends. Those of a gateway are applied by
`gateway.open_gateway`, once for each JVM.
"""

import logging
import secrets
import threading
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar

from pyspark.errors import utils
from pyspark.errors.exceptions import captured
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.utils import ForeachBatchFunction

from puredelta.engine.bridge.jvm_parts import (
    GATEWAY_SERVER_OBJECT_ID,
    ClassicDataFrame,
    JavaObject,
    SparkContext,
)

Send = Callable[..., Any]
Failure = TypeVar("Failure", bound=Exception)

# What a replacement has in place of another mark: the function that it stands for.
_ORIGINAL = "puredelta_original"
_lock = threading.Lock()

_QUERY_CONTEXT_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


def _replace(owner: Any, name: str, around: Callable[[Any], Callable[..., Any]]) -> None:
    """Put a function around one of PySpark's, unless that was done before."""
    with _lock:
        original = getattr(owner, name)
        if hasattr(original, _ORIGINAL):
            return
        replacement = wraps(original)(around(original))
        setattr(replacement, _ORIGINAL, original)
        setattr(owner, name, replacement)


# ---------------------------------------------------------------------- PySpark, for the process


def convert_exceptions_with(
    convert: Callable[[Any], BaseException | None],
    declared: Callable[[Any], Any] = lambda java_error: java_error,
) -> None:
    """Ask a function first which exception of Python a JVM exception becomes.

    PySpark has a fixed list of JVM classes, and no hook. PySpark 4.0 to 4.3: all conversions go
    through `captured.convert_exception`.

    Args:
        convert: returns None to leave the exception to PySpark.
        declared: returns the exception that one stands for, which is converted in its place.
    """

    def around(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def convert_exception(java_error: Any) -> Any:
            meant = declared(java_error)
            found = convert(meant)
            return original(meant) if found is None else found

        return convert_exception

    _replace(captured, "convert_exception", around)


def convert_query_failures_with(convert: Callable[[Any], BaseException | None]) -> None:
    """Ask a function first which exception `StreamingQuery.exception()` returns.

    It makes one itself, past `captured.convert_exception`. PySpark 4.0 to 4.3.

    Args:
        convert: returns None to leave the exception to PySpark.
    """

    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def exception(self: StreamingQuery) -> Any:
            failure = self._jsq.exception()
            found = convert(failure.get()) if failure.isDefined() else None
            return original(self) if found is None else found

        return exception

    _replace(StreamingQuery, "exception", around)


def note_failing_batches(kind: type[Failure], note: Callable[[str, Failure], None]) -> None:
    """Call a function when that of `foreachBatch` raises an exception of a kind.

    The JVM keeps the text of the exception only. PySpark 4.0 to 4.3.

    Args:
        kind: the class of the exceptions.
        note: gets the id of the query's run, which the message of its failure names, and what was
            raised.
    """

    def around(original: Callable[..., None]) -> Callable[..., None]:
        def call(self: ForeachBatchFunction, *arguments: Any) -> None:
            try:
                original(self, *arguments)
            except kind as error:
                # Spark runs the jobs of a query in a group that has the id of its run.
                run = self.session.sparkContext.getLocalProperty("spark.jobGroup.id")
                note(run or "", error)
                raise

        return call

    _replace(ForeachBatchFunction, "call", around)


def filter_query_contexts(is_logged: Callable[[logging.LogRecord], bool]) -> None:
    """Ask a function whether PySpark logs an exception that names a position in a query.

    PySpark 4.0 to 4.3 logs each such exception when it makes it, before anyone can catch it.
    """
    for name in _QUERY_CONTEXT_LOGGERS:
        # `addFilter` takes the same filter once.
        PySparkLogger.getLogger(name).addFilter(is_logged)


def capture_call_sites_if(is_wanted: Callable[[], bool]) -> None:
    """Ask a function whether PySpark writes the place in the code into the columns that it makes.

    PySpark decides once for a process, by a static setting. PySpark 4.0 to 4.3: it asks
    `utils.is_debugging_enabled` for each column.
    """

    def around(original: Callable[[], bool]) -> Callable[[], bool]:
        def is_debugging_enabled() -> bool:
            return is_wanted() and original()

        return is_debugging_enabled

    _replace(utils, "is_debugging_enabled", around)


def extend_explain(more: Callable[[ClassicDataFrame], str]) -> None:
    """Let `DataFrame.explain` print more after Spark's own plan.

    The text of a plan is made in the JVM, node by node, and has no place for what concerns the
    whole query. PySpark 4.0 to 4.3.
    """

    def around(original: Callable[..., None]) -> Callable[..., None]:
        def explain(self: ClassicDataFrame, *args: Any, **kwargs: Any) -> None:
            original(self, *args, **kwargs)
            print(more(self), end="")  # noqa: T201  # as Spark's own does

        return explain

    _replace(ClassicDataFrame, "explain", around)


def after_stop(forget: Callable[[], None]) -> None:
    """Call a function once a running `SparkContext` has been stopped, by `spark.stop()` for one.

    PySpark has no hook for the end of a context but the end of the process. PySpark 4.0 to 4.3.
    """

    def around(original: Callable[[SparkContext], None]) -> Callable[[SparkContext], None]:
        def stop(self: SparkContext) -> None:
            # A context may be stopped again while another one runs.
            is_running = getattr(self, "_jsc", None) is not None
            try:
                original(self)
            finally:
                if is_running:
                    forget()

        return stop

    _replace(SparkContext, "stop", around)


def make_default(session: SparkSession) -> None:
    """Make a session the one that `SparkSession.builder.getOrCreate()` gives.

    PySpark has no method for it: it keeps the session that it made itself. PySpark 4.0 to 4.3.
    """
    SparkSession._instantiatedSession = session
    SparkSession._activeSession = session


# --------------------------------------------------------------------------- py4j, for a gateway


class InterceptedClient:
    """Stands between PySpark and py4j's client: commands and releases of objects go through it.

    All JVM objects of Python hold the client itself, so that it stays, and two of its methods are
    replaced. py4j 0.10.9.9, of PySpark 4.0 to 4.3.

    Attributes:
        send: sends a command as the last to take that over does.
        enqueue: what py4j does with an object that Python dropped.
    """

    def __init__(self, client: Any) -> None:
        """Take the client of a gateway."""
        self._client = client
        self.send: Send = client.send_command
        self.enqueue: Callable[[str], None] = client.garbage_collect_object

    @property
    def is_connected(self) -> bool:
        """The JVM still answers."""
        return bool(self._client.is_connected)

    @property
    def dropped(self) -> Any:
        """The deque of the objects that Python dropped and py4j's thread has not released."""
        return self._client.finalizer_deque

    def send_through(self, send: Send) -> None:
        """Let a function send all commands, such as one around `send`."""
        self._client.send_command = self.send = send

    def release_through(self, release: Callable[..., None]) -> None:
        """Let a function release all objects that Python drops."""
        self._client.garbage_collect_object = release


def java_gateway(gateway: Any) -> Any:
    """Return the JVM's side of a gateway of py4j."""
    return JavaObject(GATEWAY_SERVER_OBJECT_ID, gateway._gateway_client).getGateway()


def keep_callback_token(gateway: Any, token: str) -> None:
    """Let Java go on to show a token when it calls Python.

    py4j 0.10.9.9 forgets the token when the port of its client is set anew
    (`PythonClient.copyWith`), which PySpark does for each callback server.
    """
    kind = gateway.jvm.java.lang.Class.forName("py4j.CallbackClient")
    field = kind.getDeclaredField("authToken")
    field.setAccessible(True)
    field.set(java_gateway(gateway).getCallbackClient(), token)


def number_proxies_apart(gateway: Any) -> None:
    """Let this process's objects in the JVM have numbers that those of no process before it have.

    py4j, all versions, counts from 0 in each process. Once the JVM's garbage collector has found an
    object of a process that has ended, it asks the process that answers now to forget the number:
    that process would forget an object of its own, and answer no more.
    """
    pool = gateway.gateway_property.pool
    with pool.lock:
        pool.next_id += secrets.randbits(60)


def find_late_classes(gateway: Any) -> None:
    """Let py4j look classes up by the class loader of the thread.

    By itself it asks the loader that it was loaded by, which has no classes that came later.
    py4j 0.10.9.9, by its own public method.
    """
    reflection = gateway.jvm.py4j.reflection
    reflection.ReflectionUtil.setClassLoadingStrategy(
        reflection.CurrentThreadClassLoadingStrategy()
    )


def filter_logs(loggers: Iterable[logging.Logger], judge: logging.Filter) -> None:
    """Let a filter judge the messages of some loggers of py4j, once each."""
    for logger in loggers:
        logger.addFilter(judge)
