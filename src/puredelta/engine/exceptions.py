"""The exceptions that users catch: our errors and PySpark's at once, named as by delta-spark.

    PySparkException
     +- DeltaConcurrentModificationException
     |   +- ConcurrentWriteException          +- ConcurrentDeleteReadException
     |   +- MetadataChangedException          +- ConcurrentDeleteDeleteException
     |   +- ProtocolChangedException          +- ConcurrentTransactionException
     |   +- ConcurrentAppendException
     +- DeltaFileNotFoundException            +- DeltaTableFeatureException
     +- DeltaIllegalStateException            +- InvalidProtocolVersionException
     +- DeltaInvariantViolationException      +- DeltaRuntimeException
    AnalysisException            - DeltaAnalysisException
                                     +- DeltaTableNotFoundException
    IllegalArgumentException     - DeltaIllegalArgumentException
    UnsupportedOperationException - DeltaUnsupportedOperationException
                                     +- DeltaColumnMappingUnsupportedException
    ParseException               - DeltaParseException
    ArithmeticException          - DeltaArithmeticException

Each is also a `puredelta.errors.classes.DeltaError`, with `getCondition()`, `getSqlState()` and
`getMessageParameters()` filled. One that ended a streaming query is a `StreamingQueryException` of
PySpark besides.
"""

import logging
from contextlib import AbstractContextManager

from puredelta.errors import classes
from puredelta.errors.packages import without_spark

try:
    from pyspark.errors import (
        AnalysisException,
        ArithmeticException,
        IllegalArgumentException,
        ParseException,
        PySparkException,
        StreamingQueryException,
        UnsupportedOperationException,
    )
except ModuleNotFoundError as missing:
    raise without_spark(missing) from None

logger = logging.getLogger(__name__)

__all__ = [
    "ConcurrentAppendException",
    "ConcurrentDeleteDeleteException",
    "ConcurrentDeleteReadException",
    "ConcurrentTransactionException",
    "ConcurrentWriteException",
    "DeltaAnalysisException",
    "DeltaArithmeticException",
    "DeltaColumnMappingUnsupportedException",
    "DeltaConcurrentModificationException",
    "DeltaFileNotFoundException",
    "DeltaIllegalArgumentException",
    "DeltaIllegalStateException",
    "DeltaInvariantViolationException",
    "DeltaParseException",
    "DeltaRuntimeException",
    "DeltaTableFeatureException",
    "DeltaTableNotFoundException",
    "DeltaUnsupportedOperationException",
    "InvalidProtocolVersionException",
    "MetadataChangedException",
    "ProtocolChangedException",
]


class DeltaConcurrentModificationException(
    classes.DeltaConcurrentModificationError, PySparkException
):
    """Another writer changed the table; the base of all conflicts."""


class ConcurrentWriteException(classes.ConcurrentWriteError, DeltaConcurrentModificationException):
    """Another commit took the version and this one cannot follow it."""


class MetadataChangedException(classes.MetadataChangedError, DeltaConcurrentModificationException):
    """Another commit changed the schema or the properties."""


class ProtocolChangedException(classes.ProtocolChangedError, DeltaConcurrentModificationException):
    """Another commit changed the protocol."""


class ConcurrentAppendException(
    classes.ConcurrentAppendError, DeltaConcurrentModificationException
):
    """Another commit added files that this one would have read."""


class ConcurrentDeleteReadException(
    classes.ConcurrentDeleteReadError, DeltaConcurrentModificationException
):
    """Another commit removed a file that this one read."""


class ConcurrentDeleteDeleteException(
    classes.ConcurrentDeleteDeleteError, DeltaConcurrentModificationException
):
    """Another commit removed a file that this one removes."""


class ConcurrentTransactionException(
    classes.ConcurrentTransactionError, DeltaConcurrentModificationException
):
    """Another commit came from the same application or streaming query."""


class DeltaAnalysisException(classes.DeltaAnalysisError, AnalysisException):
    """A statement that cannot be right for the tables it names."""


class DeltaTableNotFoundException(classes.DeltaTableNotFoundError, DeltaAnalysisException):
    """No Delta table is where one was expected, whichever of delta-spark's conditions says so."""


class DeltaIllegalArgumentException(classes.DeltaIllegalArgumentError, IllegalArgumentException):
    """A value that an option, a property or a method does not take."""


class DeltaUnsupportedOperationException(
    classes.DeltaUnsupportedOperationError, UnsupportedOperationException
):
    """Something that is not offered."""


class DeltaColumnMappingUnsupportedException(
    classes.DeltaColumnMappingUnsupportedError, DeltaUnsupportedOperationException
):
    """A mapping of columns that a table, or the files of one, cannot have."""


class DeltaParseException(classes.DeltaParseError, ParseException):
    """A statement that is not in the grammar."""


class DeltaArithmeticException(classes.DeltaArithmeticError, ArithmeticException):
    """A value that does not fit."""


class DeltaFileNotFoundException(classes.DeltaFileNotFoundError, PySparkException):
    """A file that the table needs does not exist."""


class DeltaIllegalStateException(classes.DeltaIllegalStateError, PySparkException):
    """A log that is broken or incomplete."""


class DeltaTableFeatureException(classes.DeltaTableFeatureError, PySparkException):
    """A table feature that is unknown, missing or in the way."""


class InvalidProtocolVersionException(classes.DeltaInvalidProtocolVersionError, PySparkException):
    """A protocol version above those that are supported."""


class DeltaInvariantViolationException(classes.DeltaInvariantViolationError, PySparkException):
    """A row that violates a constraint."""


class DeltaRuntimeException(classes.DeltaRuntimeError, PySparkException):
    """Any other failure."""


_PUBLIC: dict[type[classes.DeltaError], type[classes.DeltaError]] = {
    base: public_class
    for public_class in list(globals().values())
    if isinstance(public_class, type) and issubclass(public_class, classes.DeltaError)
    for base in public_class.__bases__[:1]
}


def public(error: classes.DeltaError) -> classes.DeltaError:
    """Return the exception to raise to a user of Spark for one of ours.

    The text, condition and parameters are the same; the class is PySpark's too.
    """
    # A class of ours without a public counterpart is raised as its nearest base that has one.
    kind = next((_PUBLIC[base] for base in type(error).__mro__ if base in _PUBLIC), None)
    if isinstance(error, PySparkException) or kind is None:
        return error
    shown = kind(error.condition, **error.parameters)
    shown.__cause__ = error.__cause__
    return shown


def ending_query(error: classes.DeltaError) -> classes.DeltaError:
    """Return the exception to raise to a user of Spark for one that ended a streaming query.

    It is what `public` returns, and PySpark's `StreamingQueryException` as well, so that code which
    catches either one catches it.
    """
    shown = public(error)
    return _ENDING_QUERIES[type(shown)](shown.condition, **shown.parameters)


def _ending_query(kind: type[classes.DeltaError]) -> type[classes.DeltaError]:
    def reduced(error: classes.DeltaError) -> tuple[object, ...]:
        return _rebuild_ending_query, (kind, error.condition, error.parameters)

    # A class that is made here cannot be pickled by its name.
    members = {"__doc__": kind.__doc__, "__module__": __name__, "__reduce__": reduced}
    return type(kind.__name__, (kind, StreamingQueryException), members)


_ENDING_QUERIES = {kind: _ending_query(kind) for kind in _PUBLIC.values()}


def _rebuild_ending_query(
    kind: type[classes.DeltaError], condition: str, parameters: dict[str, str]
) -> classes.DeltaError:
    return _ENDING_QUERIES[kind](condition, **parameters)


def for_user(error: BaseException) -> BaseException:
    """Return the exception to raise to a user of Spark, without the frames that led to it.

    The traceback of a user's slip then ends where the user called us. Exceptions without a
    condition are defects, and keep the frames that a report of one needs.
    """
    found = public(error) if isinstance(error, classes.DeltaError) else error
    says_all = isinstance(found, classes.DeltaError | PySparkException) and found.getCondition()
    return found.with_traceback(None) if says_all else found


class _Shown:
    # `contextlib` would give an exception that is raised again the frames that it had.
    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _frames: object) -> None:
        if isinstance(error, classes.DeltaError | PySparkException):
            logger.debug("a method failed", exc_info=error)
            raise for_user(error) from error.__cause__


def shown() -> AbstractContextManager[None]:
    """Raise what fails inside as users of Spark see it; see `for_user`."""
    return _Shown()
