"""Rules that each row must keep, as expressions inside the job that writes it.

A row that breaks one stops the job with a marked text, which is mapped back to the error it means.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql import Column
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import StructField, StructType

from puredelta.engine.bridge import failures
from puredelta.engine.exceptions import public
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaError,
    DeltaInvariantViolationError,
)

_MARK = "puredelta row check: "
_END = " :puredelta"

# What is not a rule of the table but of the statement.
_KINDS: dict[str, type[DeltaError]] = {"DELTA_REPLACE_WHERE_MISMATCH": DeltaAnalysisError}


def check_not_null(column: Column, field: StructField, source: StructField | None) -> Column:
    """Return the column with a check for each NOT NULL field in it, at the top or inside structs.

    Args:
        column: the values to be written.
        field: the table's field.
        source: the field of the data, to leave out what cannot be null; None when not known.
    """
    for path, _ in required_parts(field):
        if source is not None and _never_null(source, path):
            continue
        raised = fail(
            "DELTA_NOT_NULL_CONSTRAINT_VIOLATED", columnName=".".join((field.name, *path))
        )
        missing = _part(column, path).isNull()
        column = F.when(missing, raised.cast(field.dataType)).otherwise(column)
    return column


def required_parts(
    field: StructField, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], StructField]]:
    """Yield the NOT NULL fields in a field of a table, by their path below it.

    A field inside a struct counts even where the struct itself may be null, as delta-spark has it.
    """
    if not field.nullable:
        yield path, field
    if isinstance(field.dataType, StructType):
        for part in field.dataType.fields:
            yield from required_parts(part, (*path, part.name))


def check_true(column: Column, condition: Column, error: str, **parameters: str) -> Column:
    """Return the column with a check that a condition of the row is true; null is not."""
    kept = F.coalesce(condition, F.lit(False))  # a literal of SQL
    return F.when(kept, column).otherwise(fail(error, **parameters))


def fail(condition: str, **parameters: str) -> Column:
    """Return an expression that stops the job with one of our errors."""
    text = json.dumps({"condition": condition, "parameters": parameters})
    return F.raise_error(F.lit(_MARK + text + _END))


def _part(column: Column, path: Sequence[str]) -> Column:
    for name in path:
        column = column.getField(name)
    return column


def _never_null(source: StructField, path: Sequence[str]) -> bool:
    field = source
    for name in path:
        inner = field.dataType
        if field.nullable or not isinstance(inner, StructType) or name not in inner.names:
            return False
        field = inner[name]
    return not field.nullable


def _violation(java_error: Any) -> Exception | None:
    """Read our mark in what a JVM exception says, wherever Spark wrapped it."""
    text = failures.marked(java_error, _MARK, _END)
    if text is None:
        return None
    told = json.loads(text)
    kind = _KINDS.get(told["condition"], DeltaInvariantViolationError)
    return public(kind(told["condition"], **told["parameters"]))


failures.translate_with(_violation)
