"""Candidates of a VACUUM with an inventory: a list of the user's in place of a listing."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from puredelta.errors import DeltaIllegalStateError
from puredelta.maintenance.vacuum.candidates import VacuumCandidates
from puredelta.maintenance.vacuum.kept_files import KeptFiles
from puredelta.maintenance.vacuum.listed_files import FolderSurvey, removable
from puredelta.maintenance.vacuum.request import InventoryEntry
from puredelta.maintenance.vacuum.table_root import TableRoot
from puredelta.storage.location import scheme_of, table_url, without_dots
from puredelta.storage.store import ObjectInfo, Store


def inventory_candidates(
    store: Store,
    inventory: Iterable[InventoryEntry],
    kept: KeptFiles,
    root: TableRoot,
    since_ms: int,
    is_hidden: Callable[[str], bool],
) -> VacuumCandidates:
    """Choose what nothing needs, of what an inventory lists.

    Args:
        store: The table.
        inventory: What is in its folder; entries of other folders are passed over.
        kept: What stays.
        root: The folder.
        since_ms: What was changed at this time or later is young, in milliseconds since 1970.
        is_hidden: Says of a name whether VACUUM passes over it.
    """
    survey = FolderSurvey(lambda _: False)
    files: dict[str, ObjectInfo] = {}
    for entry in inventory:
        name = _name(entry.url, root)
        if name is None or any(map(is_hidden, _with_folders(name))):
            continue
        if entry.is_folder:
            survey.enters(name)
        else:
            found = entry.info
            files[name] = ObjectInfo(name, found.size, found.modified_ms)
    chosen = [
        info
        for info in survey.visible(files.values())
        if info.modified_ms < since_ms and info.name not in kept.names
    ]
    empty = removable(store, survey.empty(), kept, since_ms)
    return VacuumCandidates(files=chosen, folders=empty, visited=len(survey.folders) + 1)


def _name(url: str, root: TableRoot) -> str | None:
    """Return the name below the table; None for what is elsewhere, and for the table itself."""
    # A path without a scheme may be one of another file system.
    if not scheme_of(url):
        return None
    scheme, _, rest = table_url(url).partition("://")
    authority, slash, path = rest.partition("/")
    try:
        # An inventory has names as they are: `%` is a percent sign in it.
        return root.name_of(f"{scheme}://{authority}{without_dots(slash + path)}") or None
    except DeltaIllegalStateError:
        return None


def _with_folders(name: str) -> list[str]:
    """Return a name and those of the folders it lies in, the table's own excepted."""
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
