"""How far a stream has read: offsets, in the JSON that checkpoints of delta-spark have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import msgspec

from puredelta.errors import DeltaIllegalStateError

BASE = -100
"""The index before all files of a version."""

METADATA_CHANGE = -20
"""The index after which the columns of a version are others; see `schema_log`."""

POST_METADATA_CHANGE = -19
"""The index at which the stream has the new columns, but no file of the version."""

_BARRIERS = frozenset({METADATA_CHANGE, POST_METADATA_CHANGE})

# What stands for BASE in JSON.
_BASE_WRITTEN = -1

_PLAIN, _WITH_BARRIERS = 1, 3
_UNUSABLE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Offset:
    """What a stream has read: all before a place in the log, that place included.

    Attributes:
        table: the id of the table.
        version: the version that is being read.
        index: the last file of it that was read, by its place among the files that count; or one
            of the names above.
        initial: the files are those of the table at that version, not those of its commit.
    """

    table: str
    version: int
    index: int = BASE
    initial: bool = False

    @property
    def place(self) -> tuple[int, int]:
        """What offsets are ordered by."""
        return self.version, self.index

    @property
    def is_barrier(self) -> bool:
        """Whether the columns change here."""
        return self.index in _BARRIERS

    def to_json(self) -> str:
        """Return the offset as a checkpoint has it: with these keys, in this order."""
        written: dict[str, Any] = {
            "sourceVersion": _WITH_BARRIERS if self.is_barrier else _PLAIN,
            "reservoirId": self.table,
            "reservoirVersion": self.version,
            "index": _BASE_WRITTEN if self.index == BASE else self.index,
            "isStartingVersion": self.initial,
        }
        return msgspec.json.encode(written).decode()

    def after_version(self) -> Offset:
        """Return the offset at which all of the version is read."""
        return replace(self, version=self.version + 1, index=BASE, initial=False)


class _Written(msgspec.Struct, rename="camel"):
    """The JSON of an offset."""

    source_version: int
    reservoir_id: str
    reservoir_version: int
    index: int
    is_starting_version: bool


_DECODER = msgspec.json.Decoder(_Written)


def read_offset(text: str, table: str) -> Offset:
    """Read the JSON of an offset.

    Args:
        text: as the checkpoint has it.
        table: the id of the table that the stream reads.

    Raises:
        DeltaIllegalStateError: DELTA_INVALID_SOURCE_OFFSET_FORMAT, DELTA_INVALID_SOURCE_VERSION,
            DELTA_INVALID_FORMAT_FROM_SOURCE_VERSION for text that no source of ours wrote;
            DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE for an offset of another table.
    """
    try:
        found = _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DeltaIllegalStateError(
            "DELTA_INVALID_SOURCE_OFFSET_FORMAT", offset=text, reason=error
        ) from error
    if found.source_version > _WITH_BARRIERS:
        raise DeltaIllegalStateError(
            "DELTA_INVALID_FORMAT_FROM_SOURCE_VERSION",
            expectedVersion=_WITH_BARRIERS,
            realVersion=found.source_version,
        )
    if found.source_version < _PLAIN or found.source_version == _UNUSABLE:
        raise DeltaIllegalStateError("DELTA_INVALID_SOURCE_VERSION", version=found.source_version)
    if found.reservoir_id != table:
        raise DeltaIllegalStateError(
            "DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE",
            newTableId=table,
            oldTableId=found.reservoir_id,
        )
    return Offset(
        table=found.reservoir_id,
        version=found.reservoir_version,
        index=BASE if found.index == _BASE_WRITTEN else found.index,
        initial=found.is_starting_version,
    )


def check_order(start: Offset, end: Offset) -> None:
    """Refuse an end that lies before its start.

    Raises:
        DeltaIllegalStateError: PUREDELTA_STREAM_OFFSET_MOVED_BACK.
    """
    if end.place < start.place or (end.initial and not start.initial):
        raise DeltaIllegalStateError(
            "PUREDELTA_STREAM_OFFSET_MOVED_BACK", previous=start.to_json(), current=end.to_json()
        )
