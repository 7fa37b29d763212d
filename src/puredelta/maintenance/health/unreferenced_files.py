"""The finding about files that no version within the retention needs: what VACUUM would delete."""

from __future__ import annotations

from collections.abc import Iterator

from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog
from puredelta.maintenance.health.finding import HealthFinding
from puredelta.maintenance.vacuum.hidden import hides
from puredelta.maintenance.vacuum.kept_files import KeptFiles
from puredelta.maintenance.vacuum.listed_files import listed_candidates
from puredelta.maintenance.vacuum.request import VacuumRequest, retention_of
from puredelta.maintenance.vacuum.table_root import TableRoot
from puredelta.maintenance.vacuum.versions import logged_versions
from puredelta.maintenance_settings import VacuumSettings


def unreferenced_findings(snapshot: Snapshot, table: str, now: int) -> Iterator[HealthFinding]:
    """Report the files that a VACUUM would delete; lists the folder of the table.

    Args:
        snapshot: The latest version.
        table: How a statement names the table.
        now: The time, in milliseconds since 1970.

    Raises:
        DeltaError: The log is damaged, or the store failed.
    """
    store = snapshot.store
    since = retention_of(VacuumRequest(), snapshot.configuration, VacuumSettings(), now).since_ms
    versions = logged_versions(store, snapshot.metadata, since)
    # A path of which nobody knows whether it is in the folder stops a VACUUM, and no report.
    root = TableRoot(store.url, ignores_foreign=True)
    kept = KeptFiles(TableLog(store), snapshot, versions, root, since)
    found = listed_candidates(store, kept, since, hides(snapshot))
    if found.files:
        yield HealthFinding(
            code="unreferenced-files",
            text=f"{len(found.files):,} files are in no version that is retained",
            statement=f"VACUUM {table}",
            files_to_delete=len(found.files),
            bytes_to_delete=found.size,
        )
