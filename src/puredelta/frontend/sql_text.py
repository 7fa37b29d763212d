"""Pieces of SQL text for statements that Spark is to parse."""

from collections.abc import Iterable, Mapping

from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

from puredelta.schema.column_path import quoted


def dotted(parts: Iterable[str]) -> str:
    """Return the parts of a name as one quoted name."""
    return ".".join(quoted(part) for part in parts)


def literal(text: str) -> str:
    """Return a string literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def properties(given: Mapping[str, str]) -> str:
    """Return the clause TBLPROPERTIES; nothing where there are none."""
    if not given:
        return ""
    pairs = (f"{literal(key)} = {literal(value)}" for key, value in given.items())
    return f"TBLPROPERTIES ({', '.join(pairs)})"


def columns(session: SparkSession, schema: StructType) -> str:
    """Return a list of columns; nothing where there are none."""
    if not schema.fields:
        return ""
    return f"({session._jsparkSession.parseDataType(schema.json()).toDDL()})"
