"""REORG: files are written anew, so that what was deleted, or an older type, is in none of them."""

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from puredelta._util.clock import now_ms
from puredelta.commands.dml.row_change import RowChange, RowCounts
from puredelta.commands.dml.row_conservation import check_conserved
from puredelta.commands.reorg.bin_writing import write_bins
from puredelta.commands.reorg.bins import Bin, bins_of
from puredelta.commands.reorg.metrics import OptimizeMetrics
from puredelta.commands.reorg.purge_candidates import purgeable
from puredelta.commands.rows.file_writing import new_files
from puredelta.commands.rows.removed_files import moved, paths_of, removal
from puredelta.commands.rows.target import Target
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.commands.write.dynamic_partitions import keys_of
from puredelta.commands.write.replace_where import not_a_partition_column
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.catalyst.sql_conditions import Resolved, condition_column, resolved
from puredelta.engine.dml.candidate_files import candidate_files
from puredelta.engine.scan.pinned_files import frame_of_files
from puredelta.engine.scan.row_id_columns import preserved_tags
from puredelta.engine.scan.statement_scope import as_one_statement
from puredelta.engine.session.context import Context
from puredelta.engine.session.spark_objects import time_zone
from puredelta.engine.write.file_writer import refresh_caches
from puredelta.engine.write.footers import Written
from puredelta.errors.classes import DeltaUnsupportedOperationError
from puredelta.log.files import add_files
from puredelta.log.snapshot import Snapshot
from puredelta.table.clustering import clustering_columns
from puredelta.table.protocol.protocol import check_writable
from puredelta.table.statistics.indexed_columns import ALL_COLUMNS, indexing_of
from puredelta.txn.commit_info import Operation

OPERATION = "REORG"


Choice = Callable[[Target, pa.Table], pa.Table]
"""Which of some files of a table are written anew: given and returned are rows of `FILES`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    """REORG TABLE ... APPLY (PURGE): files with deleted rows or dropped columns are written anew.

    Older versions keep their files, until these are removed from storage.

    Attributes:
        table: the table.
        condition: on partition columns, in SQL: which partitions; None for all.
        choose: which files are written anew, where it is for another reason than to purge them.
    """

    table: TableRef
    condition: str | None = None
    choose: Choice = purgeable

    @as_one_statement()
    def run(self, context: Context) -> OptimizeMetrics:
        """Write the files anew, in one commit; none is made where there is nothing to purge.

        Raises:
            DeltaAnalysisError: DELTA_NON_PARTITION_COLUMN_REFERENCE, and what
                `engine.catalyst.sql_conditions.resolved` raises.
            DeltaUnsupportedOperationError: DELTA_CLUSTERING_WITH_PARTITION_PREDICATE.
            DeltaIllegalStateError: DELTA_NUM_RECORDS_MISMATCH.
            DeltaConcurrentModificationError: another writer took one of the files away.
        """
        started = now_ms()
        before = self.table.log().latest()
        check_writable(before.protocol, before.metadata, self.table.label)
        target = Target(
            context=context,
            table=self.table,
            before=before,
            metadata=before.metadata,
            options=WriteOptions(),
        )
        condition = _condition(target, self.condition)
        considered = _of_partitions(target, condition)
        files = self.choose(target, considered)
        bins = _bins(target, files)
        written = write_bins(target, files, bins)
        metrics = OptimizeMetrics(
            added=written.files,
            removed=add_files(files),
            partitions=len({one.partition for one in bins}),
            bins=len(bins),
            considered=considered.num_rows,
            skipped=considered.num_rows - files.num_rows,
            started_ms=started,
            parallelism=context.session.sparkContext.defaultParallelism,
            columns=len(before.schema),
            columns_with_stats=_with_stats(before),
        )
        if files.num_rows:
            _commit(target, files, written, metrics, self._told(condition))
        return metrics

    def _told(self, condition: Resolved | None) -> dict[str, object]:
        """Return the parameters of the operation as history shows them."""
        predicate = [] if condition is None else [condition.text]
        return {"predicate": predicate, "applyPurge": self.choose is purgeable}


def _condition(target: Target, text: str | None) -> Resolved | None:
    """Read a condition on partitions.

    Raises:
        DeltaAnalysisError: DELTA_NON_PARTITION_COLUMN_REFERENCE.
        DeltaUnsupportedOperationError: DELTA_CLUSTERING_WITH_PARTITION_PREDICATE.
    """
    if text is None:
        return None
    before, table = target.before, target.table
    nothing = before.files.slice(0, 0)
    rows = frame_of_files(target.context.session, table.root, before, nothing, table.options)
    condition = resolved(rows, text, OPERATION)
    if clustering_columns(before.domains.values()):
        raise DeltaUnsupportedOperationError(
            "DELTA_CLUSTERING_WITH_PARTITION_PREDICATE", predicates=text
        )
    others = sorted(condition.columns - set(before.partition_columns))
    if others:
        raise not_a_partition_column(target, others[0])
    return condition


def _of_partitions(target: Target, condition: Resolved | None) -> pa.Table:
    """Return the files of the partitions for which a condition is true."""
    before, table = target.before, target.table
    if condition is None:
        return before.files
    known = condition_column(condition.text)
    return candidate_files(target.context.session, table.root, before, known, table.options)


def _bins(target: Target, files: pa.Table) -> list[Bin]:
    before, most = target.before, target.context.settings.optimize_max_file_size
    sizes = files["size"].to_pylist()
    if not before.partition_columns:
        return bins_of([""] * len(sizes), sizes, most)
    keys = keys_of(before, time_zone(target.context.session)).of_files(files)
    return bins_of(keys.to_pylist(), sizes, most)


def _commit(
    target: Target,
    purged: pa.Table,
    written: Written,
    metrics: OptimizeMetrics,
    told: dict[str, object],
) -> None:
    context, table, before = target.context, target.table, target.before
    rows = RowCounts(copied=written.rows)
    change = RowChange(removed=metrics.removed, written=written, rows=rows)
    check_conserved(target, change, OPERATION)
    transaction = begin(context, table, before)
    transaction.read_files(paths_of(purged))
    transaction.commit(
        [
            *map(moved, map(removal, metrics.removed)),
            *map(moved, new_files(context, written)),
        ],
        Operation(OPERATION, told, metrics.history(), preserved_tags(before.metadata)),
        user_metadata=context.settings.user_metadata,
    )
    refresh_caches(context.session, table.root)


def _with_stats(before: Snapshot) -> int:
    """Return how many columns have statistics, as a property says it that counts from the first."""
    count, columns = indexing_of(before.configuration).count, len(before.schema)
    return columns if count == ALL_COLUMNS else min(count, columns)
