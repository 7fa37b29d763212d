"""SHOW PARTITIONS: the partitions that have files, one typed column a partition column."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any

from pyspark.sql.types import StructType

from puredelta.commands.rows.layout import partition_fields
from puredelta.commands.table_ref import TableRef
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.inspection.partitions import list_partitions
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import STRING, DataType
from puredelta.table.partition_values import typed_column, value_from_text


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowPartitions:
    """SHOW PARTITIONS t [PARTITION (p = v, ...)].

    Attributes:
        table: the table.
        wanted: values that partitions must have, as text, by column in any case.
    """

    table: TableRef
    wanted: Mapping[str, str | None]

    def columns(self) -> StructType:
        """Return the columns of the result.

        Raises:
            DeltaAnalysisError: DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE,
                DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_COLUMN.
        """
        snapshot = self.table.log().latest()
        if not snapshot.partition_columns:
            raise DeltaAnalysisError(
                "DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE", tableName=self.table.label
            )
        known = {name.lower() for name in snapshot.partition_columns}
        unknown = [name for name in self.wanted if name.lower() not in known]
        if unknown:
            raise DeltaAnalysisError(
                "DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_COLUMN", badCols=unknown
            )
        return StructType(partition_fields(snapshot))

    def rows(self, zone: str) -> list[dict[str, Any]]:
        """Return the partitions in the order of their values, nulls last.

        Args:
            zone: the session's time zone, in which `wanted` and older writers write timestamps.
        """
        snapshot = self.table.log().latest()
        names = snapshot.partition_columns
        wanted = {
            name: value_from_text(text, _type(snapshot, name), zone)
            for name, text in self._spelled(names)
        }
        listed = list_partitions(snapshot, partial(typed_column, zone=zone))
        found = listed["partition"].to_pylist()
        return [
            {name: _plain(value) for name, value in row.items()}
            for row in found
            if all(row[name] == value for name, value in wanted.items())
        ]

    def _spelled(self, names: list[str]) -> list[tuple[str, str | None]]:
        given = {name.lower(): text for name, text in self.wanted.items()}
        return [(name, given[name.lower()]) for name in names if name.lower() in given]


def _type(snapshot: Snapshot, name: str) -> DataType:
    field = snapshot.schema.field(name)
    return STRING if field is None else field.data_type


def _plain(value: Any) -> Any:
    """Return a value as JSON has it."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value.isoformat() if isinstance(value, date) else str(value)
