"""Objects of this process in the JVM: their numbers are none that a process before it gave."""

from types import SimpleNamespace

from py4j.java_gateway import PythonProxyPool

from puredelta.engine.bridge import patches


def first_number():
    """The number of the first object of a process that joins a JVM."""
    pool = PythonProxyPool()
    gateway = SimpleNamespace(gateway_property=SimpleNamespace(pool=pool))
    patches.number_proxies_apart(gateway)
    return pool.put(object())


def test_numbers_of_processes_that_join_one_jvm_differ():
    assert len({first_number() for _ in range(50)}) == 50


def test_objects_that_are_there_stay():
    pool = PythonProxyPool()
    before = pool.put("engine")
    patches.number_proxies_apart(SimpleNamespace(gateway_property=SimpleNamespace(pool=pool)))

    assert pool[before] == "engine"
    assert pool.put("other") != before
