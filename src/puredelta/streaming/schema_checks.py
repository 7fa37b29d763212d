"""Whether a stream can go on under the columns that it was started with, as the table changes."""

from __future__ import annotations

from dataclasses import dataclass

from puredelta.errors import DeltaIllegalStateError, DeltaUnsupportedOperationError
from puredelta.log.actions import Metadata
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructType
from puredelta.stream_settings import StreamSettings
from puredelta.table.columns.column_mapping import MappingMode, mapping_mode, physical_paths
from puredelta.table.columns.schema_diff import schema_differences
from puredelta.table.columns.type_widening import widens
from puredelta.table.protocol.protocol import features_of, schema_of

_TRACKING = "schemaTrackingLocation"
_DOC_LINK = "https://docs.delta.io/delta-streaming/"
_RETRY = "Start the query again: it goes on with the new columns."
_NEW_STREAM = (
    "Starting it again does not help: start a new query, with a checkpoint of its own, "
    "that reads the table as it is now"
)


@dataclass(frozen=True, slots=True)
class SchemaCheck:
    """Compares the columns of other versions with those that a stream reads with.

    Attributes:
        read: the version whose columns the stream has.
        settings: of the session.
        starts_somewhere: the options say where the stream starts.
    """

    read: Snapshot
    settings: StreamSettings
    starts_somewhere: bool = False

    def check(self, metadata: Metadata, version: int) -> None:
        """Refuse a version with columns under which the stream cannot go on.

        Args:
            metadata: of the version.
            version: the version.

        Raises:
            DeltaUnsupportedOperationError: DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE and
                DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG when mapped columns were
                renamed or dropped.
            DeltaIllegalStateError: DELTA_SCHEMA_CHANGED_WITH_VERSION, and
                DELTA_SCHEMA_CHANGED_WITH_STARTING_OPTIONS where the options say where the stream
                starts, for any other change.
        """
        mine = self.read.metadata
        # The common case is that properties changed.
        if (metadata.schema_string, metadata.partition_columns) == (
            mine.schema_string,
            mine.partition_columns,
        ) and mapping_mode(metadata.configuration) is mapping_mode(mine.configuration):
            return
        is_older = version < self.read.version
        old, new = (metadata, mine) if is_older else (mine, metadata)
        changes_mapping = changes_mapped_columns(old, new)
        if changes_mapping and not self.settings.unsafe_mapping_changes:
            self._refuse_mapped(metadata, version)
        widens_here = self.settings.older_types_widen and "typeWidening" in features_of(
            self.read.protocol
        )
        widening = is_older and widens_here
        if self._fits(mine, metadata, widening=widening, missing=is_older and changes_mapping):
            return
        retry = not is_older and self._fits(metadata, mine, widening=True)
        raise DeltaIllegalStateError(
            "DELTA_SCHEMA_CHANGED_WITH_STARTING_OPTIONS"
            if self.starts_somewhere
            else "DELTA_SCHEMA_CHANGED_WITH_VERSION",
            version=version,
            changes=describe_changes(mine, metadata),
            outlook=_RETRY if retry else f"{_NEW_STREAM}.",
            readSchema=mine.schema_string,
            dataSchema=metadata.schema_string,
        )

    def _refuse_mapped(self, metadata: Metadata, version: int) -> None:
        raise DeltaUnsupportedOperationError(
            "DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG"
            if self.settings.schema_tracking
            else "DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE",
            version=version,
            changes=describe_changes(self.read.metadata, metadata),
            option=_TRACKING,
            docLink=_DOC_LINK,
            readSchema=self.read.metadata.schema_string,
            incompatibleSchema=metadata.schema_string,
        )

    def _fits(
        self, read: Metadata, data: Metadata, *, widening: bool, missing: bool = False
    ) -> bool:
        same_partitions = (
            self.settings.unsafe_partition_changes
            or read.partition_columns == data.partition_columns
        )
        return same_partitions and _reads(
            schema_of(read),
            schema_of(data),
            widening=widening,
            nullability=not self.settings.unsafe_nullability,
            missing=missing,
        )


def describe_changes(before: Metadata, after: Metadata) -> str:
    """Say in a text how the columns of two versions differ."""
    found = [str(change) for change in schema_differences(schema_of(before), schema_of(after))]
    if before.partition_columns != after.partition_columns:
        listed = (", ".join(each.partition_columns) or "nothing" for each in (before, after))
        found.append("partitioned by {} -> {}".format(*listed))
    return "; ".join(found) or "the way in which files name the columns"


def changes_mapped_columns(old: Metadata, new: Metadata) -> bool:
    """Say whether mapped columns were renamed or dropped from one version to a later one.

    Args:
        old: the metadata of the earlier version.
        new: that of the later one.
    """
    modes = mapping_mode(old.configuration), mapping_mode(new.configuration)
    if modes[1] is MappingMode.NONE:
        return modes[0] is not MappingMode.NONE
    before = _names_by_physical(old, modes[0])
    after = _names_by_physical(new, modes[1])
    if any(after.get(path) != name for path, name in before.items()):
        return True
    return _partitions(old, before) != _partitions(new, after)


_Path = tuple[str, ...]


def _names_by_physical(metadata: Metadata, mode: MappingMode) -> dict[_Path, _Path]:
    # Where mapping is not on yet, columns are in the files under their names.
    return {inner: outer for outer, inner in physical_paths(schema_of(metadata), mode)}


def _partitions(metadata: Metadata, names: dict[_Path, _Path]) -> list[_Path]:
    inner = {outer: path for path, outer in names.items()}
    return [inner.get((name,), (name,)) for name in metadata.partition_columns]


def _reads(
    read: DataType, data: DataType, *, widening: bool, nullability: bool, missing: bool
) -> bool:
    """Say whether values of one type can be read with another.

    Args:
        read: the type that they are read with.
        data: the type that they have.
        widening: a wider type will do.
        nullability: no nulls are read where none may be.
        missing: columns that are not read will do.
    """

    def part(new: DataType, old: DataType) -> bool:
        return _reads(new, old, widening=widening, nullability=nullability, missing=missing)

    def nulls(*, new: bool, old: bool) -> bool:
        return new or not old or not nullability

    match read, data:
        case StructType(), StructType():
            return all(
                missing
                if (found := read.field(field.name, case_sensitive=True)) is None
                else nulls(new=found.nullable, old=field.nullable)
                and part(found.data_type, field.data_type)
                for field in data
            )
        case ArrayType(), ArrayType():
            return nulls(new=read.contains_null, old=data.contains_null) and part(
                read.element_type, data.element_type
            )
        case MapType(), MapType():
            return (
                nulls(new=read.value_contains_null, old=data.value_contains_null)
                and part(read.key_type, data.key_type)
                and part(read.value_type, data.value_type)
            )
        case _:
            return read == data or (widening and widens(data, read))
