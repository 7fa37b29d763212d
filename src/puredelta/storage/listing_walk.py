"""Folders within a flat listing: the objects that a walk of folders yields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from puredelta.storage.store import ObjectInfo


def entered(
    found: Iterable[ObjectInfo], prefix: str, enters: Callable[[str], bool]
) -> Iterator[ObjectInfo]:
    """Yield the objects all of whose folders are entered.

    Args:
        found: Objects below a folder, at any depth, those of one folder beside each other.
        prefix: The folder, without a slash at the end; empty for the root.
        enters: Asked once for each folder in a row of objects.
    """
    open_folder, is_open = prefix, True
    for info in found:
        folder = info.name.rpartition("/")[0]
        if folder != open_folder:
            open_folder, is_open = folder, _is_entered(folder, prefix, enters)
        if is_open:
            yield info


def _is_entered(folder: str, prefix: str, enters: Callable[[str], bool]) -> bool:
    above = len(prefix) + 1 if prefix else 0
    ends = [place for place in range(above, len(folder)) if folder[place] == "/"]
    # The outer folders first: what lies in a folder that is not entered need not be looked at.
    return folder == prefix or all(enters(folder[:end]) for end in (*ends, len(folder)))
