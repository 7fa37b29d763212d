"""CHAR(n) and VARCHAR(n): texts kept to their length, at any depth of a column.

Spark takes them for strings and keeps the declared type beside the column; the writer checks.
"""

from collections.abc import Callable, Iterator

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
from puredelta.engine.row_checks import fail
from puredelta.engine.spark import setting
from puredelta.schema.datatypes import DECLARED_TYPE_KEY

# Under this key Spark keeps the type that was declared for a column, `array<varchar(3)>` say.
_PLAIN = "spark.sql.legacy.charVarcharAsString"


def check_length(session: SparkSession, column: Column, field: StructField) -> Column:
    """Return the column with a check of each text in it whose length was declared.

    Values are stored as they come, without blanks to fill up CHAR: Spark adds them when it reads.

    Args:
        session: whether its settings ask for plain strings.
        column: the values.
        field: the table's column.
    """
    declared = field.metadata.get(DECLARED_TYPE_KEY)
    if declared is None or setting(session, _PLAIN, "false") == "true":
        return column
    parsed = static_method("org.apache.spark.sql.types.DataType", "fromDDL")(str(declared))
    kind = _parse_datatype_json_string(parsed.json())
    checked = column
    for path, text, fits in _checks(column, kind, field.name):
        told = {"value": "a text", "expr": f"{text} of the column {path}"}
        checked = F.when(fits, checked).otherwise(fail("DELTA_EXCEED_CHAR_VARCHAR_LIMIT", **told))
    return checked


def _checks(column: Column, kind: DataType, path: str) -> Iterator[tuple[str, str, Column]]:
    """Yield what each declared length demands: its path, its type, a condition that is not null."""
    match kind:
        case CharType() | VarcharType():
            fits = F.coalesce(F.length(column) <= kind.length, F.lit(True))
            yield path, kind.simpleString(), fits
        case StructType():
            for part in kind:
                below = f"{path}.{part.name}"
                yield from _checks(column.getField(part.name), part.dataType, below)
        case ArrayType():
            yield from _of_each(column, kind.elementType, f"{path}.element")
        case MapType():
            yield from _of_each(F.map_keys(column), kind.keyType, f"{path}.key")
            yield from _of_each(F.map_values(column), kind.valueType, f"{path}.value")


def _of_each(column: Column, kind: DataType, path: str) -> Iterator[tuple[str, str, Column]]:
    told = [(below, text) for below, text, _ in _checks(column, kind, path)]
    for place, (below, text) in enumerate(told):
        each = F.forall(column, _condition(kind, path, place))
        yield below, text, F.coalesce(each, F.lit(True))


def _condition(kind: DataType, path: str, place: int) -> Callable[[Column], Column]:
    return lambda one: list(_checks(one, kind, path))[place][2]
