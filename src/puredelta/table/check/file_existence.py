"""Are the files where the log says, as long as it says, and no others with them?"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import Executor

from puredelta.errors import DeltaError
from puredelta.log.actions import AddFile
from puredelta.storage.location import absolute
from puredelta.storage.schemes import open_store
from puredelta.storage.store import ObjectInfo, Store
from puredelta.table.check.finding import Finding, error, examples, info
from puredelta.table.check.naive_replay import ReplayedFiles, path_of, shown_path
from puredelta.table.deletion_vectors.vectors import vector_path

Place = tuple[Store, ObjectInfo]
"""A file that was found: the store that has it, and what it says of it."""


class FileExistence:
    """What lies in the folders of a table, each listed once.

    Args:
        store: The table.
        options: What the stores of files outside of the table need to get in.
        pool: Lists the folders side by side.
    """

    def __init__(self, store: Store, options: dict[str, str], pool: Executor) -> None:
        self._store = store
        self._options = options
        self._pool = pool
        self._listed: dict[str, dict[str, ObjectInfo]] = {}

    def load(self, files: list[AddFile]) -> None:
        """List the folders in which files lie, and that of the table."""
        paths = (self._inside(shown_path(add)) for add in files)
        # A listing of each folder costs fewer requests than one for each file.
        folders = sorted({"", *(path.rpartition("/")[0] for path in paths if path is not None)})
        found = self._pool.map(self._store.list_from, folders)
        for folder, infos in zip(folders, found, strict=True):
            self._listed[folder] = {info.name: info for info in infos}

    def find(self, add: AddFile) -> Place | None:
        """Find a file, in the table or outside of it; None when it is not there."""
        path = shown_path(add)
        inside = self._inside(path)
        if inside is not None:
            found = self._listed[inside.rpartition("/")[0]].get(inside)
            return None if found is None else (self._store, found)
        folder, _, name = absolute(self._store.url, path).rpartition("/")
        other = open_store(folder, self._options)
        info = other.info(name)
        return None if info is None else (other, info)

    def strangers(self, state: ReplayedFiles) -> Iterator[Finding]:
        """Report data files in these folders that no version in the log knows."""
        known = set(self._known(state))
        for folder, infos in self._listed.items():
            names = sorted(
                name for name in infos if _is_data(name.rpartition("/")[2]) and name not in known
            )
            if names:
                text = f"{len(names)} files that no version names; VACUUM may take them away: "
                yield info("files-unknown", folder, text + examples(names))

    def _known(self, state: ReplayedFiles) -> Iterator[str | None]:
        for path in map(path_of, (*state.files, *state.removed)):
            yield self._inside(path)
        vectors = [add.deletion_vector for add in state.files.values()]
        vectors += [remove.deletion_vector for remove in state.removed.values()]
        for vector in filter(None, vectors):
            # A vector whose location cannot be read is a finding of its own.
            with contextlib.suppress(DeltaError):
                url = vector_path(self._store.url, vector)
                yield None if url is None else self._inside(url)

    def _inside(self, path: str) -> str | None:
        """Return the name below the table, or None for a file outside of it."""
        url = absolute(self._store.url, path)
        root = self._store.url + "/"
        return url[len(root) :] if url.startswith(root) else None


def place_findings(add: AddFile, place: Place | None) -> Iterator[Finding]:
    """Compare a file with the size in the log."""
    path = shown_path(add)
    if place is None:
        yield error("file-missing", path, "The file is not there.")
    elif place[1].size != add.size:
        text = f"It has {place[1].size} bytes, and the log says {add.size}."
        yield error("file-size", path, text)


def _is_data(name: str) -> bool:
    if name.startswith((".", "_")):
        return False
    return name.endswith(".parquet") or (
        name.startswith("deletion_vector_") and name.endswith(".bin")
    )
