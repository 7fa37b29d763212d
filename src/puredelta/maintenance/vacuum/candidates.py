"""What could be deleted: files and empty folders, wherever they were looked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from puredelta.storage.store import ObjectInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class VacuumCandidates:
    """Files and folders that no version within the retention needs.

    Attributes:
        files: The files, with their sizes; times do not count any more.
        folders: Folders in which nothing is, the deepest first.
        visited: How many folders were looked through, with that of the table.
        expired_version: The newest version all of whose removals were looked at; None for none.
    """

    files: Sequence[ObjectInfo] = ()
    folders: Sequence[str] = ()
    visited: int = 1
    expired_version: int | None = None

    @property
    def size(self) -> int:
        """The size of the files in bytes."""
        return sum(info.size for info in self.files)

    def without(self, names: set[str]) -> VacuumCandidates:
        """Leave out files that are needed after all."""
        if names.isdisjoint(info.name for info in self.files):
            return self
        return replace(self, files=[info for info in self.files if info.name not in names])

    def only(self, contained: Callable[[str], bool]) -> VacuumCandidates:
        """Leave out what lies elsewhere than its name says.

        Args:
            contained: Says of a name whether deleting it deletes what is in the table's folder.
        """
        return replace(
            self,
            files=[info for info in self.files if contained(info.name)],
            folders=[folder for folder in self.folders if contained(folder)],
        )


def deepest_first(folders: Sequence[str]) -> list[str]:
    """Put folders in the order in which they can be removed when only folders are in them."""
    return sorted(folders, key=lambda folder: (-folder.count("/"), folder))
