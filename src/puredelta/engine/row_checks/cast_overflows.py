"""Errors for values of UPDATE and MERGE that do not fit, as delta-spark reports them."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import ArithmeticException

from puredelta.errors.classes import DeltaArithmeticError

_OF_INSERT = "CAST_OVERFLOW_IN_TABLE_INSERT"


@contextmanager
def cast_overflow_rules() -> Iterator[None]:
    """Turn Spark's error for an INSERT into the one for UPDATE and MERGE.

    Raises:
        DeltaArithmeticError: DELTA_CAST_OVERFLOW_IN_TABLE_WRITE for a value out of the range of
            its column's type.
    """
    try:
        yield
    except ArithmeticException as error:
        if error.getCondition() != _OF_INSERT:
            raise
        parameters = error.getMessageParameters() or {}
        raise DeltaArithmeticError(
            "DELTA_CAST_OVERFLOW_IN_TABLE_WRITE",
            sourceType=parameters.get("sourceType", ""),
            targetType=parameters.get("targetType", ""),
            columnName=parameters.get("columnName", ""),
        ) from error
