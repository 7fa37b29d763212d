"""VACUUM from its checks to its last deletion; the same for a session and the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from puredelta._util.clock import now_ms
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog
from puredelta.maintenance.vacuum.candidates import VacuumCandidates
from puredelta.maintenance.vacuum.deletion import USUAL_THREADS, delete_files, delete_folders
from puredelta.maintenance.vacuum.hidden import hides
from puredelta.maintenance.vacuum.history import (
    commit_end,
    commit_start,
    failure_committed,
    is_logged,
)
from puredelta.maintenance.vacuum.inventory_files import inventory_candidates
from puredelta.maintenance.vacuum.kept_files import KeptFiles
from puredelta.maintenance.vacuum.last_vacuum import record_vacuum
from puredelta.maintenance.vacuum.listed_files import listed_candidates
from puredelta.maintenance.vacuum.lite_files import lite_candidates
from puredelta.maintenance.vacuum.lost_versions import lost_versions
from puredelta.maintenance.vacuum.preview import Vacuumed, VacuumPreview
from puredelta.maintenance.vacuum.request import (
    INVENTORY,
    LITE,
    Retention,
    VacuumRequest,
    retention_of,
)
from puredelta.maintenance.vacuum.table_root import TableRoot
from puredelta.maintenance.vacuum.versions import LoggedVersions, logged_versions
from puredelta.maintenance_settings import VacuumSettings
from puredelta.table.protocol.protocol import check_writable
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class _VacuumPlan:
    """What is to be deleted, and what was looked at to know it."""

    snapshot: Snapshot
    retention: Retention
    versions: LoggedVersions
    root: TableRoot
    kept: KeptFiles
    candidates: VacuumCandidates


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacuum:
    """A VACUUM of one table.

    Attributes:
        log: The table.
        label: What messages call it.
        request: What is asked for.
        settings: What the session says.
        begin: Begins the transactions for the history.
        user_metadata: A text of the user's for the history.
        now: The clock, in milliseconds since 1970.

    Examples:
        >>> from puredelta.log.table_log import open_log
        >>> log = open_log("/data/events")  # doctest: +SKIP
        >>> print(Vacuum(log=log, label="events").preview())  # doctest: +SKIP
    """

    log: TableLog
    label: str
    request: VacuumRequest = field(default_factory=VacuumRequest)
    settings: VacuumSettings = field(default_factory=VacuumSettings)
    begin: Callable[[Snapshot], Transaction] | None = None
    user_metadata: str | None = None
    now: Callable[[], int] = now_ms

    def preview(self) -> VacuumPreview:
        """Return what would be deleted, and which versions that costs; nothing is written.

        Raises:
            DeltaError: As for `run`.
        """
        plan = self._plan()
        found = plan.candidates
        names = [info.name for info in found.files]
        lost = lost_versions(self.log.store, plan.versions, plan.root, names)
        return VacuumPreview(
            table=self.label,
            version=plan.snapshot.version,
            kind=self.request.kind(self.settings),
            readable_since=plan.retention.since,
            files=len(found.files),
            bytes=found.size,
            folders=len(found.folders),
            lost_versions=tuple(lost),
            first_version=plan.versions.earliest_readable,
            paths=(*names, *found.folders),
        )

    def paths(self) -> list[str]:
        """Return what would be deleted, by names below the table; nothing is written.

        Raises:
            DeltaError: As for `run`.
        """
        found = self._plan().candidates
        return [*(info.name for info in found.files), *found.folders]

    def run(self) -> Vacuumed:
        """Delete what no version within the retention needs.

        A file that cannot be deleted ends nothing; it goes when VACUUM runs again.

        Raises:
            DeltaIllegalArgumentError: DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE,
                DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT.
            DeltaIllegalStateError: DELTA_CANNOT_VACUUM_LITE, DELTA_FAIL_RELATIVIZE_PATH, or the
                log is damaged.
            DeltaTableFeatureError: The table must not be written by us.
            ConcurrentWriteError: PUREDELTA_VACUUM_TABLE_REPLACED; what was deleted belonged to
                the table before.
        """
        plan = self._plan()
        # What was committed while the folder was listed.
        found = plan.candidates.without(plan.kept.follow())
        if not is_logged(self.log.store.url, self.settings):
            return self._delete(plan, found)
        commit_start(self._commit, found, plan.retention, self.settings)
        with failure_committed(self._commit):
            done = self._delete(plan, found)
        commit_end(self._commit, done.files + done.folders, done.visited)
        return done

    def _plan(self) -> _VacuumPlan:
        snapshot = self.log.latest()
        # Also for tables without the feature vacuumProtocolCheck, which demands it: a feature that
        # is not known may mean files that are not known.
        check_writable(snapshot.protocol, snapshot.metadata, self.label)
        retention = retention_of(self.request, snapshot.configuration, self.settings, self.now())
        root = TableRoot(self.log.store.url, ignores_foreign=self.settings.foreign_paths_ignored)
        since = retention.since_ms
        versions = logged_versions(self.log.store, snapshot.metadata, since)
        kept = KeptFiles(self.log, snapshot, versions, root, since)
        return _VacuumPlan(
            snapshot=snapshot,
            retention=retention,
            versions=versions,
            root=root,
            kept=kept,
            # Whatever named them: a log of others, an inventory, links in the folder.
            candidates=self._candidates(snapshot, versions, kept, root, since).only(root.contains),
        )

    def _candidates(
        self,
        snapshot: Snapshot,
        versions: LoggedVersions,
        kept: KeptFiles,
        root: TableRoot,
        since: int,
    ) -> VacuumCandidates:
        store, kind = snapshot.store, self.request.kind(self.settings)
        if kind == LITE:
            return lite_candidates(snapshot, versions, kept, root, since)
        if kind == INVENTORY:
            return inventory_candidates(
                store, self.request.inventory or (), kept, root, since, hides(snapshot)
            )
        return listed_candidates(store, kept, since, hides(snapshot), root.is_real_folder)

    def _delete(self, plan: _VacuumPlan, found: VacuumCandidates) -> Vacuumed:
        store, kind = self.log.store, self.request.kind(self.settings)
        deleted = delete_files(store, found.files, plan.kept.follow, threads=self._threads())
        folders = delete_folders(store, found.folders)
        if kind != INVENTORY and not deleted.failed:
            # A full VACUUM has deleted what a LITE one would: the next LITE goes on from here.
            done = found.expired_version if kind == LITE else plan.versions.last_expired
            record_vacuum(store, done)
        return Vacuumed(
            table=self.label,
            kind=kind,
            files=deleted.files,
            bytes=deleted.size,
            folders=folders,
            failed=deleted.failed,
            visited=found.visited,
        )

    def _threads(self) -> int:
        if not self.settings.vacuum_parallel:
            return 1
        return max(1, self.settings.vacuum_parallelism or USUAL_THREADS)

    def _commit(self, operation: Operation) -> None:
        snapshot = self.log.latest()
        transaction = self.begin(snapshot) if self.begin else Transaction(self.log, snapshot)
        transaction.commit([], operation, is_blind_append=True, user_metadata=self.user_metadata)
