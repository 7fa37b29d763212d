"""OPTIMIZE: the rows of a table in fewer, larger and better ordered files."""

from collections.abc import Sequence
from dataclasses import dataclass

from puredelta._util.clock import now_ms
from puredelta.commands.optimize.checks import check_arguments, check_z_order
from puredelta.commands.optimize.clustering import ClusteringLayout, clustering_names
from puredelta.commands.optimize.compaction import CompactionLayout
from puredelta.commands.optimize.layout import RewriteLayout
from puredelta.commands.optimize.metrics import OptimizeMetrics
from puredelta.commands.optimize.partition_condition import partition_condition
from puredelta.commands.optimize.rewrite import Rewrite, rewrite_target
from puredelta.commands.optimize.z_order import ZOrderLayout
from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.table_ref import TableRef
from puredelta.engine.scan.statement_scope import statement_scope
from puredelta.engine.session.context import Context
from puredelta.maintenance.compaction import CompactionLimits
from puredelta.maintenance.rewrite_plan import RewritePlan
from puredelta.maintenance.rewrite_preview import OptimizePreview
from puredelta.maintenance_settings import OptimizeSettings

OPERATION = "OPTIMIZE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimize:
    """OPTIMIZE t [FULL] [WHERE ...] [ZORDER BY ...].

    Attributes:
        table: the table.
        conditions: on partition columns, in SQL: which partitions; all of them must hold.
        z_order: the columns to order rows by; none for compaction alone.
        is_full: cluster also the files that are clustered by other columns.
    """

    table: TableRef
    conditions: Sequence[str] = ()
    z_order: Sequence[str] = ()
    is_full: bool = False

    @statement_scope()
    def run(self, context: Context) -> OptimizeMetrics:
        """Rewrite files; no version is made where there is nothing to do.

        Raises:
            DeltaAnalysisError: what `check_arguments`, `partition_condition` and `check_z_order`
                raise.
            DeltaUnsupportedOperationError: likewise.
            DeltaIllegalArgumentError: likewise.
            DeltaIllegalStateError: DELTA_NUM_RECORDS_MISMATCH: rows would be lost or doubled.
            DeltaConcurrentModificationError: another writer took one of the files away.
        """
        started = now_ms()
        rewrite, plan = self.prepared(context, started)
        return rewrite.run(plan)

    @statement_scope()
    def preview(self, context: Context) -> OptimizePreview:
        """Check the statement, and return what it would do; nothing is written."""
        rewrite, plan = self.prepared(context, now_ms())
        return rewrite.preview(plan)

    def prepared(self, context: Context, started_ms: int) -> tuple[Rewrite, RewritePlan]:
        """Check the statement, and plan what it would do; nothing is written.

        Args:
            context: the session.
            started_ms: when the statement began.
        """
        target = rewrite_target(context, self.table)
        check_arguments(target, self.conditions, self.z_order, is_full=self.is_full)
        condition = partition_condition(target, self.conditions, OPERATION)
        check_z_order(target, self.z_order)
        layout = chosen_layout(
            target, limits_of(context.settings.optimize), self.z_order, is_full=self.is_full
        )
        rewrite = Rewrite(
            target=target,
            layout=layout,
            operation=OPERATION,
            parameters=layout.parameters(condition.shown, is_auto=False),
            started_ms=started_ms,
        )
        return rewrite, layout.plan(target, condition.files(target))


def chosen_layout(
    target: WriteTarget,
    limits: CompactionLimits,
    z_order: Sequence[str] = (),
    *,
    is_full: bool = False,
) -> RewriteLayout:
    """Choose how rows are laid out: by clustering columns, by a Z-order, or as they come.

    Args:
        target: the table.
        limits: what is small, and how large a new file may be.
        z_order: the columns of ZORDER BY.
        is_full: cluster also the files that are clustered by other columns.
    """
    most = limits.max_file_size
    if columns := clustering_names(target.before):
        return ClusteringLayout(columns, is_full, most)
    return ZOrderLayout(z_order, most) if z_order else CompactionLayout(limits)


def limits_of(settings: OptimizeSettings) -> CompactionLimits:
    """Return what the session says of small and large files."""
    return CompactionLimits(
        min_file_size=settings.min_file_size,
        max_file_size=settings.max_file_size,
        max_deleted_ratio=settings.max_deleted_ratio,
    )
