"""SHALLOW CLONE in a session: which table is made or replaced, and its entry in the catalog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from puredelta.commands.convert.clone_source import converted_source
from puredelta.commands.create.create import CREATE, REPLACE
from puredelta.commands.create.new_table import rules_of
from puredelta.commands.create.place import is_free
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.conversion.source_table import ConvertTarget
from puredelta.engine.session.context import Context
from puredelta.engine.session.session_catalog import CatalogEntry, register
from puredelta.engine.write.file_writer import refresh_caches
from puredelta.errors.classes import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
)
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.clone.clone import Clone
from puredelta.maintenance.clone.report import CloneMetrics, ClonePreview
from puredelta.maintenance.clone.source import CloneSource, delta_source

_OTHER_FILES = "Files of other tables stay where they are. Choose another place, or empty this one."
_TABLE = (
    "A Delta table lies there. Replace it with CREATE OR REPLACE TABLE once it has no rows, "
    "{naming}or choose another place."
)
# A process that was killed between its commit and the entry in the catalog leaves a whole clone.
_NAMING = "give it the name with CREATE TABLE {name} USING delta LOCATION '{root}', "


@dataclass(frozen=True, slots=True, kw_only=True)
class CloneTarget:
    """Where a clone is to lie.

    Attributes:
        table: its folder and its name.
        entry: database and name in the session catalog; None for a path.
        is_known: the catalog has the name already.
        provider: the format of the table that has the name; None for a Delta table, or for none.
        is_managed: the catalog chose the place and deletes the files with the table.
    """

    table: TableRef
    entry: tuple[str, str] | None = None
    is_known: bool = False
    provider: str | None = None
    is_managed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaVersion:
    """One version of a Delta table, which is to be cloned.

    Attributes:
        table: the table.
        snapshot: the version.
    """

    table: TableRef
    snapshot: Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesOfOthers:
    """A Parquet or Iceberg table, which is to be cloned.

    Attributes:
        target: what the statement says of it.
        entry: what the session catalog knows of it; None for a path.
    """

    target: ConvertTarget
    entry: CatalogEntry | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CloneTable:
    """CREATE [OR REPLACE] and REPLACE TABLE ... SHALLOW CLONE.

    Attributes:
        target: where the clone is to lie.
        source: what is cloned.
        mode: CREATE, REPLACE or CREATE_OR_REPLACE.
        if_not_exists: an existing table stays as it is.
        properties: table properties, those that ask for a protocol among them.
    """

    target: CloneTarget
    source: DeltaVersion | FilesOfOthers
    mode: str = CREATE
    if_not_exists: bool = False
    properties: Mapping[str, str] = field(default_factory=dict)

    def run(self, context: Context) -> CloneMetrics | None:
        """Make the clone; return what was done, or None where the table exists and stays.

        Raises:
            DeltaAnalysisError: DELTA_TABLE_ALREADY_EXISTS, DELTA_CANNOT_REPLACE_MISSING_TABLE,
                DELTA_NOT_A_DELTA_TABLE, DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION.
            DeltaIllegalArgumentError: DELTA_UNSUPPORTED_CLONE_REPLACE_SAME_TABLE.
            DeltaError: what `Clone.run` and `converted_source` raise; nothing was written.
        """
        if self._stays:
            return None
        with self._clone(context, self._existing(context)) as clone:
            metrics = clone.run()
        target = self.target
        if target.entry is not None and not target.is_known:
            database, name = target.entry
            session, place = context.session, target.table.root
            register(session, database, name, place, is_managed=target.is_managed)
        refresh_caches(context.session, target.table.root)
        return metrics

    def preview(self, context: Context) -> ClonePreview:
        """Check all that `run` checks, and report what it would do.

        Raises:
            DeltaError: as `run`.
        """
        with self._clone(context, self._existing(context)) as clone:
            return clone.preview()

    @contextmanager
    def _clone(self, context: Context, before: Snapshot | None) -> Iterator[Clone]:
        with self._read_source(context) as source:
            yield Clone(
                begin(context, self.target.table, before),
                source,
                self.properties,
                rules_of(context),
                context.settings.user_metadata,
            )

    @contextmanager
    def _read_source(self, context: Context) -> Iterator[CloneSource]:
        if isinstance(self.source, DeltaVersion):
            yield delta_source(self.source.table.label, self.source.snapshot)
            return
        found, place = self.source, self.target.table.root
        with converted_source(context, found.target, found.entry, place) as source:
            yield source

    def _existing(self, context: Context) -> Snapshot | None:
        """Return the table that is there; refuse what the header of the statement excludes."""
        target, label = self.target, self.target.table.label
        if target.is_known and self.mode == CREATE:
            raise DeltaAnalysisError("DELTA_TABLE_ALREADY_EXISTS", tableName=label)
        if target.provider is not None:
            raise DeltaAnalysisError("DELTA_NOT_A_DELTA_TABLE", tableName=label)
        log = target.table.log()
        before = log.latest() if log.exists() else None
        if self.mode == REPLACE and not self._is_there(before):
            raise DeltaAnalysisError("DELTA_CANNOT_REPLACE_MISSING_TABLE", tableName=label)
        if before is None:
            self._check_place(context)
        elif self.mode == CREATE:
            raise self._not_empty(_TABLE.format(naming=self._naming))
        elif self.mode != CREATE and not context.settings.clone_replaces:
            raise DeltaIllegalArgumentError(
                "DELTA_UNSUPPORTED_CLONE_REPLACE_SAME_TABLE", tableName=label
            )
        return before

    @property
    def _stays(self) -> bool:
        """Does the statement leave the table alone that is there?"""
        target = self.target
        is_known = target.is_known or (target.entry is None and target.table.log().exists())
        return self.if_not_exists and is_known

    def _is_there(self, before: Snapshot | None) -> bool:
        return before is not None if self.target.entry is None else self.target.is_known

    def _check_place(self, context: Context) -> None:
        """Refuse a folder with files that no table names: VACUUM of the clone would delete them."""
        if not is_free(context.session, self.target.table.root):
            raise self._not_empty(_OTHER_FILES)

    @property
    def _naming(self) -> str:
        """Return how the table that is there gets the name of the clone; nothing for a path."""
        if self.target.entry is None:
            return ""
        return _NAMING.format(name=self.target.table.label, root=self.target.table.root)

    def _not_empty(self, advice: str) -> DeltaAnalysisError:
        return DeltaAnalysisError(
            "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
            tableId=self.target.table.label,
            tableLocation=self.target.table.root,
            advice=advice,
        )
