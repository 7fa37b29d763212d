"""The columns of files, compared to those that a catalog says of the table."""

from __future__ import annotations

from puredelta.conversion.parquet.schema_merging import merge_schemas
from puredelta.errors import DeltaAnalysisError, DeltaError, DeltaRuntimeError
from puredelta.schema.column_path import quoted
from puredelta.schema.datatypes import VOID, StructField, StructType, simple_string
from puredelta.table.protocol.defaults import existing_default

_CATALOG = "the catalog"
_MAX_KEPT = 1_000


class CatalogColumns:
    """Compares the columns of files to those of the catalog; the same ones cost nothing.

    Args:
        schema: All columns of the table, partition columns among them.
        partitions: The names of the latter, in small letters; None where they are not known.
        case_sensitive: Do names differ that differ in case only?
    """

    def __init__(
        self, schema: StructType, partitions: frozenset[str], *, case_sensitive: bool = False
    ) -> None:
        self._columns = [field for field in schema if field.name.lower() not in partitions]
        self._case_sensitive = case_sensitive
        # Kept alive, so that no other schema can have its identity.
        self._known: dict[int, StructType] = {}

    @property
    def need_files(self) -> bool:
        """Is there a column of which the catalog says what rows have in files without it?"""
        return any(existing_default(column) is not None for column in self._columns)

    def check(self, path: str, schema: StructType) -> None:
        """Refuse a file that cannot be read with the catalog's columns.

        Args:
            path: The file.
            schema: Its columns.

        Raises:
            DeltaRuntimeError: DELTA_FAILED_MERGE_SCHEMA_FILE for a column of another type,
                PUREDELTA_CONVERT_DEFAULT_OF_ABSENT_COLUMN.
        """
        if id(schema) in self._known:
            return
        for column in self._columns:
            found = schema.field(column.name, case_sensitive=self._case_sensitive)
            error = _absent(path, column) if found is None else _other_type(path, column, found)
            if error is not None:
                raise error
        if len(self._known) < _MAX_KEPT:
            self._known[id(schema)] = schema


def _absent(path: str, column: StructField) -> DeltaError | None:
    value = existing_default(column)
    if value is None:
        return None
    return DeltaRuntimeError(
        "PUREDELTA_CONVERT_DEFAULT_OF_ABSENT_COLUMN",
        file=path,
        column=quoted(column.name),
        value=value,
    )


def _other_type(path: str, column: StructField, found: StructField) -> DeltaError | None:
    """Say what is wrong with a column of a file, unless it can be read as the catalog's type."""
    if found.data_type == VOID or _reads(column, found):
        return None
    return DeltaRuntimeError(
        "DELTA_FAILED_MERGE_SCHEMA_FILE",
        file=path,
        column=quoted(column.name),
        schema=simple_string(found.data_type),
        otherSchema=simple_string(column.data_type),
        otherFile=_CATALOG,
    )


def _reads(column: StructField, found: StructField) -> bool:
    try:
        merged = merge_schemas(StructType((column,)), StructType((found,)))
    except DeltaAnalysisError:
        return False
    return simple_string(merged.fields[0].data_type) == simple_string(column.data_type)
