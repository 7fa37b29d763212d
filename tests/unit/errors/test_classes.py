"""Errors carry a condition, its parameters and a SQLSTATE, and survive a trip between processes."""

import pickle

import pytest

from puredelta.errors import (
    ConcurrentAppendError,
    DeltaAnalysisError,
    DeltaConcurrentModificationError,
    DeltaError,
    DeltaFileNotFoundError,
)
from puredelta.errors.render import link_to


def version_not_found() -> DeltaAnalysisError:
    return DeltaAnalysisError("DELTA_VERSION_NOT_FOUND", userVersion=9, earliest=0, latest=3)


def test_text_is_condition_and_message_and_ends_with_a_link_to_the_condition():
    assert str(version_not_found()).splitlines() == [
        "[DELTA_VERSION_NOT_FOUND] There is no version 9. Versions 0 to 3 can be read.",
        f"About this error: {link_to('DELTA_VERSION_NOT_FOUND')}",
    ]


def test_methods_of_pyspark_exceptions_answer():
    error = version_not_found()

    assert error.getCondition() == error.getErrorClass() == "DELTA_VERSION_NOT_FOUND"
    assert error.getSqlState() == "22003"
    assert error.getMessageParameters() == {"userVersion": "9", "earliest": "0", "latest": "3"}
    assert error.getMessage() == str(error)
    assert error.message == "There is no version 9. Versions 0 to 3 can be read."


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (["a", "b"], "a, b"),
        ({"k": False}, "k=false"),
        (7, "7"),
        ("a", "a"),
    ],
)
def test_parameters_become_text(value, text):
    error = DeltaAnalysisError("DELTA_TIMESTAMP_INVALID", expr=value)

    assert error.parameters == {"expr": text}


def test_pickled_error_is_the_same_error():
    error = DeltaFileNotFoundError("DELTA_FILE_OR_DIR_NOT_FOUND", path="/t")

    again = pickle.loads(pickle.dumps(error))

    assert type(again) is DeltaFileNotFoundError
    assert (str(again), again.parameters) == (str(error), error.parameters)


def test_missing_file_is_caught_as_the_built_in_error():
    with pytest.raises(FileNotFoundError, match="no file or folder /t"):
        raise DeltaFileNotFoundError("DELTA_FILE_OR_DIR_NOT_FOUND", path="/t")


def test_conflicts_are_caught_by_their_base():
    assert issubclass(ConcurrentAppendError, DeltaConcurrentModificationError)
    assert issubclass(DeltaConcurrentModificationError, DeltaError)


def test_class_beside_a_foreign_exception_keeps_our_text():
    class ForeignError(Exception):
        def __init__(self, message: str, code: int) -> None:
            super().__init__(message)
            self.code = code

        def __str__(self) -> str:
            return "foreign"

    class PublicError(DeltaAnalysisError, ForeignError):
        pass

    error = PublicError("DELTA_TIMESTAMP_INVALID", expr="x")

    assert str(error).startswith("[DELTA_TIMESTAMP_INVALID] The timestamp x ")
    assert repr(error) == f"PublicError({str(error)!r})"
    assert error.args == (str(error),)
