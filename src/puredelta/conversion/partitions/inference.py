"""Partition columns out of the names of folders, with the types that Spark would infer."""

from __future__ import annotations

from functools import lru_cache

from puredelta.conversion.partitions.folders import Parts, is_cut, partition_parts
from puredelta.conversion.partitions.paths import name_list
from puredelta.conversion.partitions.value_types import type_of_part, wider_type
from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import (
    STRING,
    TIMESTAMP,
    VOID,
    DataType,
    PrimitiveType,
    StructField,
    StructType,
)


class InferredPartitions:
    """Takes the paths of files, and says by which columns they are partitioned.

    Args:
        typed: Infer numbers, dates and points in time; otherwise all columns are strings.
        case_sensitive: Do names differ that differ in case only?
        timestamp_type: What points in time are.

    >>> found = InferredPartitions()
    >>> found.add("day=2024-01-01/n=1/a.parquet")
    >>> found.add("day=2024-01-02/n=x/b.parquet")
    >>> [(column.name, column.data_type.name) for column in found.schema]
    [('day', 'date'), ('n', 'string')]
    """

    def __init__(
        self,
        *,
        typed: bool = True,
        case_sensitive: bool = False,
        timestamp_type: PrimitiveType = TIMESTAMP,
    ) -> None:
        self._case_sensitive = case_sensitive
        self._first: tuple[str, Parts] | None = None
        self._types: list[DataType] = []
        self._last: Parts | None = None
        self._type = lru_cache(maxsize=65_536)(
            lambda part: type_of_part(part, timestamp_type) if typed else STRING
        )

    def add(self, path: str) -> None:
        """Take the path of a file.

        Args:
            path: Below the folder that is converted.

        Raises:
            DeltaAnalysisError: DELTA_CONVERT_CONFLICTING_PARTITION_FOLDERS, the folders of the
                file name other columns than those of the first one;
                PUREDELTA_CONVERT_PARTITION_FOLDERS_CUT, one between them names none;
                PUREDELTA_CONVERT_PARTITION_FOLDER_UNNAMED, one has nothing before its `=`.
        """
        parts = partition_parts(path)
        # Files of one folder come one after the other.
        if parts is self._last:
            return
        self.check(path)
        if self._first is None:
            self._first = (path, parts)
            self._types = [VOID] * len(parts)
        for place, part in enumerate(parts):
            self._types[place] = wider_type(self._types[place], self._type(part))
        self._last = parts

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns, as the folders of the first file have them."""
        return tuple(part.column for part in self._first[1]) if self._first else ()

    @property
    def schema(self) -> StructType:
        """The columns, in the order of the folders; a column that is null throughout is a text."""
        return StructType(
            tuple(
                StructField(name, STRING if data_type == VOID else data_type)
                for name, data_type in zip(self.names, self._types, strict=True)
            )
        )

    def check(self, path: str) -> None:
        """Refuse what `add` refuses, and take nothing."""
        parts = partition_parts(path)
        if parts is self._last:
            return
        if is_cut(path):
            raise DeltaAnalysisError("PUREDELTA_CONVERT_PARTITION_FOLDERS_CUT", path=path)
        if not all(part.column for part in parts):
            raise DeltaAnalysisError("PUREDELTA_CONVERT_PARTITION_FOLDER_UNNAMED", path=path)
        if self._first is None:
            return
        first_path, first = self._first
        if self._names(parts) != self._names(first):
            raise DeltaAnalysisError(
                "DELTA_CONVERT_CONFLICTING_PARTITION_FOLDERS",
                path=path,
                columns=name_list(part.column for part in parts),
                otherPath=first_path,
                otherColumns=name_list(part.column for part in first),
            )

    def _names(self, parts: Parts) -> list[str]:
        names = [part.column for part in parts]
        return names if self._case_sensitive else [name.lower() for name in names]
