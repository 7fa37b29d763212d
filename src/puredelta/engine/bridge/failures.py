"""Exceptions across the border: ours through the JVM and back, and what stands for ours.

A Python exception raised in a callback is kept here under a number; Java throws a PythonFailure
with it; when that arrives in Python, wrapped or not, the original is raised in its place.
"""

import itertools
import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from pyspark.errors.exceptions import captured
from pyspark.logger import PySparkLogger

from puredelta.engine.exceptions import public
from puredelta.errors.classes import DeltaError

_FAILED = "\u0001"
_KEPT_AT_MOST = 256
_CAUSES_AT_MOST = 20
_FAILURE_CLASS = "puredelta.PythonFailure"

# To which PySpark logs the exceptions that it makes of the JVM's.
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_is_probe: ContextVar[bool] = ContextVar("is_probe", default=False)

_kept: OrderedDict[str, BaseException] = OrderedDict()
_numbers = itertools.count(1)
_lock = threading.Lock()

Translator = Callable[[Any], Exception | None]
_translators: list[Translator] = []


def keep(error: BaseException) -> str:
    """Keep an exception for its way back; return what tells Java of it."""
    with _lock:
        number = str(next(_numbers))
        _kept[number] = error
        while len(_kept) > _KEPT_AT_MOST:
            _kept.popitem(last=False)
    return _FAILED + json.dumps(
        {
            "number": number,
            "message": f"{type(error).__name__}: {error}",
            "condition": error.condition if isinstance(error, DeltaError) else None,
            "sqlState": error.sql_state if isinstance(error, DeltaError) else None,
        }
    )


def translate_with(translator: Translator) -> None:
    """Let a function say which of our errors a JVM exception stands for (None: none of them)."""
    _translators.append(translator)


def original(java_error: Any) -> BaseException | None:
    """Return the Python exception that a JVM exception carries or stands for, or None."""
    for cause in causes(java_error):
        if cause.getClass().getName() == _FAILURE_CLASS:
            return _kept.get(cause.getNumber())
    for translator in _translators:
        if found := translator(java_error):
            return found
    return None


def marked(java_error: Any, mark: str, end: str) -> str | None:
    """Return what stands between two marks in the text of a JVM exception or of what caused it."""
    for cause in causes(java_error):
        found = str(cause.toString()).partition(mark)[2].partition(end)
        if found[1]:
            return found[0]
    return None


def causes(java_error: Any) -> Iterator[Any]:
    """Yield a JVM exception and what caused it, outermost first."""
    for _ in range(_CAUSES_AT_MOST):
        if java_error is None:
            return
        yield java_error
        java_error = java_error.getCause()


@contextmanager
def unlogged() -> Iterator[None]:
    """Keep PySpark from logging exceptions that are raised inside: they are part of an answer.

    It prints each one that names a place in a query on standard error, before anyone can catch it.
    """
    token = _is_probe.set(True)
    try:
        yield
    finally:
        _is_probe.reset(token)


def _is_told(_record: logging.LogRecord) -> bool:
    return not _is_probe.get()


def install() -> None:
    """Make PySpark's conversion of JVM exceptions give ours back. Safe to call twice."""
    convert = captured.convert_exception
    if getattr(convert, "gives_back_ours", False):
        return

    def convert_exception(java_error: Any) -> Any:
        found = original(java_error)
        if found is None:
            return convert(java_error)
        return public(found) if isinstance(found, DeltaError) else found

    convert_exception.gives_back_ours = True  # type: ignore[attr-defined]  # the mark of install()
    captured.convert_exception = convert_exception  # type: ignore[assignment]  # ours too
    for name in _LOGGERS:
        PySparkLogger.getLogger(name).addFilter(_is_told)
