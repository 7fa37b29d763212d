"""A snapshot and what it means: schema, partitioning, properties, and whether we may touch it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import pyarrow as pa

from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import StructField, StructType
from puredelta.table.indexing import Indexing, indexing_of
from puredelta.table.partitions import typed_partitions
from puredelta.table.properties import Property
from puredelta.table.protocol import check_readable, check_writable, features_of

Value = TypeVar("Value")


@dataclass(frozen=True)
class TableView:
    """A table at one version, with its meaning.

    Attributes:
        snapshot: The facts, as the log tells them.
        name: Name or path of the table, for messages.
    """

    snapshot: Snapshot
    name: str

    @property
    def version(self) -> int:
        """The version."""
        return self.snapshot.version

    @property
    def schema(self) -> StructType:
        """All columns, with the names that users see."""
        return self.snapshot.schema

    @cached_property
    def partition_columns(self) -> tuple[str, ...]:
        """The partition columns, spelled as in the schema."""
        return tuple(field.name for field in self.partition_schema)

    @cached_property
    def partition_schema(self) -> StructType:
        """The partition columns, in the order of the partitioning."""
        found = (self.schema.field(name) for name in self.snapshot.metadata.partition_columns)
        return StructType(tuple(field for field in found if field is not None))

    @cached_property
    def data_schema(self) -> StructType:
        """The columns that lie in the files."""
        return StructType(tuple(field for field in self.schema if not self._partitions(field)))

    @property
    def configuration(self) -> Mapping[str, str]:
        """The table properties as texts."""
        return self.snapshot.metadata.configuration

    @cached_property
    def features(self) -> frozenset[str]:
        """The table features, those that versions imply among them."""
        return features_of(self.snapshot.protocol)

    @cached_property
    def indexing(self) -> Indexing:
        """Which columns get statistics."""
        return indexing_of(self.configuration)

    @property
    def has_tight_bounds(self) -> bool:
        """Must statistics say whether their bounds are exact?"""
        return "deletionVectors" in self.features

    def value_of(self, wanted: Property[Value]) -> Value:
        """Read a table property."""
        return wanted.of(self.configuration)

    def partitions(self, zone: str = "UTC") -> pa.Table:
        """The partition values of all files, typed, one row a file."""
        return typed_partitions(self.snapshot.files, self.schema, self.partition_columns, zone)

    def check_readable(self) -> TableView:
        """Refuse by name what we cannot honour when reading; else give the view back."""
        check_readable(self.snapshot.protocol, self.snapshot.metadata, self.name)
        return self

    def check_writable(self) -> TableView:
        """Refuse by name what we cannot honour when writing; else give the view back."""
        check_writable(self.snapshot.protocol, self.snapshot.metadata, self.name)
        return self

    def _partitions(self, field: StructField) -> bool:
        return field.name.lower() in {name.lower() for name in self.partition_columns}
