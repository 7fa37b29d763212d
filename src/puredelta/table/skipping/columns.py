"""The columns of a table as the log describes them: in statistics or as partition values.

Protocol: Per-file Statistics; Column Mapping; Partition Value Serialization.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import (
    BYTE,
    DATE,
    DECLARED_TYPE_KEY,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    StructField,
    StructType,
    simple_string,
)
from puredelta.schema.walk import leaves
from puredelta.table.columns.char_lengths import char_length, declared_type
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode, physical_name
from puredelta.table.protocol.feature_activation import TYPE_CHANGES_KEY
from puredelta.table.skipping.predicate import Path

_COLLATIONS_KEY = "__COLLATIONS"

# A struct is not null where any of its parts is not; a wide struct needs no more than a few parts,
# each of which is another column to parse.
_WITNESSES = 8

_KINDS: Mapping[DataType, pa.DataType] = {
    **dict.fromkeys((BYTE, SHORT, INTEGER, LONG), pa.int64()),
    FLOAT: pa.float32(),
    DOUBLE: pa.float64(),
    STRING: pa.string(),
    DATE: pa.date32(),
    TIMESTAMP: pa.timestamp("us", "UTC"),
    TIMESTAMP_NTZ: pa.timestamp("us"),
}


@dataclass(frozen=True, slots=True)
class StatsColumn:
    """A column as statistics and partition values describe it.

    Attributes:
        path: Its physical names.
        data_type: The table's type for it.
        is_partition: Whether it is in the partition values, rather than in statistics.
        padded_to: How many characters a reader fills a char(n) up to; 0 for other types.
        was_float: Whether it may have been a float before it was widened to a double.
        witnesses: For a struct, parts of it: where one is not null, the struct is not.
    """

    path: Path
    data_type: DataType
    is_partition: bool = False
    padded_to: int = 0
    was_float: bool = False
    witnesses: tuple[Path, ...] = ()

    @property
    def kind(self) -> pa.DataType:
        """The Arrow type to parse its bounds as; null when it can have none."""
        if isinstance(self.data_type, DecimalType):
            return pa.decimal128(self.data_type.precision, self.data_type.scale)
        return _KINDS.get(self.data_type, pa.null())


@dataclass(frozen=True, slots=True)
class StatsColumns:
    """The columns of a table, by their logical names.

    Attributes:
        schema: The table's schema.
        partition_columns: The names of its partition columns.
        mode: How its columns are mapped.
    """

    schema: StructType
    partition_columns: tuple[str, ...] = ()
    mode: MappingMode = MappingMode.NONE

    def find(self, path: Path) -> StatsColumn | None:
        """Find a column; None for a path that is no column, and for a string with a collation."""
        inside: DataType = self.schema
        names: list[str] = []
        field: StructField | None = None
        for name in path:
            field = _field(inside, name)
            if field is None:
                return None
            names.append(physical_name(field, self.mode))
            inside = field.data_type
        # Bounds are in the order of bytes, which is not that of the collation.
        if field is None or _COLLATIONS_KEY in field.metadata:
            return None
        return StatsColumn(
            path=tuple(names),
            data_type=inside,
            is_partition=len(path) == 1 and field.name in self.partition_columns,
            padded_to=self._padding(path, field),
            # A file does not record the type it was written for, so all of them count as such.
            was_float=inside == DOUBLE and TYPE_CHANGES_KEY in field.metadata,
            witnesses=self._witnesses(tuple(names), inside),
        )

    def _padding(self, path: Path, field: StructField) -> int:
        """Return the n of a char(n), which a column at the top declares for all that is in it."""
        top = _field(self.schema, path[0])
        if top is None or DECLARED_TYPE_KEY not in top.metadata:
            return char_length(str(field.metadata.get(DECLARED_TYPE_KEY, "")))
        if len(path) == 1:
            return char_length(str(top.metadata[DECLARED_TYPE_KEY]))
        inside: DataType = declared_type(top)
        for name in path[1:]:
            part = _field(inside, name)
            if part is None:
                return 0
            inside = part.data_type
        return char_length(simple_string(inside))

    def _witnesses(self, path: Path, data_type: DataType) -> tuple[Path, ...]:
        if not isinstance(data_type, StructType):
            return ()
        return tuple((*path, *below) for below in _leaf_names(data_type, self.mode)[:_WITNESSES])


def columns_of_table(snapshot: Snapshot) -> StatsColumns:
    """Return the columns of a version of a table."""
    mode = mapping_mode(snapshot.configuration)
    return StatsColumns(snapshot.schema, tuple(snapshot.partition_columns), mode)


def _field(inside: DataType, name: str) -> StructField | None:
    if not isinstance(inside, StructType):
        return None
    exact = inside.field(name, case_sensitive=True)
    if exact is not None:
        return exact
    # Which of several columns a name means depends on the session; here it means none of them.
    alike = [field for field in inside if field.name.lower() == name.lower()]
    return alike[0] if len(alike) == 1 else None


def _leaf_names(data_type: StructType, mode: MappingMode) -> list[Path]:
    if mode is MappingMode.NONE:
        return [path for path, _ in leaves(data_type)]
    found: list[Path] = []
    for field in data_type:
        name = physical_name(field, mode)
        if isinstance(field.data_type, StructType):
            found.extend((name, *path) for path in _leaf_names(field.data_type, mode))
        else:
            found.append((name,))
    return found
