"""Faults at the next commit of a table, placed in the store that its log lies in.

The statement under test runs as it is. Only the one call of the store that makes its version
behaves as on a bad day.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias
from unittest.mock import patch

import msgspec

from puredelta.log.names import LogFileKind, parse
from puredelta.log.reader import TableReader
from puredelta.log.table_log import TableLog
from puredelta.storage.store import Store
from puredelta.testing.table_logs import log_of
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

if TYPE_CHECKING:
    from puredelta.api.delta_table import DeltaTable

RIVAL_PROPERTY = "puredelta.testing.rival"
"""The table property that the other writer of `conflicting_commit` sets by default."""

_Put: TypeAlias = Callable[[], bool]
_PUTS = ("put_if_absent", "put_stream_if_absent")


@contextmanager
def conflicting_commit(
    table: DeltaTable | TableReader | str | os.PathLike[str],
    change: Callable[[], object] | None = None,
) -> Iterator[None]:
    """Let another writer commit first, just before the next commit to a table.

    >>> with conflicting_commit(table), pytest.raises(  # doctest: +SKIP
    ...     MetadataChangedException
    ... ):
    ...     table.delete("id = 1")

    Args:
        table: the table, or its path.
        change: what the other writer does, in a thread of its own. By default it sets a table
            property, with which every commit conflicts.

    Raises:
        AssertionError: on leaving, when nothing tried to commit to the table.
    """
    log = log_of(table)

    def put_after_rival(put: _Put) -> bool:
        with ThreadPoolExecutor(1, "rival") as rival:
            rival.submit(change or (lambda: _set_property(log))).result()
        return put()

    with _at_next_commit(log, put_after_rival):
        yield


@contextmanager
def lost_reply(table: DeltaTable | TableReader | str | os.PathLike[str]) -> Iterator[None]:
    """Let the next commit to a table succeed while its writer sees a broken connection.

    A writer must find out that the version is its own: the statement succeeds, and its rows are
    there once.

    Args:
        table: the table, or its path.

    Raises:
        AssertionError: on leaving, when nothing tried to commit to the table.
    """

    def put_without_reply(put: _Put) -> bool:
        put()
        raise ConnectionResetError(errno.ECONNRESET, "the reply was lost, as the test wants it")

    with _at_next_commit(log_of(table), put_without_reply):
        yield


@contextmanager
def failed_commit(table: DeltaTable | TableReader | str | os.PathLike[str]) -> Iterator[None]:
    """Let the store refuse the next commit to a table, as a full disk does.

    The statement raises `DeltaRuntimeException` with the condition DELTA_COMMIT_NOT_WRITTEN, and
    the table stays as it is.

    Args:
        table: the table, or its path.

    Raises:
        AssertionError: on leaving, when nothing tried to commit to the table.
    """

    def refuse(_: _Put) -> bool:
        raise OSError(errno.ENOSPC, "the store is full, as the test wants it")

    with _at_next_commit(log_of(table), refuse):
        yield


@contextmanager
def _at_next_commit(log: TableLog, act: Callable[[_Put], bool]) -> Iterator[None]:
    """Replace the next call of a store that makes a version; later calls pass."""
    pending = [act]
    with ExitStack() as patches:
        for name in _PUTS:
            patches.enter_context(patch.object(log.store, name, _first(log.store, name, pending)))
        yield
    if pending:
        raise AssertionError(f"Nothing tried to commit to {log.store.url}: no fault occurred")


def _first(
    store: Store, method: str, pending: list[Callable[[_Put], bool]]
) -> Callable[[str, Any], bool]:
    original = getattr(store, method)

    def put(name: str, data: Any) -> bool:
        file = parse(name)
        if not pending or file is None or file.kind is not LogFileKind.COMMIT:
            return bool(original(name, data))
        # Taken away first: the other writer uses the same store.
        return pending.pop()(lambda: bool(original(name, data)))

    return put


def _set_property(log: TableLog) -> None:
    """Commit a change of the metadata, as another process would."""
    # A log of its own, which does not know what this process has read.
    rival = TableLog(log.store)
    snapshot = rival.latest()
    before = snapshot.metadata.configuration
    number = int(before.get(RIVAL_PROPERTY, "0")) + 1
    properties = {RIVAL_PROPERTY: str(number)}
    Transaction(rival, snapshot).commit(
        [],
        Operation("SET TBLPROPERTIES", {"properties": properties}),
        metadata=msgspec.structs.replace(snapshot.metadata, configuration={**before, **properties}),
    )
