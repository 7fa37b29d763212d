"""The history of a table, a row a version, in the columns of DESCRIBE HISTORY."""

from collections.abc import Iterable

import pyarrow as pa

from puredelta.log.history import CommitRecord, history_row
from puredelta.log.inspection.files import TIME

_TEXTS = pa.map_(pa.string(), pa.string())


def _texts(*names: str) -> pa.StructType:
    return pa.struct([(name, pa.string()) for name in names])


HISTORY = pa.schema(
    [
        ("version", pa.int64()),
        ("timestamp", TIME),
        ("userId", pa.string()),
        ("userName", pa.string()),
        ("operation", pa.string()),
        ("operationParameters", _TEXTS),
        ("job", _texts("jobId", "jobName", "jobRunId", "runId", "jobOwnerId", "triggerType")),
        ("notebook", _texts("notebookId")),
        ("clusterId", pa.string()),
        ("readVersion", pa.int64()),
        ("isolationLevel", pa.string()),
        ("isBlindAppend", pa.bool_()),
        ("operationMetrics", _TEXTS),
        ("userMetadata", pa.string()),
        ("engineInfo", pa.string()),
    ]
)


def list_history(records: Iterable[CommitRecord]) -> pa.Table:
    """Make rows of what is known of some versions.

    Returns:
        A row a version, in the columns of `DESCRIBE HISTORY`.
    """
    rows = list(map(history_row, records))
    for row in rows:
        for name in ("job", "notebook"):
            row[name] = _known(row[name], HISTORY.field(name).type)
    return pa.Table.from_pylist(rows, HISTORY)


def _known(value: dict[str, object] | None, kind: pa.StructType) -> dict[str, str] | None:
    """Keep the members of free-form JSON that have a column; all become strings."""
    if value is None:
        return None
    members = {field.name: value.get(field.name) for field in kind}
    return {name: str(member) for name, member in members.items() if member is not None}
