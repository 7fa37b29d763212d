"""Answers `table_changes` and `table_changes_by_path`: functions whose rows are what changed."""

from collections.abc import Sequence
from typing import Any

from pyspark.sql import SparkSession

from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.bridge.classes import kind_of, new, scala_object
from puredelta.engine.bridge.handles import items_of
from puredelta.engine.scan.change_feed import frame_of_changes
from puredelta.engine.session.sessions import active_session
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaTableNotFoundError,
)
from puredelta.frontend.catalog.change_feed_range import Bound, RequestedRange, time_bound
from puredelta.frontend.catalog.lookup import ResolvedName, find_by_name, find_by_path, parse_name

_LOGICAL = "org.apache.spark.sql.catalyst.plans.logical"
_CURRENT_TIME = "org.apache.spark.sql.catalyst.optimizer.ComputeCurrentTime"
_BY_PATH = "table_changes_by_path"
_TYPES = "[IntegerType,LongType,StringType,TimestampType]"
_ARGUMENTS = ((2, "starting"), (3, "ending"))
_LEAST, _MOST = 2, 3


@serve("changes.function")
def table_changes(function: str, arguments: Any, _second: Any) -> Any:
    """Return the plan of a call.

    Raises:
        DeltaAnalysisError: INCORRECT_NUMBER_OF_ARGUMENTS, DELTA_UNSUPPORTED_EXPRESSION,
            DELTA_CDC_NON_CONSTANT_ARGUMENT, DELTA_TABLE_ONLY_OPERATION,
            DELTA_MISSING_DELTA_TABLE, DELTA_OPERATION_NOT_ALLOWED for the folder of a
            partition, and what Asked.of raises.
        DeltaIllegalArgumentError: DELTA_CDC_READ_NULL_RANGE_BOUNDARY.
        AnalysisException: Spark's TABLE_OR_VIEW_NOT_FOUND.
    """
    given = items_of(arguments)
    if not _LEAST <= len(given) <= _MOST:
        raise DeltaAnalysisError(
            "INCORRECT_NUMBER_OF_ARGUMENTS",
            failure="too few" if len(given) < _LEAST else "too many",
            functionName=function,
            minArgs=_LEAST,
            maxArgs=_MOST,
        )
    session = active_session()
    named = _text(given[0], "table path" if function == _BY_PATH else "table name")
    bounds = _bounds(session, function, given[1:])
    found = _found(session, function, named)
    if found.table is None:
        raise _no_table(function, found)
    table = found.table
    if found.read_path not in (None, table.root):
        raise DeltaAnalysisError(
            "DELTA_OPERATION_NOT_ALLOWED", operation="Reading the changes of one partition's folder"
        )
    snapshot, span = RequestedRange(*bounds).of(table, session)
    frame = frame_of_changes(session, table.root, table.name, snapshot, span, table.options)
    return frame._jdf.queryExecution().analyzed()


def _found(session: SparkSession, function: str, named: str) -> ResolvedName:
    if function == _BY_PATH:
        return find_by_path(session, named)
    return find_by_name(session, parse_name(session, named))


def _no_table(function: str, found: ResolvedName) -> DeltaAnalysisError:
    if function == _BY_PATH:
        return DeltaTableNotFoundError("DELTA_MISSING_DELTA_TABLE", tableName=found.name)
    return DeltaAnalysisError(
        "DELTA_TABLE_ONLY_OPERATION", tableName=found.name, operation=function
    )


def _text(expression: Any, what: str) -> str:
    """Return the text that a literal is."""
    is_literal = kind_of(expression) == "Literal"
    if not is_literal or _kind(expression) != "StringType" or expression.value() is None:
        raise DeltaAnalysisError(
            "DELTA_UNSUPPORTED_EXPRESSION",
            expType=_kind(expression),
            causedBy=what,
            supportedTypes="[StringType literal]",
        )
    return str(expression.value().toString())


def _bounds(session: SparkSession, function: str, given: Sequence[Any]) -> list[Bound]:
    pairs = zip(given, _ARGUMENTS, strict=False)
    return [_bound(session, function, pair, place, name) for pair, (place, name) in pairs]


def _bound(session: SparkSession, function: str, expression: Any, place: int, name: str) -> Bound:
    if not (expression.foldable() and expression.deterministic()):
        raise DeltaAnalysisError(
            "DELTA_CDC_NON_CONSTANT_ARGUMENT",
            argumentName=name,
            pos=place,
            functionName=function,
            sqlExpr=expression.sql(),
        )
    value = _computed(expression)
    if value is None:
        raise DeltaIllegalArgumentError("DELTA_CDC_READ_NULL_RANGE_BOUNDARY")
    match _kind(expression):
        case "IntegerType" | "LongType":
            return Bound(version=int(value))
        case "TimestampType":
            return Bound(micros=int(value))
        case "StringType":
            return time_bound(str(value.toString()), session)
        case other:
            raise DeltaAnalysisError(
                "DELTA_UNSUPPORTED_EXPRESSION",
                expType=other,
                causedBy=f"{name} option",
                supportedTypes=_TYPES,
            )


def _computed(expression: Any) -> Any:
    """Return the value of a constant expression; the current time is the statement's."""
    nowhere = new(f"{_LOGICAL}.OneRowRelation")
    plan = new(f"{_LOGICAL}.Filter", expression, nowhere)
    return scala_object(_CURRENT_TIME).apply(plan).condition().eval(None)


def _kind(expression: Any) -> str:
    """Return the name of an expression's type, as Spark's own classes have it."""
    return str(expression.dataType().toString())
