"""Candidates of a full VACUUM: all that is in the folder of a table and that nothing needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from puredelta._util.progress import track
from puredelta.log.names import FIRST_FILES, LOG_FOLDER, SIDECAR_FOLDER, STAGED_FOLDER
from puredelta.maintenance.vacuum.candidates import VacuumCandidates, deepest_first
from puredelta.maintenance.vacuum.kept_files import KeptFiles
from puredelta.storage.store import FolderStore, ObjectInfo, Store
from puredelta.storage.unfinished import is_unfinished


def listed_candidates(
    store: Store,
    kept: KeptFiles,
    since_ms: int,
    is_hidden: Callable[[str], bool],
    is_real: Callable[[str], bool] = lambda _: True,
) -> VacuumCandidates:
    """List the folder of a table, and choose what nothing needs.

    A file stays as long as it is young, whatever the log says: a running commit may be about to
    name it. The listing is a stream, of which only candidates are held. Files that a killed process
    left unfinished go, too, those in the log included.

    Args:
        store: The table.
        kept: What stays.
        since_ms: What was changed at this time or later is young, in milliseconds since 1970.
        is_hidden: Says of a name whether VACUUM passes over it.
        is_real: Says of a folder whether it is in that of the table; links lead elsewhere.

    Raises:
        DeltaError: The folder cannot be listed.
    """
    survey = FolderSurvey(is_hidden, is_real)
    listed = track(store.walk("", survey.enters), "listing files")
    files = [
        info
        for info in survey.visible(listed)
        if info.modified_ms < since_ms and info.name not in kept.names
    ]
    files.extend(_unfinished_in_log(store, since_ms))
    empty = removable(store, survey.empty(), kept, since_ms)
    return VacuumCandidates(files=files, folders=empty, visited=len(survey.folders) + 1)


def _unfinished_in_log(store: Store, since_ms: int) -> Iterator[ObjectInfo]:
    """Yield what killed processes left unfinished in the folders of the log.

    All else there is the business of log cleanup.
    """
    # A table that has versions needs the mark of its first files no more.
    mark = store.info(FIRST_FILES)
    if mark is not None and mark.modified_ms < since_ms:
        yield mark
    # An object store puts an object as a whole.
    if not isinstance(store, FolderStore):
        return
    for folder in (LOG_FOLDER, SIDECAR_FOLDER, STAGED_FOLDER):
        for info in store.list_from(folder):
            if info.modified_ms < since_ms and is_unfinished(info.name.rpartition("/")[2]):
                yield info


class FolderSurvey:
    """Takes note of the folders of a walk, and of those in which something is.

    Args:
        is_hidden: Says of a name whether it is passed over; what is hidden is still there.
        is_real: Says of a folder whether it is one; links are passed over, and are still there.

    Attributes:
        folders: The folders that were entered.
    """

    def __init__(
        self, is_hidden: Callable[[str], bool], is_real: Callable[[str], bool] = lambda _: True
    ) -> None:
        self._is_hidden = is_hidden
        self._is_real = is_real
        self.folders: dict[str, None] = {}
        self._occupied: set[str] = set()

    def enters(self, folder: str) -> bool:
        """Say whether a folder is looked through."""
        if self._is_hidden(folder) or not self._is_real(folder):
            self._occupy(folder.rpartition("/")[0])
            return False
        # An object store asks again for each folder below.
        self.folders[folder] = None
        return True

    def visible(self, files: Iterable[ObjectInfo]) -> Iterable[ObjectInfo]:
        """Yield the files that are not hidden."""
        last = ""
        for info in files:
            folder = info.name.rpartition("/")[0]
            if folder != last:
                self._occupy(folder)
                last = folder
            if not self._is_hidden(info.name):
                yield info

    def empty(self) -> list[str]:
        """Return the folders in which there is no file at any depth, hidden ones included."""
        return [folder for folder in self.folders if folder not in self._occupied]

    def _occupy(self, folder: str) -> None:
        while folder and folder not in self._occupied:
            self._occupied.add(folder)
            folder = folder.rpartition("/")[0]


def removable(store: Store, empty: Iterable[str], kept: KeptFiles, since_ms: int) -> list[str]:
    """Choose folders to remove, of those in which no file is.

    A young one stays: a writer may have made it for the file that it writes next.

    Args:
        store: The table; object stores have no folders.
        empty: The folders.
        kept: What stays.
        since_ms: What was changed at this time or later is young, in milliseconds since 1970.

    Returns:
        The folders, the deepest first.
    """
    if not isinstance(store, FolderStore):
        return []
    needed = kept.folders() | kept.names
    times = {folder: store.folder_modified_ms(folder) for folder in empty if folder not in needed}
    young = {folder for folder, time in times.items() if time is None or time >= since_ms}
    # A folder with a young one in it is not going to be empty.
    return deepest_first(
        [
            folder
            for folder in times
            if not any(other == folder or other.startswith(f"{folder}/") for other in young)
        ]
    )
