"""`DeltaTable` and its builders in a client of Spark Connect, which has no JVM.

Their methods are those of the classes for a driver. Each is sent, with all that led to it, when it
returns something other than a table or a builder.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import msgspec
import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from puredelta.api import results
from puredelta.api.connect.messages import (
    LAST_COMMIT,
    AnyAnswer,
    DeltaFailure,
    MethodCall,
    ReportFound,
    ResultFound,
    RowsFound,
    TableFound,
    WrongArgument,
    decode_answer,
    statement_of,
)
from puredelta.api.connect.values import Encoder, type_of
from puredelta.api.merge_builder import DeltaMergeBuilder
from puredelta.api.methods.optimize_builder import DeltaOptimizeBuilder
from puredelta.api.table_builder import DeltaTableBuilder
from puredelta.engine import exceptions
from puredelta.errors.classes import DeltaRuntimeError, DeltaUnsupportedOperationError

Arguments = ParamSpec("Arguments")
Owner = TypeVar("Owner")
Result = TypeVar("Result")

_SESSION = "sparkSession"
_BUILDS = frozenset({"create", "createIfNotExists", "createOrReplace", "replace"})
# What Spark 4.0, and later versions, say of a catalog without procedures.
_NO_PROCEDURES = frozenset({"_LEGACY_ERROR_TEMP_1184", "MISSING_CATALOG_ABILITY.PROCEDURES"})
# What cannot be sent, and what a client does in its place.
_INSTEAD = {
    "inspect": "Its methods `files`, `partitions`, `stats`, `protocol` and `history` do.",
    "upsert_stream": "Call `upsert` in `foreachBatch` of the stream.",
}


def is_connect(session: object) -> bool:
    """Say whether a session is one of Spark Connect."""
    return type(session).__module__.startswith("pyspark.sql.connect.")


def also_on_connect(
    method: Callable[Concatenate[Owner, Arguments], Result],
) -> Callable[Concatenate[Owner, Arguments], Result]:
    """Let a class method of `DeltaTable` take sessions of Spark Connect, too."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def on_either(cls: Any, *args: Arguments.args, **kwargs: Arguments.kwargs) -> Any:
        named = signature.bind(cls, *args, **kwargs).arguments
        session = _session(named.get(_SESSION))
        if not is_connect(session):
            return method(cls, *args, **kwargs)
        others = {name: value for name, value in named.items() if name not in ("cls", _SESSION)}
        return _first_call(Chain(session, cls), method.__name__, others)

    return cast("Callable[Concatenate[Owner, Arguments], Result]", on_either)


def _session(given: object) -> object:
    """Return the session that a method is called for: by default the active one.

    Raises:
        TypeError: the argument is no session, so it may be an argument in the place of another.
    """
    if given is None:
        return SparkSession.getActiveSession()
    # The sessions of drivers and of Connect have no base class in common.
    if not any(kind.__name__ == "SparkSession" for kind in type(given).__mro__):
        raise TypeError(f"{_SESSION} must be a SparkSession, not {type(given)}")
    return given


@dataclass(frozen=True, slots=True)
class Chain:
    """Methods that were called, and are not sent yet.

    Attributes:
        session: of the client.
        table_class: `DeltaTable`.
        calls: name, positional and named arguments of each, as the user gave them.
    """

    session: Any
    table_class: Any
    calls: tuple[tuple[str, Sequence[Any], Mapping[str, Any]], ...] = ()

    def then(self, method: str, positional: Sequence[Any], named: Mapping[str, Any]) -> Chain:
        """Return the chain with one more method."""
        return Chain(self.session, self.table_class, (*self.calls, (method, positional, named)))

    def run(self) -> Any:
        """Send the calls; return, or raise, what the last one did in the driver."""
        encoder = Encoder(self.session)
        try:
            calls = [_encoded(encoder, *call) for call in self.calls]
            return self._received(_ask(self.session, statement_of(calls)))
        finally:
            encoder.drop_views()

    def _received(self, answer: AnyAnswer) -> Any:
        match answer:
            case TableFound(name=name, path=path):
                first = ("forPath", (path,)) if name is None else ("forName", (name,))
                return _made(_remote_table(self.table_class), self._from(*first))
            case ResultFound(commit=commit):
                frame = self._frame(answer)
                # As `StatementResult` has it, which is a DataFrame of the JVM.
                frame.commit = None if commit is None else self._received(commit)
                return frame
            case RowsFound():
                return self._frame(answer)
            case ReportFound(type=name, value=value):
                return msgspec.convert(value, getattr(results, name))
            case DeltaFailure(type=name, condition=condition, parameters=parameters):
                raise getattr(exceptions, name)(condition, **parameters)
            case WrongArgument(type=name, text=text):
                raise (TypeError if name == "TypeError" else ValueError)(text)
            case _:
                return answer.value

    def _frame(self, found: RowsFound) -> Any:
        table = pa.ipc.open_stream(found.rows).read_all()
        return self.session.createDataFrame(table, type_of(found.schema))

    def _from(self, method: str, positional: Sequence[Any]) -> Chain:
        return Chain(self.session, self.table_class).then(method, positional, {})


def ask_last_commit(session: Any) -> results.CommitReport | None:
    """Return what a session of Spark Connect committed last; None before its first commit."""
    found: results.CommitReport | None = Chain(session, None).then(LAST_COMMIT, (), {}).run()
    return found


def _encoded(
    encoder: Encoder, method: str, positional: Sequence[Any], named: Mapping[str, Any]
) -> MethodCall:
    return MethodCall(
        method=method,
        positional=tuple(
            encoder.encode(method, str(n), one) for n, one in enumerate(positional, 1)
        ),
        named={name: encoder.encode(method, name, one) for name, one in named.items()},
    )


def _ask(session: Any, statement: str) -> AnyAnswer:
    try:
        rows = session.sql(statement).collect()
    except PySparkException as error:
        if not _is_unknown_statement(error):
            raise
        raise exceptions.public(DeltaRuntimeError("PUREDELTA_CONNECT_SERVER")) from error
    return decode_answer(rows[0][0])


def _is_unknown_statement(error: PySparkException) -> bool:
    """Say whether Spark looked for a procedure of its own, as it does without our parser."""
    condition = error.getCondition() or ""
    return condition in _NO_PROCEDURES or (
        "ROUTINE" in condition and "`puredelta`.`method`" in str(error)
    )


def _first_call(chain: Chain, method: str, named: Mapping[str, Any]) -> Any:
    first = chain.then(method, (), named)
    if method in _BUILDS:
        return _made(_remote_builder(DeltaTableBuilder), first)
    found = first.run()
    # The table is opened as the user named it, each time that one of its methods runs.
    return _made(type(found), first) if method in ("forPath", "forName") else found


def _made(kind: type, chain: Chain) -> Any:
    made: Any = object.__new__(kind)
    made._chain = chain
    return made


# --------------------------------------------------------------------------------------- classes


@functools.cache
def _remote_table(table_class: Any) -> Any:
    def to_df(self: Any) -> Any:
        method, positional, named = self._chain.calls[0]
        given = _first_argument(positional, named)
        reader = self._chain.session.read
        if method == "forPath":
            options = named.get("hadoopConf") or {}
            frame = reader.format("delta").options(**options).load(str(given))
        else:
            frame = reader.table(given)
        aliases = [call for call in self._chain.calls if call[0] == "alias"]
        if not aliases:
            return frame
        return frame.alias(_first_argument(*aliases[-1][1:]))

    ways = {"merge": _remote_builder(DeltaMergeBuilder)}
    ways["optimize"] = _remote_builder(DeltaOptimizeBuilder)
    kind = _remote_class(table_class, lambda name, own: own if name == "alias" else ways.get(name))
    kind.toDF = functools.wraps(table_class.toDF)(to_df)
    kind.upsert_stream = _refused("upsert_stream")
    kind.inspect = property(_refused("inspect"))
    kind.conversion = None
    return kind


def _first_argument(positional: Sequence[Any], named: Mapping[str, Any]) -> Any:
    return [*positional, *named.values()][0]


@functools.cache
def _remote_builder(builder_class: type) -> Any:
    runs = ("execute", "executeCompaction", "executeZOrderBy", "explain")
    return _remote_class(builder_class, lambda name, own: None if name in runs else own)


def _remote_class(base: type, leads_to: Callable[[str, type], type | None]) -> Any:
    """Return a class whose methods are sent.

    Args:
        base: the class for a driver.
        leads_to: the class that a method, by its name and the new class, goes on with; None for
            one that is sent.
    """
    kind: Any = type(f"Connect{base.__name__}", (base,), {"__repr__": _shown, "_repr_html_": None})
    for name, function in inspect.getmembers(base, inspect.isfunction):
        if not name.startswith("_"):
            setattr(kind, name, _remote_method(name, function, leads_to(name, kind)))
    return kind


def _remote_method(name: str, function: Callable[..., Any], kind: type | None) -> Any:
    signature = inspect.signature(function)
    changes_itself = kind is not None and issubclass(kind, DeltaTableBuilder)

    @functools.wraps(function)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        signature.bind(self, *args, **kwargs)
        chain = self._chain.then(name, args, kwargs)
        if kind is None:
            return chain.run()
        if changes_itself:
            self._chain = chain
            return self
        return _made(kind, chain)

    return method


def _refused(name: str) -> Callable[..., Any]:
    def method(_self: Any, *_args: Any, **_kwargs: Any) -> Any:
        facts = {"method": name, "instead": _INSTEAD[name]}
        raise exceptions.public(DeltaUnsupportedOperationError("PUREDELTA_CONNECT_METHOD", **facts))

    return method


def _shown(self: Any) -> str:
    steps = []
    for name, positional, named in self._chain.calls:
        given = [*map(repr, positional), *(f"{key}={value!r}" for key, value in named.items())]
        steps.append(f"{name}({', '.join(given)})")
    return f"DeltaTable.{'.'.join(steps)}"
