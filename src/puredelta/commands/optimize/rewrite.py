"""A rewrite from its plan to its commits: OPTIMIZE, REORG and auto compaction alike."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow.compute as pc

from puredelta.commands.optimize.commit import commit_moved
from puredelta.commands.optimize.layout import RewriteLayout
from puredelta.commands.optimize.metrics import OptimizeMetrics
from puredelta.commands.optimize.moved_rows import MovedRows
from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.scan.row_id_columns import preserved_tags
from puredelta.engine.session.context import Context
from puredelta.engine.write.file_writer import refresh_caches
from puredelta.log.actions import AddFile
from puredelta.log.files import add_files, num_deleted
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.batches import batches_of
from puredelta.maintenance.bins import Bin, files_of
from puredelta.maintenance.rewrite_plan import RewritePlan
from puredelta.maintenance.rewrite_preview import OptimizePreview, preview_rewrite
from puredelta.table.protocol.protocol import check_writable
from puredelta.table.statistics.indexed_columns import ALL_COLUMNS, indexing_of
from puredelta.txn.commit_info import Operation


def rewrite_target(context: Context, table: TableRef) -> WriteTarget:
    """Open a table whose files are to be written anew.

    Args:
        context: the session.
        table: the table.

    Raises:
        DeltaAnalysisError: there is no table.
        DeltaTableFeatureError: the table has a feature that is not written here.
    """
    before = table.log().latest()
    check_writable(before.protocol, before.metadata, table.label)
    return WriteTarget(
        context=context,
        table=table,
        before=before,
        metadata=before.metadata,
        options=WriteOptions(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """Files that are written anew as a layout says.

    Attributes:
        target: the table.
        layout: which files, and how their rows are laid out.
        operation: what history calls it.
        parameters: those of the operation, as history shows them.
        started_ms: when it began, in milliseconds since 1970.
    """

    target: WriteTarget
    layout: RewriteLayout
    operation: str
    parameters: dict[str, object] = field(repr=False)
    started_ms: int

    def run(self, plan: RewritePlan) -> OptimizeMetrics:
        """Write the bins of a plan, and commit them; nothing is committed for an empty plan.

        Raises:
            DeltaIllegalStateError: DELTA_NUM_RECORDS_MISMATCH: rows would be lost or doubled.
            DeltaConcurrentModificationError: another writer took one of the files away.
        """
        batches = batches_of(plan.bins, *self._limits())
        last = self.target.before
        done: list[MovedRows] = []
        for bins in batches:
            last, moved = self._batch(last, plan, bins)
            done.append(moved)
        if done:
            refresh_caches(self.target.context.session, self.target.table.root)
        return self._metrics(
            [file for moved in done for file in moved.written.files],
            [file for moved in done for file in moved.removed],
            plan=plan,
            batches=max(1, len(batches)),
        )

    def preview(self, plan: RewritePlan) -> OptimizePreview:
        """Return what a plan would do; nothing is written."""
        target = self.target
        return preview_rewrite(
            plan,
            table=target.table.label,
            version=target.before.version,
            deleted_rows=int(pc.sum(num_deleted(plan.rewritten)).as_py() or 0),
            commits=len(batches_of(plan.bins, *self._limits())),
        )

    def _limits(self) -> tuple[int | None, int | None]:
        """Return how many bytes and how many bins a commit has at most."""
        session, chosen = self.target.context.session, self.target.context.settings.optimize
        if not chosen.commit_each_bin:
            return chosen.batch_size, None
        # A bin is a task at least, and a stopped statement loses what runs at once.
        return chosen.batch_size, max(1, session.sparkContext.defaultParallelism)

    def _batch(
        self, last: Snapshot, plan: RewritePlan, bins: Sequence[Bin]
    ) -> tuple[Snapshot, MovedRows]:
        moved = MovedRows(
            removed=tuple(add_files(files_of(plan.files, bins))),
            written=self.layout.write(self.target, plan.files, bins),
            started_ms=self.started_ms,
        )
        return commit_moved(self.target, last, moved, self._operation)

    def _operation(self, moved: MovedRows) -> Operation:
        """Return what history shows of one commit."""
        numbers = self._metrics(moved.written.files, moved.removed).history()
        tags = preserved_tags(self.target.before.metadata)
        return Operation(self.operation, self.parameters, numbers, tags)

    def _metrics(
        self,
        added: Sequence[AddFile],
        removed: Sequence[AddFile],
        *,
        plan: RewritePlan | None = None,
        batches: int = 1,
    ) -> OptimizeMetrics:
        before = self.target.before
        considered = 0 if plan is None else plan.considered.num_rows
        return OptimizeMetrics(
            added=added,
            removed=removed,
            partitions=0 if plan is None else plan.partitions,
            bins=0 if plan is None else len(plan.bins),
            batches=batches,
            considered=considered,
            skipped=considered - len(removed),
            started_ms=self.started_ms,
            parallelism=self.target.context.session.sparkContext.defaultParallelism,
            columns=len(before.schema),
            columns_with_stats=_with_stats(before),
            of_layout={} if plan is None else self.layout.stats(plan),
        )


def _with_stats(before: Snapshot) -> int:
    """Return how many columns have statistics, as a property says it that counts from the first."""
    count, columns = indexing_of(before.configuration).count, len(before.schema)
    return columns if count == ALL_COLUMNS else min(count, columns)
