"""What in a commit stops a stream of new rows: rows that are gone or changed."""

from __future__ import annotations

from typing import Any

import msgspec

from puredelta.errors import DeltaIllegalStateError, DeltaUnsupportedOperationError
from puredelta.streaming.commits import Commit
from puredelta.streaming.options import StreamOptions


def skips_commit(commit: Commit, options: StreamOptions) -> bool:
    """Say whether a stream passes over the files of a commit, because it removes or changes rows.

    Args:
        commit: the commit.
        options: of the stream.
    """
    return options.skip_change_commits and bool(commit.removes)


def check_rows_stay(commit: Commit, options: StreamOptions, root: str) -> None:
    """Refuse a commit that removes or changes rows, unless the options let it pass.

    A stream gives each row once, and has no way to take back a row that it gave.

    Args:
        commit: the commit.
        options: of the stream.
        root: of the table, for the message.

    Raises:
        DeltaUnsupportedOperationError: DELTA_SOURCE_TABLE_IGNORE_CHANGES,
            DELTA_SOURCE_IGNORE_DELETE.
    """
    if not commit.removes or options.ignore_changes or options.skip_change_commits:
        return
    if commit.adds:
        raise DeltaUnsupportedOperationError(
            "DELTA_SOURCE_TABLE_IGNORE_CHANGES",
            changeInfo=_described(commit),
            version=commit.version,
            dataPath=root,
        )
    if not options.ignore_deletes:
        raise DeltaUnsupportedOperationError(
            "DELTA_SOURCE_IGNORE_DELETE",
            removedFile=commit.removes[0].path,
            version=commit.version,
            dataPath=root,
        )


def check_table_is_same(commit: Commit, table: str) -> None:
    """Refuse a commit of another table, which replaced the one that the stream reads.

    Args:
        commit: the commit.
        table: the id of the table.

    Raises:
        DeltaIllegalStateError: DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE.
    """
    metadata = commit.metadata
    if metadata is not None and metadata.id != table:
        raise DeltaIllegalStateError(
            "DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE",
            newTableId=metadata.id,
            oldTableId=table,
        )


def _described(commit: Commit) -> str:
    info = commit.info
    if info is None or info.operation is None:
        return commit.removes[0].path
    parameters = info.operation_parameters or {}
    listed = ", ".join(f"{name} -> {_text(value)}" for name, value in parameters.items())
    return f"{info.operation} (Map({listed}))"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
