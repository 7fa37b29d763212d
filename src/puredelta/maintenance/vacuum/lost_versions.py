"""Which versions can no longer be read when certain files are gone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from puredelta.log.files import canonical_path
from puredelta.maintenance.vacuum.named_files import NamedFile, names_of, naming_lines
from puredelta.maintenance.vacuum.table_root import TableRoot
from puredelta.maintenance.vacuum.versions import LoggedVersions
from puredelta.storage.store import Store

_Key = tuple[str, "str | None"]


def lost_versions(
    store: Store, versions: LoggedVersions, root: TableRoot, names: Iterable[str]
) -> list[int]:
    """Return the versions, of those that the log can be read at, that need one of some files.

    Args:
        store: The table.
        versions: Its commits.
        root: Its folder.
        names: The files that are to be deleted; none is needed by the newest version.

    Raises:
        DeltaIllegalStateError: The log is damaged.
    """
    first, gone = versions.earliest_readable, set(names)
    if first is None or not gone:
        return []
    lost: set[int] = set()
    began: dict[_Key, int] = {}
    commits = [item for item in versions.commits if item[0] >= first]
    lines_of = naming_lines(store, [info for _, info in commits])
    for (version, _), (_, lines) in zip(commits, lines_of, strict=True):
        for line in lines:
            if line.add is not None and _needs(line.add, gone, root):
                began[_key(line.add)] = version
        for line in lines:
            if line.remove is not None and _needs(line.remove, gone, root):
                # What was added before the log begins was there in all of its versions.
                lost.update(range(began.pop(_key(line.remove), first), version))
    return sorted(lost)


def _needs(file: NamedFile, gone: set[str], root: TableRoot) -> bool:
    return not gone.isdisjoint(names_of(root, [file]))


def _key(file: NamedFile) -> _Key:
    """Return the key of a file in its table. Protocol: Action Reconciliation."""
    vector = file.deletion_vector
    return canonical_path(file.path), None if vector is None else vector.unique_id


def ranges_text(versions: Sequence[int]) -> str:
    """Write versions in words, runs of them as ranges.

    >>> ranges_text([0, 1, 2, 5, 7, 8])
    '0 to 2, 5, 7 to 8'
    """
    runs: list[list[int]] = []
    for version in versions:
        if runs and version == runs[-1][1] + 1:
            runs[-1][1] = version
        else:
            runs.append([version, version])
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in runs)
