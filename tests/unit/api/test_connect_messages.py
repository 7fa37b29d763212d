"""What client and driver of Spark Connect send to each other."""

import base64
import json

import pytest
from pyspark.sql.types import IntegerType, StructField, StructType

from puredelta.api.connect.messages import (
    DeltaFailure,
    MethodCall,
    ReportFound,
    RowsFound,
    TableFound,
    Value,
    WrongArgument,
    calls_of,
    decode_answer,
    encode_answer,
    statement_of,
)
from puredelta.api.connect.values import Encoder, decode
from puredelta.api.table_builder import IdentityGenerator
from puredelta.errors import DeltaRuntimeError, DeltaUnsupportedOperationError
from puredelta.frontend.sql.statements import method_call
from puredelta.frontend.sql.statements.registry import read_statement
from puredelta.version import __version__


@pytest.fixture
def served(monkeypatch):
    monkeypatch.setattr(method_call, "_answers", [lambda _session, calls: calls])


def test_calls_arrive_as_they_were_sent(served):
    calls = [
        MethodCall(method="forPath", named={"path": "/t ${x} 'q'"}),
        MethodCall(method="delete", positional=("id = 1",)),
    ]

    statement = read_statement(statement_of(calls))

    assert calls_of(statement.calls) == calls


@pytest.mark.parametrize("text", ["CALL system.proc('x')", "CALL puredelta.other('x')"])
def test_other_procedures_are_left_to_spark(served, text):
    assert read_statement(text) is None


def test_process_that_answers_no_calls_leaves_them_to_spark(monkeypatch):
    monkeypatch.setattr(method_call, "_answers", [])

    assert read_statement(statement_of([MethodCall(method="history")])) is None


def test_client_of_another_version_is_refused():
    sent = base64.b64encode(json.dumps({"version": "999.1", "calls": 7}).encode()).decode()

    with pytest.raises(DeltaRuntimeError, match="PUREDELTA_CONNECT_VERSION") as raised:
        calls_of(sent)

    assert raised.value.parameters == {"client": "999.1", "server": __version__}


@pytest.mark.parametrize(
    "answer",
    [
        Value(value=None),
        Value(value=True),
        TableFound(name=None, path="file:/t"),
        RowsFound(schema="{}", rows=b"\x00\x01"),
        ReportFound(type="Upserted", value={"version": 1}),
        DeltaFailure(type="DeltaAnalysisException", condition="A.B", parameters={"x": "y"}),
        WrongArgument(type="TypeError", text="no"),
    ],
)
def test_answers_arrive_as_they_were_sent(answer):
    assert decode_answer(encode_answer(answer)) == answer


FIELD = StructField("a", IntegerType(), nullable=False, metadata={"comment": "it"})


@pytest.mark.parametrize(
    "value",
    [
        None,
        "a",
        [1, ["x"]],
        {"rows": "is no view", "n": None},
        StructType([FIELD]),
        [FIELD],
        IdentityGenerator(5, -1),
    ],
)
def test_arguments_arrive_as_they_were_given(value):
    sent = json.loads(json.dumps(Encoder(None).encode("m", "x", value)))

    assert decode(None, sent) == value


def test_argument_of_another_kind_is_refused():
    with pytest.raises(DeltaUnsupportedOperationError, match="argument x of m is a set"):
        Encoder(None).encode("m", "x", {1})
