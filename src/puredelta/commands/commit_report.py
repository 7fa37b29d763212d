"""The last commits of each session: what a statement did, in numbers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession

from puredelta._util.preview_text import preview_text
from puredelta._util.size_text import size_text
from puredelta.commands.commit_stats import CommitStats, read_commit_stats
from puredelta.commands.table_ref import TableRef
from puredelta.log.history import read_commit_info
from puredelta.notebook.preview import preview_html

# What history counts, and the words for it; a commit has some of them.
_ROW_COUNTS = {
    "numTargetRowsInserted": "inserted",
    "numTargetRowsUpdated": "updated",
    "numTargetRowsDeleted": "deleted",
    "numUpdatedRows": "updated",
    "numDeletedRows": "deleted",
}
_OUTPUT_ROWS = "numOutputRows"

# A statement can lead to others: compaction follows it, for example.
_COMMITS_KEPT = 16

_order = count()


@dataclass(frozen=True, slots=True)
class _MadeVersion:
    order: int
    table: TableRef
    version: int


_made: WeakKeyDictionary[SparkSession, deque[_MadeVersion]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitReport(CommitStats):
    """What a statement committed.

    Attributes:
        table: the table's name, or its path.
        operation: what history calls it, `MERGE` for example.
        version: the version that was made.
        changed: always true.
        rows: how many rows were written, without those that only moved; None when neither history
            nor statistics say.
        files: how many files were added.
        bytes: their size, in bytes.
        removed_files: how many files were removed.
        removed_bytes: their size, in bytes, as far as the log says.
        metrics: all that history counts, as texts by name.

    Examples:
        >>> print(table.delete("id = 7").commit)  # doctest: +SKIP
        DELETE on spark_catalog.default.people: version 7
          rows: 1 deleted
          files: 1 added (1.2 kB), 1 removed (1.3 kB)
    """

    table: str
    operation: str
    metrics: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return preview_text(self._head(), self._lines())

    def _repr_html_(self) -> str:
        return preview_html(self._head(), self._lines())

    def _head(self) -> str:
        return f"{self.operation} on {self.table}: version {self.version}"

    def _lines(self) -> Iterator[tuple[str, str]]:
        if rows := ", ".join(self._row_counts()):
            yield "rows", rows
        if files := ", ".join(self._file_counts()):
            yield "files", files

    def _row_counts(self) -> Iterator[str]:
        changed = [name for name in _ROW_COUNTS if name in self.metrics]
        for name in changed:
            yield f"{int(self.metrics[name]):,} {_ROW_COUNTS[name]}"
        # The output of MERGE, UPDATE and DELETE includes rows that only moved.
        if not changed and _OUTPUT_ROWS in self.metrics:
            yield f"{int(self.metrics[_OUTPUT_ROWS]):,} written"

    def _file_counts(self) -> Iterator[str]:
        if self.files:
            yield f"{self.files:,} added ({size_text(self.bytes)})"
        if self.removed_files:
            yield f"{self.removed_files:,} removed ({size_text(self.removed_bytes)})"


def read_commit_report(table: TableRef, version: int) -> CommitReport:
    """Return what a commit did, from the log.

    Args:
        table: the table.
        version: the version that the commit made.

    Raises:
        DeltaRuntimeError: DELTA_COMMITTED_AND_NOT_READ.
    """
    store = table.log().store
    info = read_commit_info(store, version)
    metrics = (info.operation_metrics if info else None) or {}
    operation = (info.operation if info else None) or "COMMIT"
    kind = partial(CommitReport, table=table.label, operation=operation, metrics=metrics)
    return read_commit_stats(store, version, metrics, kind)


def remember_commit(session: SparkSession, table: TableRef, version: int) -> None:
    """Keep in mind that a session made a version of a table."""
    _made.setdefault(session, deque(maxlen=_COMMITS_KEPT)).append(
        _MadeVersion(next(_order), table, version)
    )


def read_last_commit(session: SparkSession) -> CommitReport | None:
    """Return what a session committed last; None before its first commit.

    Raises:
        DeltaRuntimeError: DELTA_COMMITTED_AND_NOT_READ.
    """
    last = max(_made_in(session), key=lambda made: made.order, default=None)
    return None if last is None else read_commit_report(last.table, last.version)


def _made_in(session: SparkSession) -> Iterator[_MadeVersion]:
    # One session of the JVM can have several objects in Python.
    uuid = _uuid(session)
    for known, versions in list(_made.items()):
        if known is session or _uuid(known) == uuid:
            yield versions[-1]


def _uuid(session: SparkSession) -> str | None:
    """Return the identity of a session in the JVM; None for a session that has ended."""
    if session.sparkContext._jsc is None:
        return None
    return str(session._jsparkSession.sessionUUID())
