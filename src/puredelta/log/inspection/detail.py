"""What a table is, as one row in the columns of DESCRIBE DETAIL."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pyarrow as pa

from puredelta.log.inspection.files import TIME

_NAMES = pa.list_(pa.string())

DETAIL = pa.schema(
    [
        ("format", pa.string()),
        ("id", pa.string()),
        ("name", pa.string()),
        ("description", pa.string()),
        ("location", pa.string()),
        ("createdAt", TIME),
        ("lastModified", TIME),
        ("partitionColumns", _NAMES),
        ("clusteringColumns", _NAMES),
        ("numFiles", pa.int64()),
        ("sizeInBytes", pa.int64()),
        ("properties", pa.map_(pa.string(), pa.string())),
        ("minReaderVersion", pa.int32()),
        ("minWriterVersion", pa.int32()),
        ("tableFeatures", _NAMES),
    ]
)


def detail_row(detail: Mapping[str, Any]) -> pa.Table:
    """Make a row of the facts of a table.

    Args:
        detail: What `TableReader.detail` returns; its times are ISO 8601 text in UTC.

    Returns:
        One row in the columns of `DESCRIBE DETAIL`.
    """
    times = {name: _time(detail[name]) for name in ("createdAt", "lastModified")}
    return pa.Table.from_pylist([{**detail, **times}], DETAIL)


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError:
        # A damaged log has times that no calendar has.
        return None
