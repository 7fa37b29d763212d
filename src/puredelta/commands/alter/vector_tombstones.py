"""Tombstones for the files of deletion vectors.

Who does not know deletion vectors does not see that a removed file names one, and would delete the
vector's file long before the versions that need it expire. A tombstone of its own keeps it.
"""

import msgspec

from puredelta._util.clock import now_ms
from puredelta.commands.alter.commit import Change
from puredelta.log.actions import DeletionVector, RemoveFile
from puredelta.log.snapshot import Snapshot
from puredelta.storage.location import encode_path
from puredelta.table.deletion_vectors.vectors import vector_path
from puredelta.txn.commit_info import Operation


def vector_tombstones(before: Snapshot) -> Change:
    """Return the commit that keeps the vectors of all removed files, if there are any."""
    tombstones = before.tombstones()
    buried = set(tombstones["path"].to_pylist())
    vectors = tombstones["deletion_vector"].drop_null().to_pylist()
    root = before.store.url
    found = {_inside(root, msgspec.convert(vector, DeletionVector)) for vector in vectors}
    removes = [
        RemoveFile(path=encode_path(path), deletion_timestamp=now_ms(), data_change=False)
        for path in sorted(path for path in found if path is not None and path not in buried)
    ]
    operation = Operation("Deletion Vector Tombstones")
    return Change(operation=operation, actions=removes)


def _inside(root: str, vector: DeletionVector) -> str | None:
    """Return the path of a vector's file as the log has it; None for one that has no file."""
    url = vector_path(root, vector)
    return url if url is None else url.removeprefix(root + "/")
