"""Objects of the JVM are handed over, taken and released many in one call."""

import gc
import time

from py4j.java_gateway import JavaObject
from pyspark import SparkContext

from puredelta.engine.bridge.classes import kind_of, new, static_method
from puredelta.engine.bridge.handles import items_of, sequence
from tests.patience import patient


def number_of_objects(gateway):
    """How many objects the JVM keeps for Python."""
    server = JavaObject("GATEWAY_SERVER", gateway._gateway_client)
    return server.getGateway().getBindings().size()


def counted(client, monkeypatch):
    """The commands that are sent from now on."""
    sent = []
    send = client.send_command

    def noted(command, *arguments):
        sent.append(command)
        return send(command, *arguments)

    monkeypatch.setattr(client, "send_command", noted)
    return sent


def test_items_come_as_py4j_brings_each(spark):
    values = ["", "two\nlines\r", "\\n", "ü😀", 7, 2**40, 1.5, True, None]

    assert items_of(sequence(values)) == values


def test_items_may_be_objects(spark):
    made = [new("java.util.ArrayList"), new("java.lang.Object")]

    found = items_of(sequence(made))

    assert [kind_of(one) for one in found] == ["ArrayList", "Object"]
    assert found[1].equals(made[1])


def test_a_sequence_may_be_empty(spark):
    assert items_of(sequence([])) == []
    assert sequence([]).isEmpty()


def test_an_iterator_has_items(spark):
    names = static_method("org.apache.spark.sql.types.StructType", "fromDDL")("a INT, b INT")

    assert items_of(names.iterator())[1].name() == "b"


def test_objects_are_handed_over_in_one_call(spark, monkeypatch):
    fields = ", ".join(f"c{number} INT" for number in range(50))
    schema = static_method("org.apache.spark.sql.types.StructType", "fromDDL")(fields)
    sent = counted(SparkContext._gateway._gateway_client, monkeypatch)

    assert len(items_of(schema)) == 50

    assert len([one for one in sent if not one.startswith("m")]) == 1


def test_a_class_and_its_methods_are_looked_up_once(spark, monkeypatch):
    sum_of_two = lambda: getattr(spark._jvm, "java.lang.Math").addExact(1, 2)
    sum_of_two()
    asked = []
    lookups = SparkContext._gateway._gateway_client.send_command.__self__
    send = lookups._send
    monkeypatch.setattr(lookups, "_send", lambda *sent: asked.append(sent[0]) or send(*sent))

    assert sum_of_two() == 3

    assert [one[:1] for one in asked] == ["c"]


def test_dropped_objects_are_released_together(spark, monkeypatch):
    gateway = SparkContext._gateway
    objects = [new("java.lang.Object") for _ in range(300)]
    many = number_of_objects(gateway)
    sent = counted(gateway._gateway_client, monkeypatch)

    objects.clear()
    gc.collect()
    deadline = time.monotonic() + patient(30)
    # Asking makes a few objects, too.
    while (left := number_of_objects(gateway)) > many - 250 and time.monotonic() < deadline:
        time.sleep(0.2)

    assert left <= many - 250
    assert not [one for one in sent if one.startswith("m")]
    assert 1 <= len([one for one in sent if "\nrelease\n" in one]) < 30


def test_objects_of_a_sequence_are_held_until_it_is_made(spark):
    def made():
        for number in range(2):
            yield new("java.util.Date", number)
            # py4j looks once a second for objects that Python has dropped.
            gc.collect()
            time.sleep(1.5)

    assert [date.getTime() for date in items_of(sequence(made()))] == [0, 1]
