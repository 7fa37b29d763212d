"""ALTER TABLE ... SET LOCATION: a name of the catalog stands for another table from now on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.engine.session.paths import hadoop_path
from puredelta.engine.session.session_catalog import move
from puredelta.errors.classes import DeltaAnalysisError, DeltaTableNotFoundError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.column_path import quote_name
from puredelta.schema.datatypes import simple_string
from puredelta.settings import SETTINGS
from puredelta.table.columns.column_mapping import unmapped_schema
from puredelta.table.columns.schema_diff import schema_differences


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLocation:
    """Lets the catalog's entry of a table name another folder; no version is made.

    Attributes:
        table: as the catalog has it now.
        database: where its entry is.
        entry: the entry's name.
        location: the folder of the Delta table that it is to stand for.
    """

    table: TableRef
    database: str
    entry: str
    location: str

    def run(self, context: Context) -> None:
        """Change the entry.

        Raises:
            DeltaAnalysisError: DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER,
                DELTA_MISSING_DELTA_TABLE when no table is there,
                DELTA_SET_LOCATION_SCHEMA_MISMATCH when it has other columns or partition columns.
        """
        if self.table.name is None:
            raise DeltaAnalysisError("DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER")
        if not self.location:
            raise DeltaTableNotFoundError("DELTA_MISSING_DELTA_TABLE", tableName=self.location)
        root = hadoop_path(context.session, self.location, self.table.options)
        found = TableRef(root=root, name=self.table.name, options=self.table.options)
        if not found.log().exists():
            raise DeltaTableNotFoundError("DELTA_MISSING_DELTA_TABLE", tableName=self.location)
        if not context.settings.any_schema_at_location:
            self._check_same(self.table.log().latest(), found.log().latest())
        move(context.session, self.database, self.entry, root)

    def _check_same(self, old: Snapshot, new: Snapshot) -> None:
        differences = list(_differences(old, new))
        if differences:
            raise DeltaAnalysisError(
                "DELTA_SET_LOCATION_SCHEMA_MISMATCH",
                tableName=self.table.label,
                original=_shown(old),
                destination=_shown(new),
                differences="\n".join(f" - {difference}" for difference in differences),
                config=SETTINGS["any_schema_at_location"].key,
            )


def _differences(old: Snapshot, new: Snapshot) -> Iterator[str]:
    """Compare columns and partition columns of two tables; ids of columns do not count."""
    yield from map(
        str, schema_differences(unmapped_schema(old.schema), unmapped_schema(new.schema))
    )
    before, after = (", ".join(snapshot.partition_columns) or "nothing" for snapshot in (old, new))
    if old.partition_columns != new.partition_columns:
        yield f"partitioned by {after}; it was {before}"


def _shown(snapshot: Snapshot) -> str:
    columns = (
        f"{quote_name(field.name)} {simple_string(field.data_type)}" for field in snapshot.schema
    )
    return ", ".join(columns) or "no columns"
