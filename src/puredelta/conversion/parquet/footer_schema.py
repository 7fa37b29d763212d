"""The columns that a Parquet file gives a table, by its footer.

Spark writes its own schema into the footers of its files; it is believed where the file's columns
fit it, since other programs copy it into files with other columns.
"""

from __future__ import annotations

import pyarrow.parquet as pq

from puredelta.conversion.parquet.spark_schema import fits, plain_columns
from puredelta.conversion.parquet.types import UnknownColumnError, struct_of
from puredelta.conversion.parquet_rules import USUAL, ParquetRules
from puredelta.errors import DeltaAnalysisError
from puredelta.schema.codec import MalformedTypeError, schema_from_json
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import StructType
from puredelta.table.statistics.parquet_schema import SchemaNode, root_of

SPARK_SCHEMA_KEY = b"org.apache.spark.sql.parquet.row.metadata"

TYPE_CHECK_SETTING = "spark.databricks.delta.schema.typeCheck.enabled"

_MAX_KEPT = 64


def schema_of_footer(
    footer: pq.FileMetaData, rules: ParquetRules = USUAL, *, path: str = ""
) -> StructType:
    """Return the columns of a Parquet file; all of them may be null, at every depth.

    Args:
        footer: The file's footer.
        rules: How to read what Parquet leaves open.
        path: The file, for errors.

    Raises:
        DeltaAnalysisError: A column has a type that Spark does not read (PARQUET_TYPE_ILLEGAL) or
            that no table can have (DELTA_UNSUPPORTED_DATA_TYPES).
    """
    root = root_of(footer)
    own = _own_schema(footer, root)
    try:
        return plain_columns(own) if own is not None else struct_of(root, rules)
    except UnknownColumnError as unknown:
        raise _error(unknown, path) from None


class FooterSchemas:
    """Reads the schemas of many footers, each distinct one once.

    Equal footers give the same object, so that those who get it can compare by identity.
    """

    def __init__(self, rules: ParquetRules = USUAL) -> None:
        self._rules = rules
        self._known: dict[tuple[int, str, bytes | None], StructType] = {}

    def of(self, footer: pq.FileMetaData, path: str = "") -> StructType:
        """Return the columns of a file, as `schema_of_footer` does."""
        key = _key(footer)
        found = self._known.get(key)
        if found is None:
            found = schema_of_footer(footer, self._rules, path=path)
            if len(self._known) >= _MAX_KEPT:
                self._known.clear()
            self._known[key] = found
        return found


def _key(footer: pq.FileMetaData) -> tuple[int, str, bytes | None]:
    """Tell schemas apart, at the price of a print: pyarrow's own comparison overlooks groups."""
    printed = str(footer.schema).partition("\n")[2]
    return footer.num_columns, printed, _own_text(footer)


def _own_text(footer: pq.FileMetaData) -> bytes | None:
    return (footer.metadata or {}).get(SPARK_SCHEMA_KEY)


def _own_schema(footer: pq.FileMetaData, root: SchemaNode) -> StructType | None:
    """Return Spark's own schema of a file, if it has one that its columns fit."""
    text = _own_text(footer)
    if text is None:
        return None
    try:
        schema = schema_from_json(text.decode())
    except (MalformedTypeError, UnicodeDecodeError):
        return None
    return schema if fits(schema, root) else None


def _error(unknown: UnknownColumnError, path: str) -> DeltaAnalysisError:
    column = quote_path(unknown.column)
    if unknown.is_known_to_spark:
        return DeltaAnalysisError(
            "DELTA_UNSUPPORTED_DATA_TYPES",
            dataTypeList=f"[{column}: {unknown.type_text}] (file {path})",
            config=TYPE_CHECK_SETTING,
        )
    parameters = {"column": column, "parquetType": unknown.type_text, "file": path}
    if unknown.is_nanos:
        return DeltaAnalysisError("PARQUET_TYPE_ILLEGAL.NANOS", **parameters)
    return DeltaAnalysisError("PARQUET_TYPE_ILLEGAL", **parameters)
