"""Threads of the JVM that ask and end leave no connections behind."""

import threading
import time
from pathlib import Path

import pytest

from puredelta.engine.bridge import callbacks, connections

THREADS = 150
FEW = 80


@pytest.fixture
def topic(monkeypatch):
    """A question that is answered with the number of questions so far."""
    asked = []

    def answer(text, _first, _second):
        asked.append(text)
        return str(len(asked))

    monkeypatch.setitem(callbacks._handlers, "test.connections", answer)
    return "test.connections"


def question(jvm, gateway, topic):
    """A Callable of Java's that asks Python, without py4j's own proxies."""
    forms = {
        name: jvm.java.lang.Class.forName(f"java.lang.{name}") for name in ("Object", "String")
    }
    given = gateway.new_array(jvm.java.lang.Class, 4)
    for place, form in enumerate(("String", "String", "Object", "Object")):
        given[place] = forms[form]
    invoke = jvm.java.lang.invoke
    form = invoke.MethodType.methodType(forms["Object"], given)
    loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
    bridge = loader.loadClass("puredelta.Bridge")
    found = invoke.MethodHandles.publicLookup().findStatic(bridge, "call", form)
    values = gateway.new_array(jvm.java.lang.Object, 4)
    values[0], values[1] = topic, ""
    bound = invoke.MethodHandles.insertArguments(found, 0, values)
    kind = jvm.java.lang.Class.forName("java.util.concurrent.Callable")
    return invoke.MethodHandleProxies.asInterfaceInstance(kind, bound)


def open_sockets():
    found = Path("/proc/self/fd")
    return sum(one.is_socket() for one in found.iterdir())


def test_threads_that_end_leave_few_connections(spark, topic):
    jvm, gateway = spark._jvm, spark.sparkContext._gateway
    asks = question(jvm, gateway, topic)
    sockets, threads = open_sockets(), threading.active_count()

    for number in range(1, THREADS + 1):
        task = jvm.java.util.concurrent.FutureTask(asks)
        jvm.java.lang.Thread(task).start()
        assert task.get() == str(number)
    time.sleep(0.5)

    assert open_sockets() - sockets < FEW
    assert threading.active_count() - threads < FEW


def test_connections_of_threads_that_live_are_left_alone(spark, tmp_path, monkeypatch):
    """What a statement asks within a question goes over the connection of that question."""
    path = str(tmp_path / "t")
    spark.range(10).write.format("delta").save(path)
    monkeypatch.setattr(connections, "_FEW", 0)
    monkeypatch.setattr(spark.sparkContext._gateway.puredelta_engine._connections, "_most", 0)

    for number in range(20):
        spark.sql(f"UPDATE delta.`{path}` SET id = id + 10 WHERE id = {number}")
        assert spark.read.format("delta").load(path).where(f"id > {number + 9}").count() == 1
