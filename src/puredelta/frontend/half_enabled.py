"""Sessions that lack a setting or the adapters: their errors name what is missing."""

import re
from typing import Any

from puredelta.engine.bridge.callbacks import serve
from puredelta.engine.bridge.failures import translate_with
from puredelta.engine.bridge.session_settings import (
    CATALOG,
    EXTENSIONS,
    JARS,
    OUR_CATALOG,
    OUR_EXTENSION,
    THEIR_CATALOG,
)
from puredelta.engine.session.sessions import active_session, is_enabled, setting
from puredelta.errors.classes import DeltaError, DeltaRuntimeError
from puredelta.frontend.sql.statements.registry import read_statement

NO_EXTENSION = f"{EXTENSIONS} does not name {OUR_EXTENSION}"
NO_CATALOG = f"its catalog is Spark's own, and {CATALOG} does not name {OUR_CATALOG}"
NO_ADAPTERS = f"{JARS} does not name the jar of its adapters"

# How Spark says that it found nothing of ours for what it was asked.
_OF_SPARK = (
    (re.compile(r"UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY.*: delta\b"), NO_CATALOG),
    (re.compile(r"Table `delta` does not support batch scan"), NO_CATALOG),
    (re.compile(r"DATA_SOURCE_NOT_FOUND\].* data source: delta\b"), NO_ADAPTERS),
    (
        re.compile(
            rf"CANNOT_LOAD_CATALOG.*'({re.escape(OUR_CATALOG)}|{re.escape(THEIR_CATALOG)})'"
        ),
        NO_ADAPTERS,
    ),
    # Before Spark 4.2 the same error has no condition.
    (
        re.compile(
            rf"Cannot find catalog plugin class .*: "
            rf"({re.escape(OUR_CATALOG)}|{re.escape(THEIR_CATALOG)})\."
        ),
        NO_ADAPTERS,
    ),
)
# delta.`relative` is the name of a table in every session.
_WHOLE_PATH = re.compile(r"\s*delta\s*\.\s*`(/|\w+:)", re.IGNORECASE)
_TIME = re.compile(r"\s*(FOR\s+)?(TIMESTAMP|SYSTEM_TIME)\s+AS\s+OF\b", re.IGNORECASE)


def session_lacks(reason: str) -> DeltaError:
    """Return the error that says what a session lacks."""
    return DeltaRuntimeError("PUREDELTA_SESSION_NOT_ENABLED", reason=reason)


@serve("source.named")
def refuse_name(_text: str, _first: Any, _second: Any) -> None:
    """Refuse to make a table in a session whose catalog is Spark's own.

    Raises:
        DeltaRuntimeError: PUREDELTA_SESSION_NOT_ENABLED.
    """
    raise session_lacks(NO_CATALOG)


@serve("catalog.alone")
def refuse_catalog(_text: str, _first: Any, _second: Any) -> None:
    """Refuse tables in a JVM in which no session has the extension.

    Raises:
        DeltaRuntimeError: PUREDELTA_SESSION_NOT_ENABLED.
    """
    raise session_lacks(NO_EXTENSION)


def lacking(message: str, text: str | None, place: str | None) -> str | None:
    """Return what a session lacks, as an error of Spark's shows it; None for all other errors.

    Args:
        message: Spark's.
        text: the statement that it could not read or analyse, where it names one.
        place: the part of the statement that the error is about.
    """
    is_path = bool(place and _WHOLE_PATH.match(place))
    if "UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY" in message and not is_path:
        return None
    for pattern, reason in _OF_SPARK:
        if pattern.search(message):
            return reason
    if "TABLE_OR_VIEW_NOT_FOUND" in message and is_path:
        return NO_ADAPTERS
    is_unknown = "PARSE_SYNTAX_ERROR" in message or "TABLE_OR_VIEW_NOT_FOUND" in message
    return NO_EXTENSION if is_unknown and text and _is_ours(text) else None


def _is_ours(text: str) -> bool:
    """Say whether a session with our extension would not have handed a statement to Spark."""
    try:
        return read_statement(text) is not None
    except DeltaError:
        return True


def _translated(java_error: Any) -> DeltaError | None:
    message = str(java_error.toString())
    text = place = None
    is_at_time = False
    kind = java_error.getClass().getSimpleName()
    if kind == "ParseException":
        text = _some(java_error.command())
    elif kind in ("AnalysisException", "ExtendedAnalysisException"):
        for context in java_error.getQueryContext():
            # Those of DataFrames have no statement.
            if context.contextType().name() == "SQL":
                text, place = _some(context.sqlText()), str(context.fragment())
                is_at_time = bool(_TIME.match(text or "", context.stopIndex() + 1))
    reason = lacking(message, text, place)
    # A session that lacks nothing leaves to Spark what Spark refuses: statements of ours about
    # tables of other formats, and computed times of a path. The active session may not be the one
    # that failed: only statements with a time are left to Spark.
    if reason is None or (reason == NO_EXTENSION and is_enabled()):
        return None
    if reason == NO_CATALOG and is_at_time and _has_our_catalog():
        return None
    return session_lacks(reason)


def _has_our_catalog() -> bool:
    return setting(active_session(), CATALOG, "") in (OUR_CATALOG, THEIR_CATALOG)


def _some(option: Any) -> str | None:
    return str(option.get()) if option.isDefined() else None


translate_with(_translated)
