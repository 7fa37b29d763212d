"""CHAR(n) and VARCHAR(n): texts kept to their length, at any depth of a column.

Spark takes them for strings and keeps the declared type beside the column; writers check it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import (
    ArrayType,
    CharType,
    DataType,
    MapType,
    StructField,
    StructType,
    VarcharType,
    _parse_datatype_json_string,
)

from puredelta.engine.bridge.classes import static_method
from puredelta.engine.row_checks.rules import RowRule, describe_violation, explain_value
from puredelta.engine.session.sessions import setting
from puredelta.engine.session.spark_types import from_spark
from puredelta.schema.datatypes import DECLARED_TYPE_KEY
from puredelta.table.columns.char_lengths import with_declared_lengths

PLAIN_TEXTS = "spark.sql.legacy.charVarcharAsString"
"""The setting by which CHAR(n) and VARCHAR(n) are plain strings."""


@dataclass(frozen=True, slots=True)
class _Length:
    """What one declared length demands.

    Attributes:
        path: where it was declared.
        kind: the type declared there.
        fits: a condition that is true or false.
        value: the text that it is about; in arrays and maps, the first that is too long.
    """

    path: str
    kind: str
    fits: Column
    value: Column


def length_rules(session: SparkSession, column: Column, field: StructField) -> Iterator[RowRule]:
    """Yield a rule for each text in a column whose length was declared.

    Values are stored as they come, without blanks to fill up CHAR: Spark adds them when it reads.

    Args:
        session: whether its settings ask for plain strings.
        column: the values.
        field: the table's column.
    """
    declared = declared_type(field)
    if declared is None or setting(session, PLAIN_TEXTS, "false") == "true":
        return
    parsed = static_method("org.apache.spark.sql.types.DataType", "fromDDL")(declared)
    for rule in _checks(column, _parse_datatype_json_string(parsed.json()), field.name):
        expr = f"{rule.kind} of the column {rule.path}"
        value = ("value", explain_value(rule.value))
        yield RowRule(
            rule.fits, describe_violation("DELTA_EXCEED_CHAR_VARCHAR_LIMIT", value, expr=expr)
        )


def declared_type(field: StructField) -> str | None:
    """Return the type that a column declares, `array<varchar(3)>` say; None without lengths.

    Nested fields have the names that they have now.
    """
    if DECLARED_TYPE_KEY not in field.metadata:
        return None
    column = from_spark(StructType([field]))
    [followed] = with_declared_lengths(column, column)
    text = followed.metadata.get(DECLARED_TYPE_KEY)
    return None if text is None else str(text)


def _checks(column: Column, kind: DataType, path: str) -> Iterator[_Length]:
    match kind:
        case CharType() | VarcharType():
            # A null has no length, and fits.
            fits = F.coalesce(F.length(column) <= kind.length, F.lit(True))
            yield _Length(path, kind.simpleString(), fits, column)
        case StructType():
            for part in kind:
                below = f"{path}.{part.name}"
                yield from _checks(column.getField(part.name), part.dataType, below)
        case ArrayType():
            yield from _of_each(column, kind.elementType, f"{path}.element")
        case MapType():
            yield from _of_each(F.map_keys(column), kind.keyType, f"{path}.key")
            yield from _of_each(F.map_values(column), kind.valueType, f"{path}.value")


def _of_each(column: Column, kind: DataType, path: str) -> Iterator[_Length]:
    for place, rule in enumerate(_checks(column, kind, path)):
        # A null array has no elements to check.
        fits = F.coalesce(F.forall(column, _condition(kind, path, place)), F.lit(True))
        too_long = F.get(F.filter(column, _opposite(kind, path, place)), F.lit(0))
        value = list(_checks(too_long, kind, path))[place].value
        yield _Length(rule.path, rule.kind, fits, value)


def _condition(kind: DataType, path: str, place: int) -> Callable[[Column], Column]:
    return lambda element: list(_checks(element, kind, path))[place].fits


def _opposite(kind: DataType, path: str, place: int) -> Callable[[Column], Column]:
    return lambda element: ~list(_checks(element, kind, path))[place].fits
