"""The tree of errors, whose messages are data in `conditions/*.toml`.

    DeltaError
    ├── DeltaAnalysisError                    a statement that cannot mean anything here
    ├── DeltaParseError                       a statement that is not well formed
    ├── DeltaIllegalArgumentError             an option, property or argument with a bad value
    ├── DeltaUnsupportedOperationError        understood, and not possible
    ├── DeltaArithmeticError                  a value out of its range
    ├── DeltaFileNotFoundError                also the built-in FileNotFoundError
    ├── DeltaIllegalStateError                a log that is damaged or incomplete
    ├── DeltaTableFeatureError                a table feature that is unknown, missing or in the way
    ├── DeltaInvalidProtocolVersionError      a protocol version above the ones we know
    ├── DeltaInvariantViolationError          rows that break a rule of the table
    ├── DeltaRuntimeError                     anything else
    │   └── DeltaPackageMissingError          also the built-in ImportError
    └── DeltaConcurrentModificationError      another writer came first
        ├── ConcurrentWriteError
        ├── MetadataChangedError
        ├── ProtocolChangedError
        ├── ConcurrentAppendError
        ├── ConcurrentDeleteReadError
        ├── ConcurrentDeleteDeleteError
        └── ConcurrentTransactionError

Raise with a condition and its parameters: `DeltaAnalysisError("DELTA_PATH_EXISTS", path=path)`.
"""

# ruff: noqa: N802  # PySpark's exceptions have methods in camel case, so ours have them too

from collections.abc import Iterable
from typing import Any

from puredelta.errors.render import link_to, lookup, render


class DeltaError(Exception):
    """Anything that went wrong with a Delta table, named by an error condition.

    The methods in camel case are those of PySpark's exceptions, so that code which handles one
    handles the other.

    Attributes:
        condition: Name of the condition, `MAIN` or `MAIN.SUBCLASS`.
        parameters: The values named in the message, as text.
        sql_state: The SQLSTATE of the condition.
        message: What happened, without the condition in front.
    """

    args: tuple[Any, ...]
    condition: str
    parameters: dict[str, str]
    sql_state: str
    message: str

    # No call of super().__init__: the public classes of the Spark side put a PySpark exception
    # next to this class, and its constructor takes other arguments.
    def __init__(self, condition: str, /, **parameters: object) -> None:
        self.condition = condition
        self.parameters = {name: _as_text(value) for name, value in parameters.items()}
        self.sql_state = lookup(condition).sql_state
        self.message = render(condition, self.parameters)
        self.args = (str(self),)

    def __str__(self) -> str:
        return f"[{self.condition}] {self.message}\nAbout this error: {link_to(self.condition)}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    # Pickle would call the class with `args` by default, which are the message, not the condition.
    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.condition, self.parameters)

    def getCondition(self) -> str:
        """Return the name of the error condition."""
        return self.condition

    def getErrorClass(self) -> str:
        """Return the name of the error condition, under the name PySpark 3 had for it."""
        return self.condition

    def getSqlState(self) -> str:
        """Return the SQLSTATE."""
        return self.sql_state

    def getMessageParameters(self) -> dict[str, str]:
        """Return the values named in the message."""
        return dict(self.parameters)

    def getMessage(self) -> str:
        """Return the condition, the message, and the link to the page about the condition."""
        return str(self)


class DeltaAnalysisError(DeltaError):
    """A statement or call that cannot mean anything for this table."""


class DeltaTableNotFoundError(DeltaAnalysisError):
    """No Delta table is where one was expected, whichever of delta-spark's conditions says so."""


class DeltaParseError(DeltaError):
    """A statement that is not well formed."""


class DeltaIllegalArgumentError(DeltaError):
    """An option, property or argument with a value that is not allowed."""


class DeltaUnsupportedOperationError(DeltaError):
    """An operation that is understood and not possible on this table."""


class DeltaColumnMappingUnsupportedError(DeltaUnsupportedOperationError):
    """A mapping of columns that a table, or the files of one, cannot have."""


class DeltaArithmeticError(DeltaError):
    """A value out of the range of its type."""


class DeltaFileNotFoundError(DeltaError, FileNotFoundError):
    """A file or folder that should be there and is not."""


class DeltaIllegalStateError(DeltaError):
    """A log that is damaged or incomplete."""


class DeltaTableFeatureError(DeltaError):
    """A table feature that is unknown, missing or in the way."""


class DeltaInvalidProtocolVersionError(DeltaError):
    """A table whose protocol version is above the ones we know."""


class DeltaInvariantViolationError(DeltaError):
    """Rows that break a constraint of the table."""


class DeltaRuntimeError(DeltaError):
    """A failure while a command ran, of no narrower kind."""


class DeltaPackageMissingError(DeltaRuntimeError, ImportError):
    """A package that is needed and not installed, such as PySpark."""


class DeltaConcurrentModificationError(DeltaError):
    """Another writer made a commit that conflicts with this operation."""


class ConcurrentWriteError(DeltaConcurrentModificationError):
    """Another writer took the version, and this operation makes one attempt only."""


class MetadataChangedError(DeltaConcurrentModificationError):
    """Another writer changed the metadata of the table."""


class ProtocolChangedError(DeltaConcurrentModificationError):
    """Another writer changed the protocol of the table."""


class ConcurrentAppendError(DeltaConcurrentModificationError):
    """Another writer added files that this operation would have read."""


class ConcurrentDeleteReadError(DeltaConcurrentModificationError):
    """Another writer removed a file that this operation read."""


class ConcurrentDeleteDeleteError(DeltaConcurrentModificationError):
    """Another writer removed a file that this operation removes too."""


class ConcurrentTransactionError(DeltaConcurrentModificationError):
    """Another writer used the same application id or metadata domain."""


def _rebuild(kind: type[DeltaError], condition: str, parameters: dict[str, str]) -> DeltaError:
    return kind(condition, **parameters)


def _as_text(value: object) -> str:
    # The order counts: strings and dicts are iterables too.
    match value:
        case str():
            return value
        case None:
            return "null"
        # As the JVM writes it: messages of Spark and ours show the same values.
        case bool():
            return "true" if value else "false"
        case dict():
            return ", ".join(f"{key}={_as_text(item)}" for key, item in value.items())
        case Iterable():
            return ", ".join(_as_text(item) for item in value)
        case _:
            return str(value)
