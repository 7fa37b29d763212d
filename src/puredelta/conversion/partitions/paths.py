"""The partition values of files, read off their paths by the partition columns that were given."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from puredelta.conversion.partitions.clause import written_clause
from puredelta.conversion.partitions.folders import Parts, partition_parts
from puredelta.conversion.partitions.value_types import type_of_part
from puredelta.conversion.partitions.values import logged_text
from puredelta.errors import DeltaAnalysisError, DeltaRuntimeError
from puredelta.schema.datatypes import (
    DECLARED_TYPE_KEY,
    STRING,
    VOID,
    StructField,
    StructType,
    simple_string,
)
from puredelta.table.columns.char_lengths import declared_type

_LENGTH = re.compile(r"(?:var)?char\((\d+)\)")


class PartitionPaths:
    """Reads the paths of files.

    Args:
        columns: The partition columns, in the order of the folders.
        zone: Where timestamps without zone were written.
        case_sensitive: Do names differ that differ in case only?
        ignore_cast_failure: Is a value null that is none of its column's type?

    >>> from puredelta.schema.datatypes import INTEGER
    >>> PartitionPaths(StructType((StructField("p", INTEGER),))).values("p=07/a.parquet")
    {'p': '7'}
    """

    def __init__(
        self,
        columns: StructType,
        *,
        zone: str = "UTC",
        case_sensitive: bool = False,
        ignore_cast_failure: bool = False,
    ) -> None:
        self._columns = columns
        self._case_sensitive = case_sensitive
        self._ignore_cast_failure = ignore_cast_failure
        self._parts: Parts | None = None
        self._values: dict[str, str | None] = {}
        # Most folders have values that others have, too.
        self._text = lru_cache(maxsize=65_536)(
            lambda text, place: _logged(text, columns.fields[place], zone)
        )

    def values(self, path: str) -> dict[str, str | None]:
        """Return the partition values of a file, as the log has them.

        Args:
            path: Below the folder that is converted.

        Raises:
            DeltaAnalysisError: DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME where the
                path has more or fewer columns,
                DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME where it has others.
            DeltaRuntimeError: DELTA_FAILED_CAST_PARTITION_VALUE, a value is none of its type,
                or longer than that;
                DELTA_CONVERT_NULL_PARTITION_VALUE, it is null, which its column does not allow.
        """
        parts = partition_parts(path)
        # Files of one folder come one after the other, and `partition_parts` returns the same
        # object for them.
        if parts is not self._parts:
            self._check_names(parts, path)
            self._values = {
                column.name: self._value(place, column, part.text, path)
                for place, (column, part) in enumerate(zip(self._columns, parts, strict=True))
            }
            self._parts = parts
        return dict(self._values)

    def _check_names(self, parts: Parts, path: str) -> None:
        if len(parts) != len(self._columns):
            raise DeltaAnalysisError(
                "DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME",
                expectedColsSize=len(self._columns),
                expectedCols=name_list(self._columns.names),
                parsedColsSize=len(parts),
                parsedCols=name_list(part.column for part in parts),
                path=path,
                clause=_clause(parts),
            )
        for column, part in zip(self._columns, parts, strict=True):
            if not self._is_named(column.name, part.column):
                raise DeltaAnalysisError(
                    "DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME",
                    expectedCol=f"`{column.name}`",
                    parsedCol=f"`{part.column}`",
                    path=path,
                )

    def _is_named(self, expected: str, found: str) -> bool:
        if self._case_sensitive:
            return expected == found
        return expected.lower() == found.lower()

    def _value(self, place: int, column: StructField, text: str | None, path: str) -> str | None:
        found = None if text is None else self._text(text, place)
        if text is not None and found is None and not self._ignore_cast_failure:
            raise DeltaRuntimeError(
                "DELTA_FAILED_CAST_PARTITION_VALUE",
                value=text,
                dataType=simple_string(declared_type(column)),
                path=path,
            )
        if found is None and not column.nullable:
            raise DeltaRuntimeError(
                "DELTA_CONVERT_NULL_PARTITION_VALUE", columnName=column.name, path=path
            )
        return found


def _logged(text: str, column: StructField, zone: str) -> str | None:
    """Write a value as the log does; None where it is none or too long."""
    length = _LENGTH.fullmatch(str(column.metadata.get(DECLARED_TYPE_KEY)))
    if length and len(text) > int(length[1]):
        return None
    return logged_text(text, column.data_type, zone)


def _clause(parts: Parts) -> str:
    """Write the clause that says the columns of a file, which can be of other types elsewhere."""
    kinds = [(part.column, type_of_part(part)) for part in parts]
    columns = (StructField(name, STRING if kind == VOID else kind) for name, kind in kinds)
    return written_clause(StructType(tuple(columns))) if parts else "no PARTITIONED BY"


def name_list(names: Iterable[str]) -> str:
    """Write names for a message: [`p`, `q`]."""
    return f"[{', '.join(f'`{name}`' for name in names)}]"
