"""The way back from the JVM: who may call, and what happens when a callback fails."""

import gc
import socket
import threading
import weakref

import pytest
from pyspark import SparkContext
from pyspark.errors import AnalysisException

from puredelta.engine.bridge import callbacks, failures
from puredelta.errors.classes import DeltaAnalysisError, DeltaError


@pytest.fixture
def gateway(spark):
    return SparkContext._gateway


@pytest.fixture
def failing():
    def fail(_text, _first, _second):
        raise DeltaAnalysisError("DELTA_PATH_EXISTS", path="/somewhere")

    callbacks.serve("test.fail")(fail)
    yield "test.fail"
    del callbacks._handlers["test.fail"]


def test_callback_port_listens_on_loopback_only(gateway):
    address, _ = gateway._callback_server.server_socket.getsockname()

    assert address == "127.0.0.1"


def test_stranger_without_the_token_gets_no_answer(gateway):
    port = gateway._callback_server.server_socket.getsockname()[1]

    with socket.create_connection(("127.0.0.1", port), timeout=10) as stranger:
        stranger.sendall(b"c\np0\ncall\nsscan.files\ne\n")
        try:
            answer = stranger.recv(1000)
        except ConnectionResetError:
            answer = b""

    assert answer == b""


def raised_by(bridge, topic):
    try:
        bridge.call(topic, "", None, None)
    except DeltaError as error:
        return error
    raise AssertionError(topic)


def test_failure_that_arrived_is_not_kept(gateway, failing):
    bridge = gateway.jvm.puredelta.Bridge

    error = weakref.ref(raised_by(bridge, failing))
    gc.collect()

    assert error() is None


def test_failure_that_comes_once_more_is_made_again(gateway, failing):
    java = raised_by(gateway.jvm.puredelta.Bridge, failing)
    while not hasattr(java, "java_exception"):
        java = java.__cause__ or java.__context__
    gc.collect()

    again = failures.original(java.java_exception)

    assert (type(again).__name__, again.getCondition(), again.getMessageParameters()) == (
        "DeltaAnalysisError",
        "DELTA_PATH_EXISTS",
        {"path": "/somewhere"},
    )


@pytest.fixture
def long_answer():
    text = 'é\U0001f409\t"\\\r\n' * 20_000
    callbacks.serve("test.long")(lambda _text, _first, _second: text)
    yield text
    del callbacks._handlers["test.long"]


def test_long_answer_is_in_a_file_that_java_deletes(gateway, long_answer, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    answer = gateway.jvm.puredelta.Bridge.call("test.long", "", None, None)

    assert answer == long_answer
    assert list(tmp_path.iterdir()) == []


def test_long_answer_of_a_full_disk_crosses_by_itself(gateway, long_answer, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", "/proc/self/nowhere")

    assert gateway.jvm.puredelta.Bridge.call("test.long", "", None, None) == long_answer


def test_file_of_a_long_answer_is_of_this_user_alone(long_answer, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    callbacks._brought(long_answer)

    (file,) = tmp_path.iterdir()
    assert (file.stat().st_mode & 0o777, file.read_bytes().decode()) == (0o600, long_answer)


def test_jvm_threads_that_python_did_not_start_may_call(gateway):
    called = threading.Event()
    callbacks.serve("test.thread")(lambda _text, _first, _second: called.set())
    bridge = gateway.jvm.puredelta.Bridge

    class Task:
        def run(self):
            bridge.call("test.thread", "", None, None)

        class Java:
            implements = ("java.lang.Runnable",)

    thread = gateway.jvm.java.lang.Thread(Task())
    thread.start()
    thread.join(10_000)

    assert called.is_set()


def test_error_in_a_callback_comes_back_as_itself(gateway, failing):
    with pytest.raises(AnalysisException) as caught:
        gateway.jvm.puredelta.Bridge.call(failing, "", None, None)

    assert isinstance(caught.value, DeltaError)
    assert caught.value.getCondition() == "DELTA_PATH_EXISTS"
    assert caught.value.getSqlState() == "42K04"
    assert caught.value.getMessageParameters() == {"path": "/somewhere"}


def test_error_in_a_callback_leaves_the_jvm_working(gateway, failing, spark):
    for _ in range(5):
        with pytest.raises(AnalysisException):
            gateway.jvm.puredelta.Bridge.call(failing, "", None, None)

    assert spark.range(3).count() == 3


def test_error_of_any_python_class_comes_back(gateway):
    def fail(_text, _first, _second):
        raise ZeroDivisionError("one by zero")

    callbacks.serve("test.any")(fail)

    with pytest.raises(ZeroDivisionError, match="one by zero"):
        gateway.jvm.puredelta.Bridge.call("test.any", "", None, None)


def test_unknown_topic_is_an_error_and_no_hang(gateway):
    with pytest.raises(KeyError):
        gateway.jvm.puredelta.Bridge.call("no.such.topic", "", None, None)


def test_java_sees_the_condition_and_the_state_of_an_error(gateway):
    told = '{"message": "m", "number": "7", "condition": "DELTA_A", "sqlState": "42000"}'

    failure = gateway.jvm.puredelta.PythonFailure(gateway.jvm.puredelta.Bridge.parse(told))

    assert (failure.getCondition(), failure.getSqlState()) == ("DELTA_A", "42000")
    assert (failure.getNumber(), failure.getMessage()) == ("7", "m")
