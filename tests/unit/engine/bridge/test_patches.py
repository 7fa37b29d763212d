"""What is replaced in PySpark is replaced once, and goes on to do what it did."""

import pytest
from pyspark import SparkContext
from pyspark.errors.exceptions import captured
from pyspark.sql.classic.dataframe import DataFrame

from puredelta.engine.bridge import patches


@pytest.fixture
def context(monkeypatch):
    """A context that was never started, of a class whose `stop` is PySpark's own."""
    original = getattr(SparkContext.stop, "puredelta_original", SparkContext.stop)
    monkeypatch.setattr(SparkContext, "stop", original)
    return SparkContext.__new__(SparkContext)


class JvmContext:
    """Stands for the JVM's context."""

    def stop(self):
        """Do nothing."""


def test_forgets_after_a_running_context_was_stopped(context):
    calls = []
    patches.after_stop(lambda: calls.append(context._jsc))
    context._jsc = JvmContext()

    context.stop()

    assert calls == [None]


def test_forgets_nothing_when_a_stopped_context_is_stopped_again(context):
    calls = []
    patches.after_stop(lambda: calls.append("forgot"))
    context._jsc = None

    context.stop()

    assert calls == []


def test_second_patch_of_the_same_function_changes_nothing(context):
    patches.after_stop(lambda: None)
    first = SparkContext.stop

    patches.after_stop(lambda: None)

    assert SparkContext.stop is first


def test_exception_that_is_not_converted_is_left_to_pyspark(monkeypatch):
    monkeypatch.setattr(captured, "convert_exception", lambda java_error: ("theirs", java_error))
    ours = ValueError("ours")

    patches.convert_exceptions_with({"known": ours}.get)

    assert captured.convert_exception("known") is ours
    assert captured.convert_exception("other") == ("theirs", "other")


def test_explain_prints_more_after_the_plan(monkeypatch, capsys):
    def explain(frame, extended):
        print(frame, extended)

    monkeypatch.setattr(DataFrame, "explain", explain)
    patches.extend_explain(lambda frame: f"files of {frame}\n")

    DataFrame.explain("query", extended=True)

    assert capsys.readouterr().out == "query True\nfiles of query\n"


def test_commands_go_through_the_last_that_took_them_over():
    class Client:
        is_connected = True

        def send_command(self, command):
            return [command]

        def garbage_collect_object(self, target_id):
            raise AssertionError(target_id)

    client = Client()
    between = patches.InterceptedClient(client)
    for name in ("inner", "outer"):
        between.send_through(lambda command, send=between.send, name=name: [name, *send(command)])

    assert client.send_command("c") == ["outer", "inner", "c"]
