"""Does a log compaction file say what the commits say that it stands for?

Protocol: Log Compaction Files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from puredelta.errors import DeltaError
from puredelta.log.actions import Action, AddFile, RemoveFile, decode_commit
from puredelta.log.files import FileKey, file_key
from puredelta.log.listing import Compaction, Listing
from puredelta.storage.store import Store
from puredelta.table.check.finding import Finding, error, examples
from puredelta.table.check.naive_replay import path_of


def compaction_findings(store: Store, listing: Listing) -> Iterator[Finding]:
    """Compare each compaction whose commits are all there with them."""
    for found in listing.compactions.values():
        for compaction in found:
            yield from _findings(store, listing, compaction)


def _findings(store: Store, listing: Listing, compaction: Compaction) -> Iterator[Finding]:
    name = compaction.info.name
    versions = [one for one in listing.commits if compaction.start <= one <= compaction.end]
    names = [listing.commits[one].name for one in sorted(versions)]
    try:
        compacted = _newest(decode_commit(store.read(name), name))
    except DeltaError as reason:
        yield error("compaction-damaged", name, reason.message)
        return
    if len(names) != compaction.end - compaction.start + 1:
        return
    contents = zip(names, store.read_all(names), strict=True)
    try:
        commits = _newest(action for one, data in contents for action in decode_commit(data, one))
    except DeltaError:
        # The damaged commit is a finding of its own.
        return
    if commits != compacted:
        differing = {
            path_of(key)
            for key in commits.keys() | compacted.keys()
            if commits.get(key) != compacted.get(key)
        }
        text = f"It tells other things than its commits of {examples(sorted(differing))}."
        yield error("compaction-differs", name, text)


def _newest(actions: Iterable[Action]) -> dict[FileKey, bool]:
    """Tell for each file that was touched whether it is live afterwards."""
    touched = (action for action in actions if isinstance(action, AddFile | RemoveFile))
    return {file_key(action): isinstance(action, AddFile) for action in touched}
