"""Exceptions that cross the JVM: ours through it and back, and those that stand for ours.

A Python exception raised in a callback is kept here under a number; Java throws a PythonFailure
with it; when that arrives in Python, wrapped or not, the original is raised in its place.
"""

import itertools
import json
import logging
import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any

from pyspark import errors

from puredelta.engine.bridge import patches
from puredelta.engine.exceptions import for_user
from puredelta.errors import classes
from puredelta.errors.classes import DeltaError

_FAILED = "\u0001"
# Spark drops some of the exceptions that it catches, and nothing reports which of them.
_KEPT_AT_MOST = 256
# Java does not rule out that causes form a cycle.
_CAUSES_AT_MOST = 20
_FAILURE_CLASS = "puredelta.PythonFailure"
# What a proxy of Java's makes of an exception that its interface does not declare: our parser is
# one, and Spark's parser raises AnalysisException, too.
_UNDECLARED = "java.lang.reflect.UndeclaredThrowableException"

_is_probe: ContextVar[bool] = ContextVar("is_probe", default=False)

_kept: OrderedDict[str, BaseException | weakref.ref[BaseException]] = OrderedDict()
_numbers = itertools.count(1)
_lock = threading.Lock()

# The classes of Spark's that the JVM raises for ours, and for its own that passed through Python,
# so that each client knows them.
_KINDS: tuple[tuple[type[BaseException], str], ...] = (
    (classes.DeltaAnalysisError, "analysis"),
    (classes.DeltaParseError, "analysis"),
    (classes.DeltaIllegalArgumentError, "argument"),
    (classes.DeltaUnsupportedOperationError, "unsupported"),
    (classes.DeltaArithmeticError, "arithmetic"),
    (errors.AnalysisException, "analysis"),
    (errors.IllegalArgumentException, "argument"),
    (errors.UnsupportedOperationException, "unsupported"),
    (errors.ArithmeticException, "arithmetic"),
)

Translator = Callable[[Any], Exception | None]
_translators: list[Translator] = []

Converter = Callable[[Any], BaseException | None]
_converters: dict[str, Converter] = {}


def keep(error: BaseException) -> str:
    """Keep an exception for its way back; return the text by which Java reports it."""
    # Another process may have a failure of the same count: two can answer one JVM in turn.
    with _lock:
        number = f"{os.getpid()}-{next(_numbers)}"
        _kept[number] = error
        while len(_kept) > _KEPT_AT_MOST:
            _kept.popitem(last=False)
    return _FAILED + json.dumps({"number": number, **_described(error)})


def _described(error: BaseException) -> dict[str, object]:
    """Return what the JVM's own users, and those of other processes, learn of an exception."""
    if not isinstance(error, DeltaError | errors.PySparkException) or not error.getCondition():
        return {"message": f"{type(error).__name__}: {error}"}
    described: dict[str, object] = {
        "message": str(error),
        "condition": error.getCondition(),
        "sqlState": error.getSqlState(),
        "parameters": error.getMessageParameters() or {},
        "kind": next((kind for known, kind in _KINDS if isinstance(error, known)), "runtime"),
    }
    if isinstance(error, DeltaError):
        described["class"] = _class_name(error)
    return described


def _class_name(error: DeltaError) -> str:
    # The public classes are made of those of `errors.classes`.
    return next(c.__name__ for c in type(error).__mro__ if c.__module__ == classes.__name__)


def translate_with(translator: Translator) -> None:
    """Let a function say which of our errors a JVM exception stands for (None: none of them)."""
    _translators.append(translator)


def convert_with(class_name: str, converter: Converter) -> None:
    """Let a function say what is raised for the JVM exceptions of a class (None: PySpark's own)."""
    _converters[class_name] = converter


def original(java_error: Any) -> BaseException | None:
    """Return the Python exception that a JVM exception carries or stands for, or None."""
    for cause in causes(java_error):
        if cause.getClass().getName() == _FAILURE_CLASS:
            return _arrived(cause.getNumber()) or _made_again(cause)
    for translator in _translators:
        if found := translator(java_error):
            return found
    return None


def _arrived(number: str) -> BaseException | None:
    """Return an exception that was kept; from now on it lives as long as its user holds it.

    Its traceback holds the variables of the statement, and objects of the JVM with them. Where Java
    brings it once more, and nobody holds it, one is made of what Java knows of it.
    """
    with _lock:
        found = _kept.get(number)
        if isinstance(found, weakref.ref):
            return found()
        # There are no weak references to exceptions that Python itself defines.
        if found is not None:
            with suppress(TypeError):
                _kept[number] = weakref.ref(found)
        return found


def _made_again(failure: Any) -> DeltaError | None:
    """Make our exception that is no longer here, or of another process; None if it was not ours."""
    kind = getattr(classes, failure.getKind() or "", None)
    if kind is None:
        return None
    found: DeltaError = kind(failure.getCondition(), **dict(failure.getMessageParameters()))
    return found


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


def _is_logged(_record: logging.LogRecord) -> bool:
    return not _is_probe.get()


def install() -> None:
    """Make PySpark's conversion of JVM exceptions give ours back. Safe to call twice."""
    patches.convert_exceptions_with(_converted, _declared)
    patches.filter_query_contexts(_is_logged)


def _declared(java_error: Any) -> Any:
    is_undeclared = java_error.getClass().getName() == _UNDECLARED
    return java_error.getUndeclaredThrowable() if is_undeclared else java_error


def _converted(java_error: Any) -> BaseException | None:
    special = _converters.get(java_error.getClass().getName())
    if special is not None:
        return special(java_error)
    found = original(java_error)
    return None if found is None else for_user(found)
