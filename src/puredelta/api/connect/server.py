"""Calls the methods that a client of Spark Connect sends, in the driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any

import msgspec
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from puredelta.api.connect.messages import (
    LAST_COMMIT,
    AnyAnswer,
    DeltaFailure,
    MethodCall,
    ReportFound,
    ResultFound,
    RowsFound,
    TableFound,
    Value,
    WrongArgument,
    calls_of,
    encode_answer,
)
from puredelta.api.connect.values import decode
from puredelta.api.delta_table import DeltaTable
from puredelta.api.merge_builder import DeltaMergeBuilder
from puredelta.api.methods.optimize_builder import DeltaOptimizeBuilder
from puredelta.api.statement_result import StatementResult
from puredelta.api.table_builder import DeltaTableBuilder
from puredelta.commands.commit_report import read_last_commit
from puredelta.engine.exceptions import public
from puredelta.errors.classes import DeltaError

# A chain goes on with these only: a client calls methods of tables, and no others.
_ON_THE_WAY = (DeltaTable, DeltaMergeBuilder, DeltaOptimizeBuilder, DeltaTableBuilder)


def answer_calls(session: SparkSession, text: str) -> str:
    """Call methods one after the other, and return what the last one returned.

    Args:
        session: of the client, in this process.
        text: what it sent; see `messages.statement_of`.
    """
    try:
        return encode_answer(_answer(_called(session, calls_of(text))))
    except DeltaError as error:
        shown = public(error)
        kind = type(shown).__name__
        failure = DeltaFailure(type=kind, condition=shown.condition, parameters=shown.parameters)
        return encode_answer(failure)
    except (TypeError, ValueError) as error:
        kind = "TypeError" if isinstance(error, TypeError) else "ValueError"
        return encode_answer(WrongArgument(type=kind, text=str(error)))


def _called(session: SparkSession, calls: Sequence[MethodCall]) -> Any:
    first, *others = calls
    if first.method == LAST_COMMIT:
        return read_last_commit(session)
    begin = _method(DeltaTable, first.method)
    found = begin(session, *_positional(session, first), **_named(session, first.named))
    for call in others:
        method = _method(found, call.method)
        found = method(*_positional(session, call), **_named(session, call.named))
    return found


def _method(owner: Any, name: str) -> Any:
    is_known = owner is DeltaTable or isinstance(owner, _ON_THE_WAY)
    if name.startswith("_") or not is_known or not callable(getattr(owner, name, None)):
        raise TypeError(f"a table has no method {name}")
    return getattr(owner, name)


def _positional(session: SparkSession, call: MethodCall) -> list[Any]:
    return [decode(session, value) for value in call.positional]


def _named(session: SparkSession, values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: decode(session, value) for name, value in values.items()}


def _answer(found: Any) -> AnyAnswer:
    if isinstance(found, DeltaTable):
        table = found._table
        return TableFound(name=table.name and str(table.name), path=table.root)
    if isinstance(found, DataFrame):
        return _rows_found(found)
    if is_dataclass(found) and not isinstance(found, type):
        return _report_found(found)
    return Value(value=found)


def _rows_found(found: DataFrame) -> RowsFound:
    schema, rows = found.schema.json(), _as_stream(found.toArrow())
    if not isinstance(found, StatementResult):
        return RowsFound(schema=schema, rows=rows)
    commit = None if found.commit is None else _report_found(found.commit)
    return ResultFound(schema=schema, rows=rows, commit=commit)


def _report_found(report: Any) -> ReportFound:
    return ReportFound(type=type(report).__name__, value=msgspec.to_builtins(report))


def _as_stream(rows: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    return bytes(sink.getvalue())
