"""Settings of streams over tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from puredelta.setting import Setting, flag

_UNSAFE = "streaming.unsafeReadOn"

STREAMS: Mapping[str, Setting] = MappingProxyType(
    {
        "check_offsets": flag("streaming.offsetValidation.enabled", default=True),
        "schema_tracking": flag("streaming.schemaTracking.enabled", default=True),
        "merges_changes": flag(
            "streaming.schemaTracking.mergeConsecutiveSchemaChanges.enabled", default=True
        ),
        "location_anywhere": flag(
            "streaming.allowSchemaLocationOutsideCheckpointLocation", default=False
        ),
        "checkpoint_moves": flag(
            "streaming.schemaTracking.metadataPathCheck.enabled", default=True
        ),
        "older_types_widen": flag("typeWidening.allowTypeChangeStreamingDeltaSource", default=True),
        "unsafe_mapping_changes": flag(
            _UNSAFE + "IncompatibleColumnMappingSchemaChanges.enabled", default=False
        ),
        "unsafe_start": flag(
            _UNSAFE + "IncompatibleSchemaChangesDuringStreamStart.enabled", default=False
        ),
        "unsafe_partition_changes": flag(_UNSAFE + "PartitionColumnChanges.enabled", default=False),
        "unsafe_nullability": flag(_UNSAFE + "NullabilityChange.enabled", default=False),
    }
)
"""By the field of `StreamSettings`."""

ALLOWING = "spark.databricks.delta.streaming.allowSourceColumn"
"""What the names of the settings begin with that let streams go on after a change of columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSettings:
    """The settings of a session for the streams in it.

    Attributes:
        check_offsets: the end of a batch must not be before its start.
        schema_tracking: streams may keep a log of their columns.
        merges_changes: changes of columns without files in between are one change for that log.
        location_anywhere: that log may be outside of the checkpoint.
        checkpoint_moves: a stream with such a log is refused when its checkpoint was moved.
        older_types_widen: a stream reads older versions with the wider types of newer ones.
        unsafe_mapping_changes: go on when mapped columns are renamed or dropped.
        unsafe_start: the columns of the version that a query goes on from are not checked.
        unsafe_partition_changes: go on when other columns partition the table.
        unsafe_nullability: go on when a column may be null that could not be before.
    """

    check_offsets: bool = True
    schema_tracking: bool = True
    merges_changes: bool = True
    location_anywhere: bool = False
    checkpoint_moves: bool = True
    older_types_widen: bool = True
    unsafe_mapping_changes: bool = False
    unsafe_start: bool = False
    unsafe_partition_changes: bool = False
    unsafe_nullability: bool = False

    @property
    def tracks(self) -> bool:
        """Whether a stream that has a place for it keeps a log of its columns."""
        return self.schema_tracking and not self.unsafe_mapping_changes
