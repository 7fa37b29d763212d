"""What lies in the folder of a table, by kind: how many files, how many bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache

import pyarrow.compute as pc

from puredelta._util.progress import track
from puredelta.log.files import canonical_path
from puredelta.log.listing import CHECKPOINT_KINDS, list_log
from puredelta.log.names import LOG_FOLDER, SIDECAR_FOLDER, parse
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.vacuum.hidden import hides
from puredelta.maintenance.vacuum.named_files import (
    data_file_names,
    names_of,
    naming_lines,
    vector_file_names,
)
from puredelta.maintenance.vacuum.table_root import TableRoot
from puredelta.storage.store import ObjectInfo


class FileKind(Enum):
    """What a file is there for.

    Attributes:
        DATA: Data files of the latest version.
        VECTORS: Deletion vectors of the latest version.
        OLDER: Data files and deletion vectors that only older versions need, for time travel.
        CHANGES: Change data files, for readers of the change data feed.
        LOG: Commits, checksums and whatever else lies in the log.
        CHECKPOINTS: Checkpoints with their sidecars.
        UNREFERENCED: Files that the log does not name, which VACUUM deletes once they are old.
        OTHER: Files with hidden names, such as manifests, which VACUUM leaves alone.
        ELSEWHERE: Data files of the latest version outside of the folder, as of a shallow clone;
            their sizes are those of the log.
    """

    DATA = "data files"
    VECTORS = "deletion vectors"
    OLDER = "older versions"
    CHANGES = "change data"
    LOG = "log"
    CHECKPOINTS = "checkpoints"
    UNREFERENCED = "unreferenced"
    OTHER = "other"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSize:
    """The files of one kind.

    Attributes:
        kind: What they are there for.
        files: How many there are.
        size: Their size, in bytes.
    """

    kind: FileKind
    files: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSizes:
    """What lies in the folder of a table.

    Attributes:
        table: The URL of the table.
        version: The latest version.
        kinds: Each kind with its files, those without files as well.
        missing: How many data files and deletion vectors of the latest version are not there.
    """

    table: str
    version: int
    kinds: tuple[KindSize, ...]
    missing: int

    @property
    def files(self) -> int:
        """How many files are in the folder."""
        return sum(found.files for found in self._in_folder())

    @property
    def size(self) -> int:
        """How many bytes the files in the folder have."""
        return sum(found.size for found in self._in_folder())

    @property
    def elsewhere(self) -> tuple[KindSize, ...]:
        """The files outside of the folder; nothing where there are none."""
        outside = (found for found in self.kinds if found.kind is FileKind.ELSEWHERE)
        return tuple(found for found in outside if found.files)

    def _in_folder(self) -> Iterator[KindSize]:
        return (found for found in self.kinds if found.kind is not FileKind.ELSEWHERE)


def folder_sizes(snapshot: Snapshot) -> FolderSizes:
    """List the folder of a table, and count its files by kind.

    Sizes are those of the store. All commits that are left are read, for the names of the files
    that older versions need; no data file is read.

    Args:
        snapshot: The latest version.

    Raises:
        DeltaError: The log is damaged, or the folder cannot be listed.
    """
    named = _NamedFiles(snapshot)
    files: Counter[FileKind] = Counter()
    sizes: Counter[FileKind] = Counter()
    found = 0
    listed = snapshot.store.walk("", lambda _: True)
    for info in track(listed, "listing files"):
        kind = named.kind_of(info)
        files[kind] += 1
        sizes[kind] += info.size
        found += kind in (FileKind.DATA, FileKind.VECTORS)
    files[FileKind.ELSEWHERE], sizes[FileKind.ELSEWHERE] = named.elsewhere
    return FolderSizes(
        table=snapshot.store.url,
        version=snapshot.version,
        kinds=tuple(KindSize(kind=kind, files=files[kind], size=sizes[kind]) for kind in FileKind),
        missing=len(named.data) + len(named.vectors) - found,
    )


class _NamedFiles:
    """The names of files that the log has, and what they are there for.

    Attributes:
        data: The data files of the latest version.
        vectors: Its deletion vectors.
        elsewhere: How many of its data files are outside of the folder, and their size in bytes.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        # A path of which nobody knows whether it is in the folder stops a VACUUM, and no report.
        root = TableRoot(snapshot.store.url, ignores_foreign=True)
        live = snapshot.files
        self.data = set(data_file_names(live, root))
        self.vectors = set(vector_file_names(live, root))
        self.elsewhere = _elsewhere(snapshot, root)
        tombstones = snapshot.tombstones()
        self._older = {*data_file_names(tombstones, root), *vector_file_names(tombstones, root)}
        self._changes: set[str] = set()
        commits = sorted(list_log(snapshot.store).commits.items())
        contents = naming_lines(snapshot.store, [info for _, info in commits])
        for _, lines in track(contents, "reading commits", len(commits), "commits"):
            self._older.update(names_of(root, (line.file for line in lines if line.file)))
            changes = (line.cdc.path for line in lines if line.cdc)
            self._changes.update(filter(None, map(root.name_of, map(canonical_path, changes))))
        self._is_hidden = hides(snapshot)
        self._is_hidden_folder = cache(self._is_hidden_at_any_depth)

    def kind_of(self, info: ObjectInfo) -> FileKind:
        """Say what a file is there for."""
        name = info.name
        if name.startswith(f"{LOG_FOLDER}/"):
            return _kind_in_log(name)
        if name in self.data:
            return FileKind.DATA
        if name in self.vectors:
            return FileKind.VECTORS
        # A commit names its change files as well.
        if name in self._changes:
            return FileKind.CHANGES
        if name in self._older:
            return FileKind.OLDER
        is_hidden = self._is_hidden(name) or self._is_hidden_folder(name.rpartition("/")[0])
        return FileKind.OTHER if is_hidden else FileKind.UNREFERENCED

    def _is_hidden_at_any_depth(self, folder: str) -> bool:
        if not folder:
            return False
        return self._is_hidden(folder) or self._is_hidden_folder(folder.rpartition("/")[0])


def _kind_in_log(name: str) -> FileKind:
    file = parse(name)
    is_checkpoint = name.startswith(f"{SIDECAR_FOLDER}/") or (
        file is not None and file.kind in CHECKPOINT_KINDS
    )
    return FileKind.CHECKPOINTS if is_checkpoint else FileKind.LOG


def _elsewhere(snapshot: Snapshot, root: TableRoot) -> tuple[int, int]:
    files = snapshot.files
    # Plain names are in the folder; only URLs and names that begin with a slash can be elsewhere.
    absolute = files.filter(pc.match_substring_regex(files["path"], "^/|:"))
    paths, sizes = absolute["path"].to_pylist(), absolute["size"].to_pylist()
    outside = [size for path, size in zip(paths, sizes, strict=True) if root.name_of(path) is None]
    return len(outside), sum(outside)
