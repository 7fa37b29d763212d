"""Keys of partitions: one string for each partition, computed for whole Arrow tables.

Values are compared as values of their types, so that `1.5` and `1.50` are the same decimal, and a
timestamp is the same in each form that the log may contain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.errors import DeltaRuntimeError
from puredelta.log.files import map_value
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import BINARY, STRING, DataType
from puredelta.table.columns.column_mapping import mapping_mode, physical_names
from puredelta.table.partition_values import plain_from_text

# The key of no value: the key of each starts with its length.
_NULL = "-"


@dataclass(frozen=True, slots=True)
class PartitionKeys:
    """How the partitions of a table are distinguished.

    Attributes:
        names: The partition columns as the log names them, in order.
        types: Their types.
        zone: Where timestamps without zone were written.
    """

    names: tuple[str, ...]
    types: tuple[DataType, ...]
    zone: str = "UTC"

    def of_files(self, files: pa.Table) -> pa.Array:
        """Return the key of each file's partition.

        Args:
            files: A table with the column `partition_values` (map of string to string).
        """
        parts = [
            self._written(map_value(files["partition_values"], name), data_type)
            for name, data_type in zip(self.names, self.types, strict=True)
        ]
        return pc.binary_join_element_wise(*parts, "")

    def of_values(self, values: Mapping[str, str | None]) -> str:
        """Return the key of a partition.

        Args:
            values: The partition values as the log has them, by column.
        """
        return "".join(
            self._key_of(values.get(name), data_type)
            for name, data_type in zip(self.names, self.types, strict=True)
        )

    def has_null(self, values: Mapping[str, str | None]) -> bool:
        """Say whether a partition has no value in some column."""
        return any(not values.get(name) for name in self.names)

    def _written(self, texts: pa.Array, data_type: DataType) -> pa.Array:
        # Files are many and partition values few, so that each distinct value is parsed once.
        encoded = texts.dictionary_encode()
        distinct = [self._key_of(text, data_type) for text in encoded.dictionary.to_pylist()]
        return pc.fill_null(pa.array(distinct, pa.string()).take(encoded.indices), _NULL)

    def _key_of(self, text: str | None, data_type: DataType) -> str:
        # Protocol, Partition Value Serialization: the empty string means null.
        if not text:
            return _NULL
        canonical = _canonical(text, data_type, self.zone)
        # With its length in front, a value cannot run into that of the next column.
        return f"{len(canonical)}:{canonical}"


def with_keys(files: pa.Table, keys: pa.Array, wanted: Sequence[str]) -> pa.Table:
    """Return the files whose partition is one of those wanted."""
    return files.filter(pc.is_in(keys, value_set=pa.array(wanted, pa.string())))


def _canonical(text: str, data_type: DataType, zone: str) -> str:
    if data_type in (STRING, BINARY):
        return text
    try:
        value = plain_from_text(text, data_type, zone)
    except DeltaRuntimeError:
        # A value that cannot be cast still belongs to a partition of its own.
        return text
    # A zero is one value, with either sign.
    return repr(value + 0.0 if isinstance(value, float) else value)


def keys_of(
    snapshot: Snapshot, zone: str = "UTC", columns: Sequence[str] | None = None
) -> PartitionKeys:
    """Return how the partitions of a version are distinguished.

    Args:
        snapshot: The version.
        zone: Where timestamps without zone were written.
        columns: The partition columns that count, as users name them; all by default.
    """
    names = snapshot.partition_columns if columns is None else columns
    fields = [snapshot.schema.field(name) for name in names]
    types = tuple(STRING if field is None else field.data_type for field in fields)
    in_log = physical_names(snapshot.schema, names, mapping_mode(snapshot.configuration))
    return PartitionKeys(tuple(in_log), types, zone)
