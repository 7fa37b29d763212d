"""The live files of a version, put together when they are first asked for.

Protocol: Action Reconciliation.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import pyarrow as pa

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import AddFile, RemoveFile, decode_file_actions
from puredelta.log.files import (
    FILES,
    FileKey,
    file_key,
    files_table,
    merged_chunks,
    qualified,
    without,
)
from puredelta.storage.store import ObjectNotFound

# So many actions are records in memory before they become rows, which take a tenth of the space.
# All rows are scanned each time, so it may be more where there are many.
_RECORDS_AT_ONCE = 10_000
_RECORDS_PER_ROW = 0.25

# So many undecoded commits may follow loaded files before a newer checkpoint is the better start.
_MANY_COMMITS = 50


@dataclass(frozen=True, slots=True)
class RawCommit:
    """A commit, or a compaction of several, that was fetched and whose files were not looked at.

    Attributes:
        name: Its name, for errors.
        data: Its content.
        table: The URL of the table.
        checked: Not empty once its files were looked at; versions share what they follow.
    """

    name: str
    data: bytes
    table: str = ""
    checked: list[bool] = field(default_factory=list, compare=False, repr=False)


FileActions: TypeAlias = RawCommit | Sequence[AddFile | RemoveFile]
"""The file actions of one commit, decoded or not yet."""

Base: TypeAlias = pa.Table | Callable[[], pa.Table]


class LiveFiles:
    """The live files of one version. Safe to share between threads.

    The files after more commits cost nothing until the rows are needed.

    Args:
        base: The files of an earlier version as `FILES`, or how to get them.
        newer: What was done since, oldest first.
    """

    def __init__(self, base: Base, newer: tuple[FileActions, ...] = ()) -> None:
        # Replaced together, so that a thread without the lock sees both old or both new.
        self._content = (base, newer)
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"LiveFiles({'loaded' if self.loaded is not None else 'not loaded'})"

    @property
    def loaded(self) -> pa.Table | None:
        """The rows, or None when they have not been read yet."""
        base, newer = self._content
        return base if isinstance(base, pa.Table) and not newer else None

    @property
    def benefits_from_checkpoint(self) -> bool:
        """Is a newer checkpoint a better start than what is in memory?"""
        base, newer = self._content
        return not isinstance(base, pa.Table) or len(newer) > _MANY_COMMITS

    def table(self, otherwise: Callable[[Exception], pa.Table] | None = None) -> pa.Table:
        """Return the rows, as `FILES`; reads them the first time.

        Args:
            otherwise: Finds the rows in another way when a file of the log went away since or is
                damaged; it gets the error, and raises when there is none.

        Raises:
            DeltaIllegalStateError: A file of the log is damaged.
            ObjectNotFound: A file of the log is gone.
        """
        # The lock lasts as long as the reading: threads that ask together read the log once.
        with self._lock:
            base, newer = self._content
            if isinstance(base, pa.Table) and not newer:
                return base
            try:
                found = reconcile(base if isinstance(base, pa.Table) else base(), newer)
            except (ObjectNotFound, DeltaIllegalStateError) as error:
                if otherwise is None:
                    raise
                found = otherwise(error)
            self._content = (found, ())
            return found

    def check_newer(self) -> None:
        """Decode the commits that were fetched and not looked at, each once in its life.

        Raises:
            DeltaIllegalStateError: One is damaged.
        """
        _, newer = self._content
        for batch in newer:
            if isinstance(batch, RawCommit) and not batch.checked:
                for _ in decode_file_actions(batch.data, batch.name):
                    pass
                # Two threads may both do this, which costs time and nothing else.
                batch.checked.append(True)

    def followed_by(self, newer: Iterable[FileActions]) -> "LiveFiles":
        """Return the files after some more commits, oldest first."""
        base, before = self._content
        added = tuple(batch for batch in newer if batch)
        return LiveFiles(base, (*before, *added)) if added else self


def reconcile(
    files: pa.Table, newer: Iterable[FileActions], *, at_once: int = _RECORDS_AT_ONCE
) -> pa.Table:
    """Return the live files after some more commits, oldest first.

    Args:
        files: as `log.files.FILES`.
        newer: what the commits say of files.
        at_once: so many records are in memory before they become rows.

    Raises:
        DeltaIllegalStateError: A commit is damaged.
    """
    newest: dict[FileKey, AddFile | RemoveFile] = {}
    for actions in _decoded(newer):
        newest.update(zip(map(file_key, actions), actions, strict=True))
        if len(newest) >= max(at_once, files.num_rows * _RECORDS_PER_ROW):
            files = _with_newest(files, newest)
            newest = {}
    return _with_newest(files, newest) if newest else files


def newest_actions(commits: Iterable[FileActions]) -> dict[FileKey, AddFile | RemoveFile]:
    """Return the newest action of each file that commits, oldest first, speak of."""
    newest: dict[FileKey, AddFile | RemoveFile] = {}
    for actions in _decoded(commits):
        newest.update(zip(map(file_key, actions), actions, strict=True))
    return newest


def _decoded(batches: Iterable[FileActions]) -> Iterator[Sequence[AddFile | RemoveFile]]:
    for batch in batches:
        if not isinstance(batch, RawCommit):
            yield batch
            continue
        for actions in decode_file_actions(batch.data, batch.name):
            yield qualified(actions, batch.table)


def _with_newest(files: pa.Table, newest: Mapping[FileKey, AddFile | RemoveFile]) -> pa.Table:
    older = without(files, newest.keys())
    adds = {key: action for key, action in newest.items() if isinstance(action, AddFile)}
    if not adds:
        return older
    paths = [key if isinstance(key, str) else key[0] for key in adds]
    found = files_table(list(adds.values()), paths)
    return merged_chunks(pa.concat_tables([older, found])) if older.num_rows else found


# A table made here would have Arrow import pandas at every start.
EMPTY = LiveFiles(FILES.empty_table)
"""The files of a table without any."""
