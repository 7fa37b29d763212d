"""The columns of the change data feed: their names, their values, and when they are reserved.

Protocol: Change Data Files.
"""

from collections.abc import Mapping

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import Metadata
from puredelta.schema.datatypes import LONG, STRING, TIMESTAMP, StructField, StructType
from puredelta.table.protocol.feature_activation import is_true
from puredelta.table.protocol.properties import CHANGE_DATA_FEED

CHANGE_TYPE, COMMIT_VERSION, COMMIT_TIMESTAMP = (
    "_change_type",
    "_commit_version",
    "_commit_timestamp",
)

INSERT, DELETE = "insert", "delete"
UPDATE_PREIMAGE, UPDATE_POSTIMAGE = "update_preimage", "update_postimage"

CHANGE_FOLDER = "_change_data"

CHANGE_COLUMNS = StructType(
    (
        StructField(CHANGE_TYPE, STRING, nullable=True),
        StructField(COMMIT_VERSION, LONG, nullable=True),
        StructField(COMMIT_TIMESTAMP, TIMESTAMP, nullable=True),
    )
)
"""The columns that a reader of changes gets besides the table's columns."""

_RESERVED = frozenset({CHANGE_TYPE, COMMIT_VERSION, COMMIT_TIMESTAMP})

_is_on = is_true(CHANGE_DATA_FEED.key, "delta.enableChangeDataCapture")


def keeps_changes(configuration: Mapping[str, str]) -> bool:
    """Say whether a table's commits record which rows changed.

    Args:
        configuration: the table's properties.
    """
    return _is_on(configuration, StructType(()))


def check_change_columns(before: Metadata | None, after: Metadata, schema: StructType) -> None:
    """Refuse columns whose names the change data feed needs.

    Args:
        before: the existing metadata; None for a new table.
        after: the new metadata.
        schema: that of `after`.

    Raises:
        DeltaIllegalStateError: DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS when the feed is turned
            on, RESERVED_CDC_COLUMNS_ON_WRITE when such a column comes later.
    """
    if not keeps_changes(after.configuration):
        return
    taken = ", ".join(field.name for field in schema if field.name.lower() in _RESERVED)
    if not taken:
        return
    # delta-spark has two conditions: what is wrong is the new column where the feed was on, and
    # turning on the feed where the column existed.
    if before is not None and keeps_changes(before.configuration):
        raise DeltaIllegalStateError(
            "RESERVED_CDC_COLUMNS_ON_WRITE",
            columnList=f"[{taken}]",
            config=CHANGE_DATA_FEED.key,
        )
    raise DeltaIllegalStateError(
        "DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS", columnList=f"[{taken}]"
    )
