"""The settings of a session for streams."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSettings:
    """What a session sets for the streams in it.

    Attributes:
        check_offsets: the end of a batch must not be before its start.
        schema_tracking: streams may keep a log of their columns.
        type_widening: a stream reads older versions with the wider types of newer ones.
        unsafe_mapping_changes: go on when mapped columns are renamed or dropped.
        unsafe_start: columns of the first batch are not checked.
        unsafe_partition_changes: go on when other columns partition the table.
        unsafe_nullability: go on when a column may be null that could not be before.
        out_of_range: a start after the newest version is waited for.
    """

    check_offsets: bool = True
    schema_tracking: bool = True
    type_widening: bool = True
    unsafe_mapping_changes: bool = False
    unsafe_start: bool = False
    unsafe_partition_changes: bool = False
    unsafe_nullability: bool = False
    out_of_range: bool = False
