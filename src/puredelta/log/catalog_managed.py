"""Tables whose newest commits are not in the log folder, but where a catalog keeps them.

Protocol: Catalog-managed tables; Staged Commits.
"""

from puredelta.errors import DeltaTableFeatureError
from puredelta.log.snapshot import Snapshot

_MANAGED = frozenset({"catalogManaged", "catalogOwned-preview"})
_COORDINATED = "coordinatedCommits-preview"
_COORDINATOR = "delta.coordinatedCommits.commitCoordinator-preview"


def refuse_catalog_managed(snapshot: Snapshot) -> None:
    """Refuse a table of which the log folder may present an old version as the newest.

    Raises:
        DeltaTableFeatureError: Its versions are made by a catalog or a coordinator.
    """
    protocol = snapshot.protocol
    features = {*(protocol.reader_features or ()), *(protocol.writer_features or ())}
    found = features & _MANAGED
    if snapshot.configuration.get(_COORDINATOR):
        found |= {_COORDINATED}
    if found:
        raise DeltaTableFeatureError(
            "PUREDELTA_COORDINATED_TABLE",
            tableNameOrPath=snapshot.store.url,
            unsupported=sorted(found),
        )
