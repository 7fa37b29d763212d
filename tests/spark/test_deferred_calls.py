"""Calls into the JVM that wait for one another: when they are made, and what becomes of objects."""

import gc
import threading
import time

import pytest
from py4j.java_gateway import JavaObject
from pyspark import SparkContext
from pyspark.errors import AnalysisException
from pyspark.sql.functions import col, lit, upper

from puredelta.engine.bridge.call_sites import without_call_sites
from puredelta.engine.bridge.classes import kind_of, new
from puredelta.engine.bridge.deferred import deferred, settled
from puredelta.engine.bridge.handles import each_of, first_children, items_of, sequence
from tests.patience import patient
from tests.spark.round_trips import count_round_trips


def analyzed(frame):
    return frame._jdf.queryExecution().analyzed()


def names_of(frame):
    return each_of(analyzed(frame).output(), "name")


@pytest.fixture
def rows(spark):
    return spark.range(3).withColumn("v", lit("x"))


def test_calls_are_made_with_the_first_that_answers_a_value(rows, monkeypatch):
    found = []

    def work():
        with without_call_sites(), deferred():
            chosen = rows.select("id", upper("v").alias("w")).where(col("id") > 1)
            found.extend(names_of(chosen))

    work()

    assert count_round_trips(monkeypatch, work) == 1
    assert found == ["id", "w"] * 2


def test_calls_that_nobody_asked_for_are_made_at_the_end(rows, monkeypatch):
    def work():
        with deferred():
            kept.append(rows.select("id"))

    kept = []
    work()

    assert count_round_trips(monkeypatch, work) == 1
    assert [names_of(frame) for frame in kept] == [["id"], ["id"]]


def test_without_the_block_each_call_is_made_at_once(rows):
    with pytest.raises(AnalysisException, match="nothing"):
        rows.select("nothing")


def test_failures_are_raised_where_the_calls_are_made(rows):
    with deferred():
        wrong = rows.select("nothing")
        with pytest.raises(AnalysisException, match="nothing"):
            names_of(wrong)
        assert names_of(rows.select("id")) == ["id"]


def test_settled_lines_raise_their_own_failures(rows):
    def chosen(name):
        try:
            with settled():
                return rows.select(name)
        except AnalysisException:
            return None

    with deferred():
        assert chosen("nothing") is None
        assert names_of(chosen("id")) == ["id"]


def test_failure_at_the_end_of_a_block_is_raised(rows):
    with pytest.raises(AnalysisException, match="nothing"), deferred():
        rows.select("nothing")


def test_what_waits_is_forgotten_after_a_failure(rows, monkeypatch):
    def fail():
        with deferred():
            rows.select("nothing")
            raise ZeroDivisionError

    def work():
        with pytest.raises(ZeroDivisionError):
            fail()

    work()

    assert count_round_trips(monkeypatch, work) == 0


def test_lists_and_maps_are_filled_without_calls(spark, monkeypatch):
    with deferred():
        values = sequence([new("java.util.Date", number) for number in range(3)])
        options = spark._jvm.PythonUtils.toSeq(["a", "b"])
        assert [date.getTime() for date in items_of(values)] == [0, 1, 2]
        assert items_of(options) == ["a", "b"]


def test_items_of_a_list_are_read_behind_what_waits(spark):
    with deferred():
        made = new("java.util.ArrayList")
        made.add("a")
        assert list(made) == ["a"]
        # py4j reads items by commands of another kind.
        assert made[0] == "a"


def test_objects_that_waiting_calls_name_are_not_released(rows):
    with deferred():
        # Made at once, named by a call that waits, and dropped.
        plans = sequence([items_of(analyzed(rows).children())[0] for _ in range(3)])
        gc.collect()
        # py4j looks for dropped objects while this waits.
        time.sleep(patient(3))
        assert [kind_of(plan) for plan in items_of(plans)] == ["Range"] * 3


def test_objects_that_were_dropped_while_calls_waited_are_released(rows):
    server = JavaObject("GATEWAY_SERVER", SparkContext._gateway._gateway_client)
    count = lambda: server.getGateway().getBindings().size()
    before = count()

    for _ in range(50):
        with deferred():
            names_of(rows.select("id", upper("v").alias("w")))
    gc.collect()
    deadline = time.monotonic() + patient(30)
    while count() > before + 50 and time.monotonic() < deadline:
        time.sleep(0.2)

    assert count() <= before + 50


def test_threads_do_not_share_what_waits(rows):
    found = {}

    def work(name):
        with deferred():
            chosen = rows.select(col("id").alias(name))
            barrier.wait(patient(30))
            found[name] = names_of(chosen)

    barrier = threading.Barrier(4)
    threads = [threading.Thread(target=work, args=(f"c{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == {f"c{number}": [f"c{number}"] for number in range(4)}


def test_a_chain_of_first_children_comes_in_one_call(rows, monkeypatch):
    plan = analyzed(rows.where("id > 1"))

    assert [kind for kind, _ in first_children(plan)] == ["Filter", "Project", "Range"]
    assert count_round_trips(monkeypatch, lambda: first_children(plan)) == 1
