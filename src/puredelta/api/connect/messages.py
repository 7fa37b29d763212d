"""What client and driver send to each other: calls of methods, and what they return."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from puredelta.errors.classes import DeltaRuntimeError
from puredelta.frontend.sql.statements.method_call import HEAD
from puredelta.version import __version__

# Asks for the last commit of a session. No method of a table has this name.
LAST_COMMIT = "last_commit"


class MethodCall(msgspec.Struct, frozen=True, kw_only=True):
    """One method of a chain: the first of `DeltaTable`, each other of what the one before returned.

    Attributes:
        method: its name.
        positional: arguments, as `values` encodes them.
        named: arguments by name, without the session.
    """

    method: str
    positional: tuple[Any, ...] = ()
    named: Mapping[str, Any] = {}


class Sent(msgspec.Struct, frozen=True, kw_only=True):
    """A chain of methods, and the version of puredelta that the client has."""

    version: str
    calls: list[MethodCall]


class _OfVersion(msgspec.Struct):
    version: str


class Answer(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """What the last method of a chain returned or raised."""


class Value(Answer, frozen=True, kw_only=True, tag="value"):
    """None, a bool, or another value that JSON has."""

    value: Any = None


class TableFound(Answer, frozen=True, kw_only=True, tag="table"):
    """A table, by its name if it has one."""

    name: str | None
    path: str


class RowsFound(Answer, frozen=True, kw_only=True, tag="rows"):
    """A DataFrame: its schema as JSON, its rows as a stream of Arrow."""

    schema: str
    rows: bytes


class ReportFound(Answer, frozen=True, kw_only=True, tag="report"):
    """A dataclass that `puredelta.api` exports."""

    type: str
    value: Any


class ResultFound(RowsFound, frozen=True, kw_only=True, tag="result"):
    """A `StatementResult`: its rows, and what it committed, if anything had to be changed."""

    commit: ReportFound | None


class DeltaFailure(Answer, frozen=True, kw_only=True, tag="delta failure"):
    """One of our errors, by the name of its class in `puredelta.exceptions`."""

    type: str
    condition: str
    parameters: dict[str, str]


class WrongArgument(Answer, frozen=True, kw_only=True, tag="wrong argument"):
    """A TypeError or a ValueError."""

    type: str
    text: str


AnyAnswer = (
    Value | TableFound | RowsFound | ReportFound | ResultFound | DeltaFailure | WrongArgument
)


def statement_of(calls: Sequence[MethodCall]) -> str:
    """Return the statement that sends calls; in Base64, which nothing on the way changes."""
    sent = msgspec.json.encode(Sent(version=__version__, calls=list(calls)))
    return f"{HEAD}('{base64.b64encode(sent).decode()}')"


def calls_of(text: str) -> list[MethodCall]:
    """Read what the statement sent.

    Raises:
        DeltaRuntimeError: PUREDELTA_CONNECT_VERSION for a client of another version.
    """
    content = base64.b64decode(text)
    version = msgspec.json.decode(content, type=_OfVersion).version
    if version.split(".")[:2] != __version__.split(".")[:2]:
        facts = {"client": version, "server": __version__}
        raise DeltaRuntimeError("PUREDELTA_CONNECT_VERSION", **facts)
    return msgspec.json.decode(content, type=Sent).calls


def encode_answer(answer: AnyAnswer) -> str:
    """Return an answer as JSON."""
    return msgspec.json.encode(answer).decode()


def decode_answer(text: str) -> AnyAnswer:
    """Read an answer."""
    answer: AnyAnswer = msgspec.json.decode(text, type=AnyAnswer)
    return answer
