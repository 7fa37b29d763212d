"""Calls into the JVM that wait for the next one: each round trip makes all that have waited.

Plans, columns and expressions are built by many small calls whose answers are objects, which
nothing but the next call needs. Inside `deferred`, such a call gets a handle of Python's own making
and waits; the first call whose answer is a value takes all that wait along, in their order.

    with deferred():
        plan = rows.select(...)._jdf.queryExecution().analyzed()   # no round trip
        names = items_of(plan.output())                            # one, for all of it

What a call that waited raises is raised where the calls are made. `settled` says where that may be
at the latest, for code that catches it.
"""

import itertools
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from puredelta.engine.bridge.jvm_parts import (
    BOOLEAN_TYPE,
    CALL_COMMAND_NAME,
    CONSTRUCTOR_COMMAND_NAME,
    LIST_TYPE,
    MAP_TYPE,
    MEMORY_COMMAND_NAME,
    NULL_TYPE,
    REFERENCE_TYPE,
    REFLECTION_COMMAND_NAME,
    STATIC_PREFIX,
    SUCCESS,
    SparkContext,
)
from puredelta.engine.bridge.patches import InterceptedClient, java_gateway

# Whatever is called on these classes gives an object.
_CLASSES = frozenset(
    STATIC_PREFIX + name
    for name in (
        "org.apache.spark.sql.classic.Dataset",
        "org.apache.spark.sql.classic.ExpressionUtils",
        "org.apache.spark.sql.functions",
        "scala.Option",
    )
)

# These static methods do, too.
_STATIC_METHODS = frozenset(
    (STATIC_PREFIX + name, method)
    for name, method in (
        ("org.apache.spark.api.python.PythonUtils", "toSeq"),
        ("org.apache.spark.sql.classic.SparkSession", "active"),
        ("puredelta.Bridge", "parse"),
        ("puredelta.TableFiles", "relation"),
        ("puredelta.TableScans", "of"),
        ("puredelta.TableScans", "rebound"),
        ("puredelta.TableScans", "rootsIn"),
    )
)

_OF_DATASETS = """
    agg baseRelationToDataFrame coalesce crossJoin filter groupBy join metadataColumn observe select
    toDF unionByName where withColumn withColumns withMetadata
"""
_OF_COLUMNS = """
    alias and apply as asc cast desc eqNullSafe equalTo getField getItem geq gt isNotNull isNull
    isin leq lt node notEqual or otherwise over plus when
"""
_OF_PLANS = """
    analyzed assignments collectLeaves dataFilters executedPlan identifier logical matchedActions
    mergeCondition metadataOutput newInstance notMatchedActions notMatchedBySourceActions
    observedMetrics optimizedPlan output partitionFilters projectList queryExecution sourceTable
    stats subqueries subqueriesAll targetTable
"""
_OF_EXPRESSIONS = """
    arguments child children condition dataSchema dataType empty exprId key left nameParts
    normalizeExprs origin PLAN_EXPRESSION PYTHON_UDF qualifier query right
    withNewChildren
"""
_OF_OTHERS = """
    cacheManager conf getClass newHadoopConf productElementNames productIterator relation sc
    schema sequence sessionState sharedState sqlParser
"""

# These methods give an object, never null, whatever object they are called on, and change nothing.
_METHODS = frozenset(f"{_OF_DATASETS}{_OF_COLUMNS}{_OF_PLANS}{_OF_EXPRESSIONS}{_OF_OTHERS}".split())

# py4j fills Java's collections item by item, and drops what each call answers.
_COLLECTIONS = {"java.util.ArrayList": LIST_TYPE, "java.util.HashMap": MAP_TYPE}
_FILLS = {"add": f"{SUCCESS}{BOOLEAN_TYPE}true", "put": f"{SUCCESS}{NULL_TYPE}"}

_CALLS = (CALL_COMMAND_NAME, CONSTRUCTOR_COMMAND_NAME)
# Look-ups of names and releases of objects.
_OF_NO_OBJECT = (REFLECTION_COMMAND_NAME, MEMORY_COMMAND_NAME)
_OF_GATEWAY = "puredelta_deferred_calls"
# py4j's own handles are an o and a number.
_HANDLE = "p"
# In texts that happen to look like one, too, which does no harm.
_NAMED = re.compile(r"[op]\d+")


@dataclass(slots=True)
class _Waiting:
    """The calls that wait.

    Attributes:
        calls: each as the JVM reads it, with the handle of its answer in front.
        handles: all that the calls name or make; some more than once.
        collections: those of Java's collections, which py4j fills item by item.
    """

    calls: list[str] = field(default_factory=list)
    handles: list[str] = field(default_factory=list)
    collections: set[str] = field(default_factory=set)


class _OfThread(threading.local):
    # None where calls do not wait.
    waiting: _Waiting | None = None


_of_thread = _OfThread()
_numbers = itertools.count(1)


def attach(gateway: Any, client: InterceptedClient) -> "DeferredCalls":
    """Make the JVM's side of this module, and send commands through it from now on.

    Args:
        gateway: of py4j.
        client: its client.
    """
    java = gateway.jvm.puredelta.DeferredCalls(java_gateway(gateway))
    calls = gateway.__dict__[_OF_GATEWAY] = DeferredCalls(java, client)
    client.send_through(calls.send_command)
    return calls


@contextmanager
def deferred() -> Iterator[None]:
    """Let calls wait whose answers are objects; make all that still wait at the end.

    Raises:
        PySparkException: what a call that waited raises.
    """
    settle()
    outer = _of_thread.waiting
    _of_thread.waiting = _Waiting()
    try:
        yield
        settle()
    finally:
        # After a failure nobody has use for what waits.
        _discard()
        _of_thread.waiting = outer


@contextmanager
def settled() -> Iterator[None]:
    """Make the calls that wait before the first and after the last line inside.

    What these lines raise is then raised in them, not at some later line.

    Raises:
        PySparkException: what a call that waited raises.
    """
    settle()
    yield
    settle()


def settle() -> None:
    """Make the calls that wait.

    Raises:
        PySparkException: what one of them raises.
    """
    if _has_waiting():
        _of_gateway().settle()


def _discard() -> None:
    if _has_waiting():
        _of_gateway().discard()


def _has_waiting() -> bool:
    waiting = _of_thread.waiting
    return waiting is not None and bool(waiting.calls)


def _of_gateway() -> "DeferredCalls":
    gateway: Any = SparkContext._gateway
    calls: DeferredCalls = gateway.__dict__[_OF_GATEWAY]
    return calls


def _gives_object(target: str, method: str) -> bool:
    if target.startswith(STATIC_PREFIX):
        return target in _CLASSES or (target, method) in _STATIC_METHODS
    return method in _METHODS


class DeferredCalls:
    """Sends commands of py4j, and lets those wait that only make an object."""

    def __init__(self, java: Any, client: InterceptedClient) -> None:
        """Stand before what sends the commands now.

        Args:
            java: a `puredelta.DeferredCalls`.
            client: of py4j.
        """
        self._java = java
        self._client = client
        self._send = client.send
        # How many times calls that wait need an object, and which of those Python has dropped.
        self._needed: Counter[str] = Counter()
        self._dropped: set[str] = set()
        # Python drops objects at any time, so also within a method that holds the lock.
        self._lock = threading.RLock()

    def send_command(self, command: str, *flags: bool, **named: bool) -> Any:
        """Send a command as py4j does, behind those that wait, unless it can wait itself."""
        waiting = _of_thread.waiting
        if waiting is None or command.startswith(_OF_NO_OBJECT):
            return self._send(command, *flags, **named)
        if command.startswith(_CALLS):
            answer = self._put_off(waiting, command)
            if answer is not None:
                return answer
            if waiting.calls:
                return self._send_behind(waiting, command)
        elif waiting.calls:
            self.settle()
        return self._send(command, *flags, **named)

    def settle(self) -> None:
        """Make the calls of this thread that wait."""
        self._java.settle()

    def discard(self) -> None:
        """Forget the calls of this thread that wait."""
        waiting, _of_thread.waiting = _of_thread.waiting, _Waiting()
        if waiting is not None:
            self._forget(waiting.handles)

    def drop(self, handle: str) -> bool:
        """Note that Python dropped an object; say whether a call that waits still needs it."""
        with self._lock:
            if handle not in self._needed:
                return False
            self._dropped.add(handle)
            return True

    def _send_behind(self, waiting: _Waiting, command: str) -> str:
        """Make the calls that wait and one more; return the answer to this one."""
        _of_thread.waiting = _Waiting()
        try:
            made: str = self._java.run("".join([*waiting.calls, "\n", command]))
        finally:
            self._forget(waiting.handles)
        # An answer is a line that begins with a mark.
        return made[1:-1]

    def _put_off(self, waiting: _Waiting, command: str) -> str | None:
        """Let a command wait if it can; return what py4j takes for its answer."""
        kind, target, method = command.split("\n", 3)[:3]
        if target in waiting.collections and method in _FILLS:
            self._append(waiting, "", command)
            return _FILLS[method]
        makes_instance = f"{kind}\n" == CONSTRUCTOR_COMMAND_NAME
        if not (makes_instance or _gives_object(target, method)):
            return None
        handle = f"{_HANDLE}{next(_numbers)}"
        self._append(waiting, handle, command)
        collection = _COLLECTIONS.get(target) if makes_instance else None
        if collection is not None:
            waiting.collections.add(handle)
        return f"{SUCCESS}{collection or REFERENCE_TYPE}{handle}"

    def _append(self, waiting: _Waiting, handle: str, command: str) -> None:
        call = f"{handle}\n{command}"
        # py4j holds what a call names until the call returns, and this one has yet to be made.
        handles = _NAMED.findall(call)
        waiting.calls.append(call)
        waiting.handles += handles
        with self._lock:
            self._needed.update(handles)

    def _forget(self, handles: Sequence[str]) -> None:
        with self._lock:
            self._needed.subtract(handles)
            done = {handle for handle in handles if not self._needed[handle]}
            for handle in done:
                del self._needed[handle]
            dropped = done & self._dropped
            self._dropped -= dropped
        for handle in dropped:
            self._client.enqueue(handle)
