"""Values that UPDATE and MERGE store and that do not fit, told as delta-spark tells them."""

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import ArithmeticException

from puredelta.errors.classes import DeltaArithmeticError

_OF_INSERT = "CAST_OVERFLOW_IN_TABLE_INSERT"


@contextmanager
def cast_overflow_rules() -> Iterator[None]:
    """Turn what Spark says of an INSERT into what is said of a change of rows.

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
