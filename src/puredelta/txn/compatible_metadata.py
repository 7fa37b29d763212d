"""Changes of metadata that a commit which was prepared before them may follow."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import msgspec

from puredelta.log.actions import Metadata
from puredelta.schema.codec import MalformedTypeError, stored_schema_from_json
from puredelta.schema.datatypes import StructType
from puredelta.table.columns.column_mapping import MODE_KEY, unmapped_schema
from puredelta.table.protocol.row_tracking import COLUMN_NAMES, ENABLED

_MAX_COLUMN_ID = "delta.columnMapping.maxColumnId"

Change = Callable[["str | None", str], bool]


def _to(*wanted: str) -> Change:
    """Allow the change to a value, from any other."""
    return lambda _, new: new.strip().lower() in wanted


def _is_new(old: str | None, new: str) -> bool:
    del new
    return old is None


def _starts_mapping(old: str | None, new: str) -> bool:
    """By name only: files that were written before have the names of the columns."""
    return (old or "none").strip().lower() == "none" and new.strip().lower() == "name"


def _rises(old: str | None, new: str) -> bool:
    return new.isdecimal() and (old is None or (old.isdecimal() and int(old) <= int(new)))


@dataclass(frozen=True, slots=True)
class _Allowed:
    """A property that may change: the feature behind it, and how it may."""

    feature: str
    change: Change


# Each change only enables what a writer that did not know of it does not violate, because the
# protocol had the feature before. Turning one off is not listed: files may already rely on it. A
# property that is missing here, such as a constraint, can be violated by rows that were checked
# without it.
_ALLOWED: Mapping[str, _Allowed] = {
    ENABLED: _Allowed("rowTracking", _to("true")),
    **{key: _Allowed("rowTracking", _is_new) for key in COLUMN_NAMES},
    MODE_KEY: _Allowed("columnMapping", _starts_mapping),
    _MAX_COLUMN_ID: _Allowed("columnMapping", _rises),
    "delta.enableDeletionVectors": _Allowed("deletionVectors", _to("true")),
    "delta.checkpointPolicy": _Allowed("v2Checkpoint", _to("v2")),
    "delta.enableInCommitTimestamps": _Allowed("inCommitTimestamp", _to("true")),
    "delta.inCommitTimestampEnablementVersion": _Allowed("inCommitTimestamp", _is_new),
    "delta.inCommitTimestampEnablementTimestamp": _Allowed("inCommitTimestamp", _is_new),
}


def is_compatible(before: Metadata, after: Metadata, features: Collection[str]) -> bool:
    """Return whether new metadata asks nothing of commits that were prepared under the old.

    Args:
        before: The metadata that was read.
        after: The metadata that another commit set.
        features: What the protocol had when the metadata was read: a feature that came along with
            the metadata was not obeyed by writers that read before.
    """
    return (
        _without_changeable(before) == _without_changeable(after)
        # A property that goes away may be one on which the draft relied.
        and before.configuration.keys() <= after.configuration.keys()
        and all(_may_change(key, before, after, features) for key in _changed(before, after))
        and _same_columns(before, after)
    )


def _without_changeable(metadata: Metadata) -> Metadata:
    return msgspec.structs.replace(metadata, configuration={}, schema_string="")


def _changed(before: Metadata, after: Metadata) -> list[str]:
    old = before.configuration
    return [key for key, value in after.configuration.items() if old.get(key) != value]


def _may_change(key: str, before: Metadata, after: Metadata, features: Collection[str]) -> bool:
    allowed = _ALLOWED.get(key)
    if allowed is None or allowed.feature not in features:
        return False
    return allowed.change(before.configuration.get(key), after.configuration[key])


def _same_columns(before: Metadata, after: Metadata) -> bool:
    if before.schema_string == after.schema_string:
        return True
    # Only the start of column mapping changes the schema without changing its columns: fields get
    # ids and physical names that equal their names.
    if MODE_KEY not in _changed(before, after):
        return False
    old, new = _schema(before), _schema(after)
    return old is not None and new is not None and unmapped_schema(new) == unmapped_schema(old)


def _schema(metadata: Metadata) -> StructType | None:
    try:
        return stored_schema_from_json(metadata.schema_string)
    # What cannot be read cannot be compared, so it counts as a conflict.
    except MalformedTypeError:
        return None
