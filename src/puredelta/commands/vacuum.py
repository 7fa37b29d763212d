"""VACUUM in a session: under its settings, with an inventory that is a query of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from pyspark.sql import DataFrame
from pyspark.sql.types import BooleanType, LongType, StringType

from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.maintenance.vacuum.preview import Vacuumed, VacuumPreview
from puredelta.maintenance.vacuum.request import InventoryEntry, VacuumRequest
from puredelta.maintenance.vacuum.run import Vacuum
from puredelta.storage.store import ObjectInfo

_INVENTORY = {
    "path": StringType(),
    "length": LongType(),
    "isDir": BooleanType(),
    "modificationTime": LongType(),
}
_INVENTORY_TEXT = ", ".join(f"{name} {kind.simpleString()}" for name, kind in _INVENTORY.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class VacuumTableCommand:
    """VACUUM of a table.

    Attributes:
        table: the table.
        lite: True for LITE, False for FULL, None as the session says.
        retain_hours: the retention in hours; None for the table's own.
        inventory: the files of the folder, in place of a listing; None to list it.
    """

    table: TableRef
    lite: bool | None = None
    retain_hours: float | None = None
    inventory: DataFrame | None = None

    def run(self, context: Context) -> Vacuumed:
        """Delete what no version within the retention needs.

        Raises:
            DeltaAnalysisError: DELTA_INVALID_INVENTORY_SCHEMA.
            DeltaError: what `maintenance.vacuum.run.Vacuum.run` raises.
        """
        return self._vacuum(context).run()

    def preview(self, context: Context) -> VacuumPreview:
        """Return what would be deleted, and which versions that costs.

        Raises:
            DeltaError: as for `run`.
        """
        return self._vacuum(context).preview()

    def paths(self, context: Context) -> list[str]:
        """Return the URLs of what would be deleted.

        Raises:
            DeltaError: as for `run`.
        """
        return [f"{self.table.root}/{name}" for name in self._vacuum(context).paths()]

    def _vacuum(self, context: Context) -> Vacuum:
        entries = None if self.inventory is None else inventory_entries(self.inventory)
        return Vacuum(
            log=self.table.log(),
            label=self.table.label,
            request=VacuumRequest(
                lite=self.lite, retain_hours=self.retain_hours, inventory=entries
            ),
            settings=context.settings.vacuum,
            begin=partial(begin, context, self.table),
            user_metadata=context.settings.user_metadata,
        )


def inventory_entries(frame: DataFrame) -> list[InventoryEntry]:
    """Read an inventory; rows in which a value is missing are passed over.

    Args:
        frame: path, length, isDir and modificationTime, among other columns.

    Raises:
        DeltaAnalysisError: DELTA_INVALID_INVENTORY_SCHEMA.
    """
    found = {field.name.lower(): field for field in frame.schema}
    for name, kind in _INVENTORY.items():
        field = found.get(name.lower())
        if field is None or field.dataType != kind:
            raise DeltaAnalysisError(
                "DELTA_INVALID_INVENTORY_SCHEMA", expectedSchema=_INVENTORY_TEXT
            )
    return list(_entries(frame.select(*(found[name.lower()].name for name in _INVENTORY))))


def _entries(frame: DataFrame) -> Iterator[InventoryEntry]:
    for batch in frame.toArrow().to_batches():
        columns = (column.to_pylist() for column in batch.columns)
        for path, length, is_folder, modified in zip(*columns, strict=True):
            # A file of unknown age may be young, so it is not looked at.
            if path is None or is_folder is None or (modified is None and not is_folder):
                continue
            info = ObjectInfo("", length or 0, modified or 0)
            yield InventoryEntry(url=path, info=info, is_folder=is_folder)
