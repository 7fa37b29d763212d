"""CHAR(n) columns in the expressions of a table: they are seen as Spark reads them.

Files hold texts as they came; Spark fills them up with blanks where it reads them, and fills up
what they are compared with. A constraint, or the expression of a generated column, means the same
rows before they are written as after they were read, so it looks at padded texts then, too. What
is stored stays as it came.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import StructField, StructType

from puredelta.engine.bridge.classes import static_method
from puredelta.engine.bridge.handles import items_of
from puredelta.engine.row_checks.char_lengths import PLAIN_TEXTS, declared_type
from puredelta.engine.session.sessions import setting
from puredelta.engine.session.spark_objects import column_of
from puredelta.schema.column_path import quote_name
from puredelta.schema.datatypes import DECLARED_TYPE_KEY

_UTILITIES = "org.apache.spark.sql.catalyst.util.CharVarcharUtils"
_METADATA = "org.apache.spark.sql.types.Metadata"
_FIXED = re.compile(r"(?<!var)char\(", re.IGNORECASE)
_ALONE = re.compile(r"char\((\d+)\)", re.IGNORECASE)
_STORED = "stored value of "


@dataclass(frozen=True, slots=True)
class PaddedRows:
    """Rows whose CHAR columns are seen as Spark reads them.

    Attributes:
        frame: the rows, with padded texts and before the other columns those that are stored.
        stored: by the names of padded columns, those of the columns with what is stored.
    """

    frame: DataFrame
    stored: Mapping[str, str]

    def as_stored(self, frame: DataFrame) -> DataFrame:
        """Return rows made of `frame`, with the texts that are stored.

        Args:
            frame: `self.frame`, with further columns.
        """
        if not self.stored:
            return frame
        hidden = {*self.stored.values()}
        names = [name for name in frame.columns if name not in hidden]
        return frame.select(*(self._as_stored(name) for name in names))

    def _as_stored(self, name: str) -> Column:
        if name not in self.stored:
            return F.col(quote_name(name))
        return F.col(quote_name(self.stored[name])).alias(name)


def padded_rows(rows: DataFrame, schema: StructType) -> PaddedRows:
    """Return rows with their CHAR columns padded, at any depth, as Spark's scans pad them.

    Args:
        rows: with columns of the table, under distinct names.
        schema: the table's columns.
    """
    declared = {field.name: text for field in schema if (text := _fixed_lengths(field))}
    padded = [name for name in rows.columns if name in declared]
    if not padded or setting(rows.sparkSession, PLAIN_TEXTS, "false") == "true":
        return PaddedRows(rows, {})
    taken = {name.lower() for name in rows.columns}
    stored = {name: _free_name(_STORED + name, taken) for name in padded}
    attributes = items_of(rows._jdf.queryExecution().analyzed().output())
    named = dict(zip(rows.columns, attributes, strict=True))
    columns = [
        _padded(attribute, declared[name]) if name in stored else column_of(attribute)
        for name, attribute in named.items()
    ]
    # They come first: what stops a job for a broken rule is tied to the first column, which stays.
    kept = [column_of(named[name]).alias(other) for name, other in stored.items()]
    return PaddedRows(rows.select(*kept, *columns), stored)


def _padded(attribute: Any, declared: str) -> Column:
    """Return a column as Spark's scans give it, padded at any depth."""
    # With the declared type beside it, Spark pads what the column is compared with, too.
    declaration = {DECLARED_TYPE_KEY: declared}
    metadata = static_method(_METADATA, "fromJson")(json.dumps(declaration))
    padded = static_method(_UTILITIES, "addPaddingForScan")(attribute.withMetadata(metadata))
    return column_of(padded).alias(attribute.name(), metadata=declaration)


def _fixed_lengths(field: StructField) -> str | None:
    """Return the type that a column declares, where it has a CHAR in it."""
    if DECLARED_TYPE_KEY not in field.metadata:
        return None
    text = declared_type(field)
    return text if text is not None and _FIXED.search(text) else None


def fixed_length(field: StructField) -> int | None:
    """Return the n of a column that is CHAR(n) itself; None for all others."""
    found = _ALONE.fullmatch(_fixed_lengths(field) or "")
    return None if found is None else int(found[1])


def _free_name(wanted: str, taken: set[str]) -> str:
    while wanted.lower() in taken:
        wanted += "_"
    return wanted
