"""Defaults of columns as we show them to Spark, which computes them itself in an INSERT."""

import re

from pyspark.sql import SparkSession

from puredelta.engine.catalyst.stored_expressions import Stored, check_stored
from puredelta.engine.session.sessions import active_session
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.datatypes import StructField, StructType
from puredelta.schema.walk import each_field
from puredelta.table.protocol.defaults import default_of, with_default

# Numbers, texts, NULL and the like need no parser.
_CONSTANT = re.compile(
    r"\s*(?:[-+]?[\d.]+|'[^'\\$]*'|null|true|false|current_(?:date|timestamp)\(\))\s*",
    re.IGNORECASE,
)
_VARIABLE = "${"


def with_safe_defaults(schema: StructType) -> StructType:
    """Return a schema in which each default that is refused is an error in the place of a value.

    The table can be read then, and a statement that needs the value fails.

    Args:
        schema: of a table, whose defaults its log holds.
    """
    texts = [text for field in schema if (text := default_of(field.metadata)) is not None]
    if all(_CONSTANT.fullmatch(text) for text in texts):
        return schema
    session = active_session()
    return each_field(schema, lambda field: _safe(session, field))


def _safe(session: SparkSession, field: StructField) -> StructField:
    text = default_of(field.metadata)
    if text is None or _CONSTANT.fullmatch(text):
        return field
    stored = Stored.default(field.name, text)
    try:
        check_stored(session, stored)
        if _VARIABLE in text:  # Spark's own parser would replace it
            raise stored.refused("it has a variable to be replaced")
    except DeltaAnalysisError as error:
        # Spark parses the message as part of a default, so it replaces variables in it too.
        message = str(error).replace("\\", "\\\\").replace("'", "\\'").replace("${", "$ {")
        return with_default(field, f"raise_error('{message}')")
    return field
