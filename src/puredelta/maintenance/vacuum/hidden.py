"""Which names in a table's folder are none of VACUUM's business."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from puredelta.log.snapshot import Snapshot
from puredelta.schema.physical import name_in_files
from puredelta.storage.location import escape_partition_name
from puredelta.storage.unfinished import is_unfinished

_HIDDEN = ("_", ".")

# Indexes and change data belong to the table although their folders are hidden to other readers.
_OF_TABLES = ("_delta_index", "_change_data")

_ICEBERG_METADATA = "metadata"
_FORMATS = "delta.universalFormat.enabledFormats"


def hides(snapshot: Snapshot) -> Callable[[str], bool]:
    """Return the rule by which files and folders of a table are hidden, by full name.

    A name that begins with `_` or `.` hides what it names and all that is below. Folders of
    partitions never do, nor files that a killed process left unfinished, and those of Iceberg's
    metadata do where the table maintains them.

    Args:
        snapshot: The table.

    Returns:
        A function that looks at the last part of a name alone.
    """
    partitions = tuple(f"{escape_partition_name(name)}=" for name in _partition_names(snapshot))
    visible = (*_OF_TABLES, *partitions)
    has_iceberg = "iceberg" in snapshot.configuration.get(_FORMATS, "").lower()

    def is_hidden(name: str) -> bool:
        last = name.rpartition("/")[2]
        if last.startswith(_HIDDEN):
            return not (last.startswith(visible) or is_unfinished(last))
        return has_iceberg and name == _ICEBERG_METADATA

    return is_hidden


def _partition_names(snapshot: Snapshot) -> Iterator[str]:
    """Yield the names that partition columns have for users and in the names of folders."""
    for column in snapshot.partition_columns:
        yield column
        field = snapshot.schema.field(column)
        if field is not None:
            yield name_in_files(field)
