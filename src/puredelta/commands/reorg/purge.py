"""REORG: files are written anew, so that what was deleted, or an older type, is in none of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from puredelta._util.clock import now_ms
from puredelta.commands.dml.commit import check_conserved
from puredelta.commands.dml.row_change import RowChange, RowCounts
from puredelta.commands.reorg.bins import Bin, bins_of, files_of, tasks_of
from puredelta.commands.reorg.file_schemas import files_whose_schema
from puredelta.commands.reorg.metrics import OptimizeMetrics
from puredelta.commands.rows.file_rewriting import rows_of
from puredelta.commands.rows.file_writing import new_files, write_rows
from puredelta.commands.rows.removed_files import moved_files, paths_of, to_remove_file
from puredelta.commands.rows.target import WriteTarget
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.commands.write.dynamic_partitions import keys_of
from puredelta.commands.write.replace_where import not_a_partition_column
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.catalyst.sql_conditions import (
    ResolvedCondition,
    condition_column,
    resolve_condition,
)
from puredelta.engine.dml.candidate_files import candidate_files
from puredelta.engine.scan.pinned_files import frame_of_files
from puredelta.engine.scan.row_id_columns import preserved_tags
from puredelta.engine.scan.statement_scope import statement_scope
from puredelta.engine.session.context import Context
from puredelta.engine.session.sessions import time_zone
from puredelta.engine.write.file_writer import refresh_caches
from puredelta.engine.write.footers import NOTHING_WRITTEN, WrittenFiles
from puredelta.errors.classes import DeltaUnsupportedOperationError
from puredelta.log.files import FILES, add_files
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import StructType
from puredelta.table.change_columns import CHANGE_TYPE
from puredelta.table.clustering import clustering_columns
from puredelta.table.columns.column_mapping import mapping_mode, physical_schema
from puredelta.table.columns.dropped_columns import has_other_columns, may_have_dropped
from puredelta.table.protocol.protocol import check_writable
from puredelta.table.protocol.row_tracking import COLUMN_NAMES
from puredelta.table.statistics.indexed_columns import ALL_COLUMNS, indexing_of
from puredelta.txn.commit_info import Operation

OPERATION = "REORG"


Choice = Callable[[WriteTarget, pa.Table], pa.Table]
"""Which of some files of a table are written anew: given and returned are rows of `FILES`."""


# -------------------------------------------------------------------- files with something to purge


def _purgeable(target: WriteTarget, files: pa.Table) -> pa.Table:
    """Return the files from which something is to be purged.

    Reads footers, but for tables that are known to have lost no column.

    Args:
        target: the table.
        files: rows of `target.before.files`.

    Raises:
        DeltaError: a file cannot be read.
    """
    has_vector = pc.is_valid(files["deletion_vector"])
    marked, others = files.filter(has_vector), files.filter(pc.invert(has_vector))
    before = target.before
    if not may_have_dropped(before.schema, before.configuration):
        return marked
    known, hidden = _columns(target), _hidden(target)

    def has_dropped(found: pa.Schema) -> bool:
        return has_other_columns(found, known, hidden)

    options = target.table.options
    dropped = files_whose_schema(others, before.store, has_dropped, options)
    return pa.concat_tables([marked.cast(FILES), dropped.cast(FILES)])


def _columns(target: WriteTarget) -> StructType:
    before = target.before
    return physical_schema(before.schema, before.schema, mapping_mode(before.configuration))


def _hidden(target: WriteTarget) -> frozenset[str]:
    """Return the columns of files that say no values: ids of rows, and what a change was.

    Files that were written together with change files have that one, without values.
    """
    properties = target.before.configuration
    return frozenset([CHANGE_TYPE, *(properties[key] for key in COLUMN_NAMES if key in properties)])


# -------------------------------------------------------------------- REORG TABLE ... APPLY (PURGE)


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
    choose: Choice = _purgeable

    @statement_scope()
    def run(self, context: Context) -> OptimizeMetrics:
        """Write the files anew, in one commit; none is made where there is nothing to purge.

        Raises:
            DeltaAnalysisError: DELTA_NON_PARTITION_COLUMN_REFERENCE, and what
                `engine.catalyst.sql_conditions.resolve_condition` raises.
            DeltaUnsupportedOperationError: DELTA_CLUSTERING_WITH_PARTITION_PREDICATE.
            DeltaIllegalStateError: DELTA_NUM_RECORDS_MISMATCH.
            DeltaConcurrentModificationError: another writer took one of the files away.
        """
        started = now_ms()
        before = self.table.log().latest()
        check_writable(before.protocol, before.metadata, self.table.label)
        target = WriteTarget(
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
            partitions=len({group.partition for group in bins}),
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

    def _told(self, condition: ResolvedCondition | None) -> dict[str, object]:
        """Return the parameters of the operation as history shows them."""
        predicate = [] if condition is None else [condition.text]
        return {"predicate": predicate, "applyPurge": self.choose is _purgeable}


def _condition(target: WriteTarget, text: str | None) -> ResolvedCondition | None:
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
    condition = resolve_condition(rows, text, OPERATION)
    if clustering_columns(before.domains.values()):
        raise DeltaUnsupportedOperationError(
            "DELTA_CLUSTERING_WITH_PARTITION_PREDICATE", predicates=text
        )
    others = sorted(condition.columns - set(before.partition_columns))
    if others:
        raise not_a_partition_column(target, others[0])
    return condition


def _of_partitions(target: WriteTarget, condition: ResolvedCondition | None) -> pa.Table:
    """Return the files of the partitions for which a condition is true."""
    before, table = target.before, target.table
    if condition is None:
        return before.files
    known = condition_column(condition.text)
    return candidate_files(target.context.session, table.root, before, known, table.options)


def _bins(target: WriteTarget, files: pa.Table) -> list[Bin]:
    before, most = target.before, target.context.settings.optimize_max_file_size
    sizes = files["size"].to_pylist()
    if not before.partition_columns:
        return bins_of([""] * len(sizes), sizes, most)
    keys = keys_of(before, time_zone(target.context.session)).of_files(files)
    return bins_of(keys.to_pylist(), sizes, most)


def _commit(
    target: WriteTarget,
    purged: pa.Table,
    written: WrittenFiles,
    metrics: OptimizeMetrics,
    properties: dict[str, object],
) -> None:
    context, table, before = target.context, target.table, target.before
    rows = RowCounts(copied=written.rows)
    change = RowChange(removed=metrics.removed, written=written, rows=rows)
    check_conserved(target, change, OPERATION)
    transaction = begin(context, table, before)
    transaction.read_files(paths_of(purged))
    transaction.commit(
        [
            *map(moved_files, map(to_remove_file, metrics.removed)),
            *map(moved_files, new_files(context, written)),
        ],
        Operation(OPERATION, properties, metrics.history(), preserved_tags(before.metadata)),
        user_metadata=context.settings.user_metadata,
    )
    refresh_caches(context.session, table.root)


def _with_stats(before: Snapshot) -> int:
    """Return how many columns have statistics, as a property says it that counts from the first."""
    count, columns = indexing_of(before.configuration).count, len(before.schema)
    return columns if count == ALL_COLUMNS else min(count, columns)


# -------------------------------------------------------------------------- rewriting bins of files


# Each task is a scan of its own in the plan of a job, and scans remember their files for a while.
_TASKS_A_JOB = 32


def write_bins(target: WriteTarget, files: pa.Table, bins: Sequence[Bin]) -> WrittenFiles:
    """Write the rows of files anew, in the schema that the table gets.

    Args:
        target: the table.
        files: rows of `target.before.files`.
        bins: which of them go together.
    """
    context = target.context.session.sparkContext
    tasks = [files_of(files, task) for task in tasks_of(bins, context.defaultParallelism)]
    jobs = (tasks[start : start + _TASKS_A_JOB] for start in range(0, len(tasks), _TASKS_A_JOB))
    parts = (write_rows(target, _of_tasks(target, some), in_place=True) for some in jobs)
    return reduce(_joined, parts, NOTHING_WRITTEN)


def _of_tasks(target: WriteTarget, tasks: Sequence[pa.Table]) -> DataFrame:
    """Return the rows of files, each table of them for a task of its own."""
    # From 4.1 on Spark joins tasks of a union whose parts are all in one partition, unless one part
    # is not; that one has no files here.
    nothing = rows_of(target, tasks[0].slice(0, 0))
    return reduce(
        DataFrame.unionAll, (rows_of(target, task).coalesce(1) for task in tasks), nothing
    )


def _joined(one: WrittenFiles, other: WrittenFiles) -> WrittenFiles:
    return WrittenFiles(
        files=one.files + other.files,
        empty=one.empty + other.empty,
        rows=one.rows + other.rows,
    )
