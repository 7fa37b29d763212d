"""CHAR(n) and VARCHAR(n): texts kept to their length, at any depth of a column.

Spark stores them as strings and keeps the declared type beside the column; the writer checks.
"""

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

# Under this key Spark keeps the type that was declared for a column, `array<varchar(3)>` say.
DECLARED_TYPE = "__CHAR_VARCHAR_TYPE_STRING"

_PLAIN = "spark.sql.legacy.charVarcharAsString"


def check_length(
    session: SparkSession, column: Column, field: StructField, *, in_partitions: bool
) -> Column:
    """Return the column as it is stored where CHAR(n) and VARCHAR(n) were declared.

    Blanks at the end that are too many are cut off, and CHAR is filled up with them; but not in a
    partition column, whose values are compared as the log has them: Spark fills up what it reads.

    Args:
        session: whether its settings ask for plain strings.
        column: the values.
        field: the table's column.
        in_partitions: does it partition the table?
    """
    declared = field.metadata.get(DECLARED_TYPE)
    if declared is None or setting(session, _PLAIN, "false") == "true":
        return column
    parsed = static_method("org.apache.spark.sql.types.DataType", "fromDDL")(str(declared))
    kind = _parse_datatype_json_string(parsed.json())
    return _checked(column, kind, field.name, pads=not in_partitions)


def _checked(column: Column, kind: DataType, path: str, *, pads: bool) -> Column:
    match kind:
        case CharType() | VarcharType():
            return _text(column, kind, path, pads=pads)
        case StructType():
            return _struct(column, kind, path)
        case ArrayType():
            return _each(column, kind.elementType, f"{path}.element")
        case MapType():
            return F.map_from_arrays(
                _each(F.map_keys(column), kind.keyType, f"{path}.key"),
                _each(F.map_values(column), kind.valueType, f"{path}.value"),
            )
        case _:
            return column


def _text(column: Column, kind: CharType | VarcharType, path: str, *, pads: bool) -> Column:
    most = kind.length
    stored = column
    if isinstance(kind, CharType):
        stored = F.rpad(column, most, " ") if pads else F.rtrim(column)
    told = {"value": "a text", "expr": f"{kind.simpleString()} of the column {path}"}
    return (
        F.when(F.length(column) <= most, stored)
        .when(F.length(F.rtrim(column)) <= most, F.substring(column, 1, most))
        .when(column.isNull(), F.lit(None))
        .otherwise(fail("DELTA_EXCEED_CHAR_VARCHAR_LIMIT", **told))
    )


def _struct(column: Column, kind: StructType, path: str) -> Column:
    parts = [
        _checked(column.getField(part.name), part.dataType, f"{path}.{part.name}", pads=True).alias(
            part.name
        )
        for part in kind
    ]
    return F.when(column.isNull(), F.lit(None)).otherwise(F.struct(*parts))


def _each(column: Column, kind: DataType, path: str) -> Column:
    return F.transform(column, lambda one: _checked(one, kind, path, pads=True))
