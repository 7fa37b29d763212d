"""Rules that each row must keep, checked inside the job that writes it.

The first rule that a row breaks stops the job with a marked text, which is mapped back to the error
it means. Everything is Spark's own expressions: no Python runs per row.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import NullType

from puredelta.engine.bridge import failures
from puredelta.engine.exceptions import public
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaArithmeticError,
    DeltaError,
    DeltaInvariantViolationError,
)
from puredelta.schema.column_path import quote_name

_MARK = "puredelta row check: "
# What Spark writes in front, with and without its setting legacy.raiseErrorWithoutErrorClass;
# errors that show a plan have the mark in them, too.
_RAISED = ("[USER_RAISED_EXCEPTION] ", "RuntimeException: ")
_VALUE = " :value: "
_END = " :puredelta"
_NO_END = " :\x1fpuredelta"  # stands for the end mark in a value
_BROKEN = "broken rule"

# So many go into the one method that Spark makes for a whole stage; past 8,000 bytes the JVM would
# not compile it to machine code.
_RULES_IN_A_METHOD = 24

# What is not a rule of the table but of the statement.
_KINDS: dict[str, type[DeltaError]] = {
    "DELTA_REPLACE_WHERE_MISMATCH": DeltaAnalysisError,
    "PUREDELTA_IDENTITY_OVERFLOW": DeltaArithmeticError,
}


@dataclass(frozen=True, slots=True)
class RowRule:
    """Something that each row must keep.

    Attributes:
        kept: a condition of the row that must be true; null is not.
        broken: the text for a row of which it is not, made by `describe_violation`.
    """

    kept: Column
    broken: Column


def describe_violation(
    condition: str, value: tuple[str, Column] | None = None, **parameters: str
) -> Column:
    """Return the text that stands for one of our errors.

    Args:
        condition: the error's.
        value: a parameter that the row itself gives, and what it gives.
        **parameters: the others.
    """
    name = None if value is None else value[0]
    said = json.dumps({"condition": condition, "parameters": parameters, "value": name})
    # JSON has this pair in strings only, and without it no mark can be in them.
    text = said.replace(" :", " \\u003a")
    if value is None:
        return F.lit(_MARK + text + _END)
    plain = F.replace(value[1], F.lit(_END), F.lit(_NO_END))
    return F.concat(F.lit(_MARK + text + _VALUE), plain, F.lit(_END))


def explain_value(value: Column) -> Column:
    """Return a value as SQL prints it; `null` for null."""
    return F.coalesce(value.cast("string"), F.lit("null"))


def with_checks(
    frame: DataFrame, rules: Sequence[RowRule], exempt: Column | None = None
) -> DataFrame:
    """Return the same rows; the job that reads a row which breaks a rule fails.

    Args:
        frame: the rows; at least one column that has a type, for files leave out the others.
        rules: over its columns; the first that a row breaks is reported.
        exempt: true for rows that may break them, if any; never null.
    """
    if not rules:
        return frame
    # A column of its own, which Spark does not compute twice: generated code stays small enough
    # to be compiled to machine code.
    hidden = _free_name(frame.columns)
    first = _first_broken(rules)
    found = frame.withColumn(hidden, first if exempt is None else F.when(~exempt, first))
    columns = {name: F.col(quote_name(name)) for name in frame.columns}
    broken = F.col(quote_name(hidden))
    # The check is part of the value of a column that is written: Spark would not compute a column
    # that nobody reads. Files have no columns of type void.
    carrier = next(field for field in frame.schema if not isinstance(field.dataType, NullType))
    passed = F.when(broken.isNull(), columns[carrier.name]).otherwise(_stopped(broken))
    columns[carrier.name] = passed.alias(carrier.name, metadata=carrier.metadata or None)
    return found.select(*columns.values())


def _first_broken(rules: Sequence[RowRule]) -> Column:
    """Return the text of the first rule that a row breaks; null for a row that keeps all."""
    first, *others = rules
    text = first.broken
    if len(others) >= _RULES_IN_A_METHOD:
        text = _in_methods_of_its_own(text)
    broken = F.when(~is_true(first.kept), text)
    for rule in others:
        broken = broken.when(~is_true(rule.kept), rule.broken)
    return broken


def _free_name(taken: Sequence[str]) -> str:
    """Return a name that differs from all others in more than case."""
    lowered = {name.lower() for name in taken}
    name = _BROKEN
    while name in lowered:
        name += "_"
    return name


def is_true(condition: Column) -> Column:
    """Return a condition that is false where it was null."""
    return F.coalesce(condition, F.lit(False))  # a literal of SQL


def _in_methods_of_its_own(text: Column) -> Column:
    """Return the same text in a form that keeps Spark from generating one method for all.

    A call by reflection is left out of the code of a stage, with all that is computed beside it;
    what is left out is cut into methods of a size that the JVM compiles.
    """
    called = F.reflect(F.lit("java.lang.String"), F.lit("valueOf"), F.spark_partition_id())
    return F.concat(text, F.substring(called, 1, 0))


def _stopped(text: Column) -> Column:
    """Stop the job with a text.

    A condition that names the task is not deterministic, so that Spark leaves the check where it
    is: it would push it below a limit, to rows that are never written.
    """
    is_row = F.spark_partition_id() >= F.lit(0)
    return F.raise_error(F.when(is_row, text))


def _violation(java_error: Any) -> Exception | None:
    """Read our mark in what a JVM exception says, wherever Spark wrapped it."""
    marks = (raised + _MARK for raised in _RAISED)
    found = (failures.marked(java_error, mark, _END) for mark in marks)
    text = next((text for text in found if text is not None), None)
    if text is None:
        return None
    fixed, _, value = text.partition(_VALUE)
    said = json.loads(fixed)
    parameters = said["parameters"]
    if said["value"] is not None:
        parameters = {**parameters, said["value"]: value.replace(_NO_END, _END)}
    kind = _KINDS.get(said["condition"], DeltaInvariantViolationError)
    return public(kind(said["condition"], **parameters))


failures.translate_with(_violation)
