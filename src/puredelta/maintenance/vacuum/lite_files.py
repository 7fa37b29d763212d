"""Candidates of a LITE VACUUM: files that commits removed, as the log says; nothing is listed."""

from __future__ import annotations

from collections.abc import Sequence

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.files import canonical_path
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.vacuum.candidates import VacuumCandidates
from puredelta.maintenance.vacuum.kept_files import KeptFiles
from puredelta.maintenance.vacuum.last_vacuum import last_vacuumed
from puredelta.maintenance.vacuum.named_files import (
    NamedFile,
    NamingLine,
    naming_lines,
    vector_name,
)
from puredelta.maintenance.vacuum.table_root import TableRoot
from puredelta.maintenance.vacuum.versions import LoggedVersions
from puredelta.storage.store import ObjectInfo


def lite_candidates(
    snapshot: Snapshot, versions: LoggedVersions, kept: KeptFiles, root: TableRoot, since_ms: int
) -> VacuumCandidates:
    """Choose what nothing needs, of what expired commits removed since the last VACUUM.

    Args:
        snapshot: The table.
        versions: Its commits.
        kept: What stays.
        root: The folder.
        since_ms: What was removed at this time or later stays, in milliseconds since 1970.

    Raises:
        DeltaIllegalStateError: DELTA_CANNOT_VACUUM_LITE, commits are gone that nobody looked at.
    """
    done = last_vacuumed(snapshot.store, snapshot.version)
    first = 0 if done is None else done + 1
    if versions.last_expired is None or versions.last_expired < first:
        return VacuumCandidates(expired_version=done)
    if versions.earliest is None or versions.earliest > first:
        raise DeltaIllegalStateError("DELTA_CANNOT_VACUUM_LITE")
    found: dict[str, int] = {}
    for _, lines in naming_lines(snapshot.store, versions.since(first, versions.last_expired)):
        _collect(found, lines, root, since_ms)
    files = [ObjectInfo(name, size, 0) for name, size in found.items() if name not in kept.names]
    return VacuumCandidates(files=files, expired_version=versions.last_expired)


def _collect(
    found: dict[str, int], lines: Sequence[NamingLine], root: TableRoot, since_ms: int
) -> None:
    for line in lines:
        gone = line.remove
        if gone is not None and (gone.deletion_timestamp or 0) < since_ms:
            _add(found, gone, root)
        elif line.cdc is not None:
            _add(found, line.cdc, root)


def _add(found: dict[str, int], file: NamedFile, root: TableRoot) -> None:
    name = root.name_of(canonical_path(file.path))
    if name is not None:
        found[name] = file.size or 0
    vector = vector_name(root, file.deletion_vector)
    if vector is not None and file.deletion_vector is not None:
        found[vector] = found.get(vector, 0) + file.deletion_vector.size_in_bytes
