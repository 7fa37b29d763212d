"""Threads of the JVM share connections to Python, and leave few behind."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from puredelta.engine.bridge import callbacks

THREADS = 60
FEW = 35


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


def run_in_threads(jvm, gateway, topic, count):
    """Ask from so many threads at a time; return what each was answered."""
    asks = question(jvm, gateway, topic)
    tasks = [jvm.java.util.concurrent.FutureTask(asks) for _ in range(count)]
    for task in tasks:
        jvm.java.lang.Thread(task).start()
    return [task.get() for task in tasks]


def test_one_connection_serves_one_thread_after_the_other(spark, topic):
    jvm, gateway = spark._jvm, spark.sparkContext._gateway
    run_in_threads(jvm, gateway, topic, 1)
    sockets, threads = open_sockets(), threading.active_count()

    for number in range(2, THREADS + 2):
        assert run_in_threads(jvm, gateway, topic, 1) == [str(number)]

    assert open_sockets() == sockets
    assert threading.active_count() == threads


def test_many_threads_at_a_time_leave_few_connections(spark, topic, monkeypatch):
    jvm, gateway = spark._jvm, spark.sparkContext._gateway
    answer = callbacks._handlers[topic]
    # Nobody is answered before all have asked, so that each has a connection of its own.
    everyone = threading.Barrier(THREADS)

    def answer_together(*asked):
        everyone.wait(60)
        return answer(*asked)

    monkeypatch.setitem(callbacks._handlers, topic, answer_together)
    sockets, threads = open_sockets(), threading.active_count()

    answers = run_in_threads(jvm, gateway, topic, THREADS)
    deadline = time.monotonic() + 10
    while threading.active_count() - threads > FEW and time.monotonic() < deadline:
        time.sleep(0.1)

    assert sorted(map(int, answers)) == list(range(1, THREADS + 1))
    assert open_sockets() - sockets <= FEW
    assert threading.active_count() - threads <= FEW


def test_statements_at_the_same_time_have_connections_of_their_own(spark, tmp_path):
    """What a statement asks within a question goes over the connection of that question."""

    def work(number):
        path = str(tmp_path / str(number))
        spark.range(5).write.format("delta").save(path)
        for row in range(5):
            spark.sql(f"UPDATE delta.`{path}` SET id = id + 10 WHERE id = {row}")
        return spark.read.format("delta").load(path).where("id >= 10").count()

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(6))) == [5] * 6
