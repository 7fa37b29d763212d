"""JVM objects of Spark as PySpark's: DataFrames, columns, types."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import DataType, StructType, _parse_datatype_json_string

from puredelta.engine.bridge.classes import new, scala_object, static_method
from puredelta.engine.bridge.handles import items_of
from puredelta.engine.session.sessions import time_zone

_CLASSIC = "org.apache.spark.sql.classic"
_EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"


def frame_of_plan(session: SparkSession, plan: Any) -> DataFrame:
    """Return the DataFrame of a logical plan."""
    of_rows = static_method(f"{_CLASSIC}.Dataset", "ofRows")
    return DataFrame(of_rows(session._jsparkSession, plan), session)


def frame_of_rows(
    session: SparkSession, rows: Iterable[Mapping[str, Any]], schema: StructType
) -> DataFrame:
    """Return rows as a DataFrame that needs no Spark job to be shown or collected.

    Args:
        session: where the DataFrame lives.
        rows: values that JSON has; timestamps as ISO texts.
        schema: the types to give them.
    """
    frame = static_method("puredelta.Rows", "frame")
    return DataFrame(frame(session._jsparkSession, json_lines(rows), schema.json()), session)


def json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as one text, a line each: py4j would carry a list over element by element."""
    return "\n".join(json.dumps(row) for row in rows)


def column_of(expression: Any) -> Column:
    """Return a Catalyst expression as a Column."""
    return Column(static_method(f"{_CLASSIC}.ExpressionUtils", "column")(expression))


def expression_of(column: Column) -> Any:
    """Return the Catalyst expression of a Column."""
    return static_method(f"{_CLASSIC}.ExpressionUtils", "expression")(column._jc)


def parsed_type(text: str) -> DataType:
    """Return the type that DDL text names.

    Raises:
        ParseException: Spark's, when it names none.
    """
    parser = scala_object("org.apache.spark.sql.catalyst.parser.CatalystSqlParser")
    return _parse_datatype_json_string(parser.parseDataType(text).json())


def parsed_schema(text: str) -> StructType:
    """Return the columns that DDL text lists.

    Raises:
        ParseException: Spark's, when it lists none.
    """
    found = static_method("org.apache.spark.sql.types.StructType", "fromDDL")(text)
    return StructType.fromJson(json.loads(found.json()))


def timestamp_micros(session: SparkSession, text: str) -> int | None:
    """Return microseconds since 1970 for a timestamp in the session's zone; None if it is none."""
    literal = scala_object(f"{_EXPRESSIONS}.Literal").apply(text)
    zone = new("scala.Some", time_zone(session))
    kind = session._jsparkSession.parseDataType('"timestamp"')
    cast = scala_object(f"{_EXPRESSIONS}.Cast").apply(literal, kind, zone, False)
    value = cast.eval(None)
    return None if value is None else int(value)


def unqualified_sql(expression: Any) -> str:
    """Return a resolved condition in SQL, its columns without the table's name in front."""
    text = str(expression.sql())
    for column in items_of(expression.references()):
        plain = column.withQualifier(column.qualifier().take(0))
        text = text.replace(str(column.sql()), str(plain.sql()))
    return text
