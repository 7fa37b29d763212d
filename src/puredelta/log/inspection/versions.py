"""The size of a table over its versions, a row each: files, bytes, rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from puredelta.log.actions import AddFile, decode_file_actions
from puredelta.log.file_stats import num_records
from puredelta.log.files import files_table, num_deleted, qualified, removed_paths
from puredelta.log.history import CommitRecord
from puredelta.log.inspection.files import TIME
from puredelta.log.names import commit_name
from puredelta.log.snapshot import Snapshot

VERSIONS = pa.schema(
    [
        ("version", pa.int64()),
        ("timestamp", TIME),
        ("operation", pa.string()),
        ("num_files", pa.int64()),
        ("size", pa.int64()),
        ("num_rows", pa.int64()),
    ]
)


def list_versions(first: Snapshot, last: int, records: Iterable[CommitRecord]) -> pa.Table:
    """List versions with the size that the table had; commits are read, and no data file is.

    Args:
        first: The oldest version listed.
        last: The newest version listed.
        records: What is known of the commits, in any order.

    Returns:
        A row a version, the oldest first: `version`; `timestamp`; `operation`; `num_files`;
        `size` in bytes; `num_rows`, without those that deletion vectors hide, null where a file
        does not say.

    Raises:
        DeltaIllegalStateError: A commit is damaged.
    """
    known = {record.version: record for record in records}
    rows = (_row(version, known.get(version), files) for version, files in _versions(first, last))
    return pa.Table.from_pylist(list(rows), VERSIONS)


@dataclass
class _LiveTotals:
    """The live files of a version, added up.

    Attributes:
        files: size and rows of each file, by its path; None where its rows are not known.
        size: of all, in bytes.
        num_rows: of the files whose rows are known.
        unknown: how many files do not say how many rows they have.
    """

    files: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    size: int = 0
    num_rows: int = 0
    unknown: int = 0

    def add(self, files: pa.Table) -> None:
        """Add files, which replace those of the same path."""
        columns = (files["path"], files["size"], num_records(files), num_deleted(files))
        for path, size, records, deleted in zip(*(c.to_pylist() for c in columns), strict=True):
            # The path of a file that got another deletion vector is there already.
            self.remove([path])
            rows = None if records is None else records - deleted
            self.files[path] = size, rows
            self._count(size, rows, 1)

    def remove(self, paths: Iterable[str]) -> None:
        """Remove files; paths of no live file are passed over."""
        for path in paths:
            if (found := self.files.pop(path, None)) is not None:
                self._count(*found, -1)

    def _count(self, size: int, rows: int | None, sign: int) -> None:
        # A checkpoint may lack the size of a file.
        self.size += sign * (size or 0)
        self.num_rows += sign * (rows or 0)
        self.unknown += sign * (rows is None)


def _versions(first: Snapshot, last: int) -> Iterator[tuple[int, _LiveTotals]]:
    """Follow the commits; the totals are the same object each time."""
    live, store = _LiveTotals(), first.store
    live.add(first.files)
    yield first.version, live
    for version in range(first.version + 1, last + 1):
        name = commit_name(version)
        pieces = decode_file_actions(store.read(name), name)
        actions = qualified((action for some in pieces for action in some), store.url)
        live.remove(removed_paths(actions))
        live.add(files_table([action for action in actions if isinstance(action, AddFile)]))
        yield version, live


def _row(version: int, record: CommitRecord | None, live: _LiveTotals) -> Mapping[str, Any]:
    info = None if record is None else record.info
    return {
        "version": version,
        "timestamp": None if record is None else record.timestamp_ms,
        "operation": None if info is None else info.operation,
        "num_files": len(live.files),
        "size": _within_64_bits(live.size),
        "num_rows": None if live.unknown else _within_64_bits(live.num_rows),
    }


def _within_64_bits(total: int) -> int | None:
    """Return a sum of what files say of themselves, unless it is absurd."""
    return total if abs(total) < 2**63 else None
