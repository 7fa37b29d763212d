"""MERGE from the first look at its target to the commit."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from time import monotonic

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import LongType, StructField, StructType

from puredelta.commands.app_transactions import Application, is_repeated, writing_app
from puredelta.commands.dml.commit import commit_change
from puredelta.commands.dml.row_change import RowChange
from puredelta.commands.merge.file_pruning import track
from puredelta.commands.merge.join import ActionCounts
from puredelta.commands.merge.output_rows import output_of
from puredelta.commands.merge.prepare import PreparedMerge, prepare
from puredelta.commands.merge.request import MergeRequest, check_clauses
from puredelta.commands.merge.resolved_clauses import ResolvedMerge
from puredelta.commands.merge.rewrite import MergeExecutor
from puredelta.commands.merge.search import search
from puredelta.commands.merge.source import cached_source
from puredelta.commands.rows.identity_ranges import (
    IdentityAllocation,
    Ranges,
    run_with_identity,
    tags_of,
)
from puredelta.commands.transactions import begin
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.row_checks.cast_overflows import cast_overflow_rules
from puredelta.engine.scan.row_id_columns import preserved_tags
from puredelta.engine.scan.statement_scope import statement_scope
from puredelta.engine.session.context import Context
from puredelta.engine.session.snapshot_pinning import snapshot_per_table
from puredelta.engine.session.spark_objects import frame_of_rows
from puredelta.engine.session.table_reads import plan_reads_table
from puredelta.engine.write.footers import NOTHING_WRITTEN
from puredelta.log.actions import AddFile
from puredelta.log.snapshot import Snapshot
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

MERGE_RESULT = StructType(
    [
        StructField(f"num_{what}_rows", LongType())
        for what in ("affected", "updated", "deleted", "inserted")
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeResult:
    """What a MERGE did.

    Attributes:
        version: the version that was made; the existing one when nothing changed.
        changed: whether a version was made.
        metrics: what history shows of it.
        skipped: the application that writes has made this very change before.
    """

    version: int
    changed: bool
    metrics: Mapping[str, str] = field(default_factory=dict)
    skipped: bool = False

    @property
    def row(self) -> dict[str, int]:
        """The row that the statement answers with."""
        updated, deleted, inserted = (
            int(self.metrics.get(f"numTargetRows{kind}", 0))
            for kind in ("Updated", "Deleted", "Inserted")
        )
        return {
            "num_affected_rows": updated + deleted + inserted,
            "num_updated_rows": updated,
            "num_deleted_rows": deleted,
            "num_inserted_rows": inserted,
        }


def merge_result(session: SparkSession, done: MergeResult) -> DataFrame:
    """Return how many rows a MERGE changed, in one row."""
    return frame_of_rows(session, [done.row], MERGE_RESULT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge(MergeRequest):
    """MERGE INTO, and `DeltaTable.merge`."""

    @statement_scope()
    def run(self, context: Context) -> MergeResult:
        """Merge and commit.

        Raises:
            DeltaAnalysisError: clauses, columns or types that don't fit.
            DeltaUnsupportedOperationError: several rows of the source match one of the target.
            DeltaArithmeticError: DELTA_CAST_OVERFLOW_IN_TABLE_WRITE.
            DeltaInvariantViolationError: a row that a rule of the table refuses.
            DeltaIllegalStateError: DELTA_NUM_RECORDS_MISMATCH: rows would be lost or duplicated.
            DeltaConcurrentModificationError: another writer's commit that this one cannot follow.
        """
        check_clauses(self.clauses)
        before = self.base or self.table.log().latest()
        app = writing_app(context, WriteOptions(app=self.app))
        # The check comes before the source is computed: a repeated write costs no job.
        if is_repeated(context, begin(context, self.table, before), app):
            return MergeResult(version=before.version, changed=False, skipped=True)
        attempt = partial(self._attempt, context, app)
        return run_with_identity(context, self.table, before, attempt)

    @snapshot_per_table()
    def _attempt(
        self, context: Context, app: Application | None, before: Snapshot, ranges: Ranges
    ) -> MergeResult:
        """Merge on top of a version, with the ranges of identity values that are reserved for it.

        Raises:
            IdentityRangeLostError: another writer gave out the values of this MERGE first.
        """
        started = monotonic()
        prepared = prepare(self, context, before)
        identity = IdentityAllocation.of(_columns_left_out(prepared.merge), ranges)
        with cached_source(self.source) as source:
            cached = monotonic()
            output = output_of(prepared, source, identity.with_start(prepared.merge.schema))
            # Cached matches are released when the search ends, so the files are written inside of
            # it.
            with search(prepared, source, takes_many=self.clauses.takes_many) as found:
                searched = monotonic()
                executor = MergeExecutor(
                    prepared=prepared, source=source, found=found, output=output
                )
                with cast_overflow_rules():
                    change, counted = executor.write()
            written = monotonic()
            times = Times(
                whole=_ms(written - started),
                source=_ms(cached - started),
                scan=_ms(searched - cached),
                rewrite=_ms(written - searched),
            )
            metrics = metrics_of(prepared.merge, counted, change, times)
            transaction = begin(context, self.table, before)
            # A conflict check during the commit may read the keys of the source: it is still cached
            # here.
            track(transaction, prepared, source, found.candidates)
            after = self._commit(transaction, prepared, identity, change, metrics, app)
        return MergeResult(
            version=after.version, changed=after.version != before.version, metrics=metrics
        )

    def _commit(
        self,
        transaction: Transaction,
        prepared: PreparedMerge,
        identity: IdentityAllocation,
        change: RowChange,
        metrics: Mapping[str, str],
        app: Application | None,
    ) -> Snapshot:
        target, written = prepared.target, change.written
        # Rows of the source come from the whole target, so any commit to it may change what they
        # are.
        if self.reads_target or plan_reads_table(self.source, self.table.root):
            transaction.read_whole_table()
        if app is not None:
            transaction.read_app(app.name)
        # Only inserted rows get values: without them no file needs a look.
        numbered = written if change.rows.inserted else NOTHING_WRITTEN
        # A MERGE with a base cannot be repeated on a later version: its source was made from the
        # base.
        with identity.commit_scope(
            target, numbered, written, can_repeat=self.base is None
        ) as metadata:
            tags = {**(tags_of(target.before.metadata, metadata) or {}), **preserved_tags(metadata)}
            operation = Operation("MERGE", parameters_of(prepared.merge), metrics, tags or None)
            marked = replace(target, metadata=metadata)
            return commit_change(marked, transaction, change, operation, app=app)


def _columns_left_out(merge: ResolvedMerge) -> list[StructField]:
    """Return the columns that some INSERT leaves out."""
    return [
        field
        for field in merge.schema
        if any(field.name not in action.given for action in merge.not_matched)
    ]


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


# -------------------------------------------------------------------- what history shows


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How long the parts of a MERGE took, in milliseconds."""

    whole: int
    source: int
    scan: int
    rewrite: int


def parameters_of(merge: ResolvedMerge) -> dict[str, object]:
    """Return the parameters that history shows."""
    return {
        "predicate": [str(merge.on)],
        "matchedPredicates": [clause.in_history for clause in merge.matched],
        "notMatchedPredicates": [clause.in_history for clause in merge.not_matched],
        "notMatchedBySourcePredicates": [clause.in_history for clause in merge.by_source],
    }


def metrics_of(
    merge: ResolvedMerge, counted: ActionCounts, change: RowChange, times: Times
) -> dict[str, str]:
    """Return the numbers that history shows."""
    rows = counted.rows(merge)
    # delta-spark counts files as removed only where no row is left; files that are marked stay.
    removed = [*change.removed, *_wholly_gone(change)]
    matched = {"by_source": False}
    alone = {"by_source": True}
    numbers = {
        "numSourceRows": counted.source,
        "numTargetRowsInserted": rows.inserted,
        "numTargetRowsUpdated": rows.updated,
        "numTargetRowsMatchedUpdated": counted.of(merge, "update", **matched),
        "numTargetRowsNotMatchedBySourceUpdated": counted.of(merge, "update", **alone),
        "numTargetRowsDeleted": rows.deleted,
        "numTargetRowsMatchedDeleted": counted.of(merge, "delete", **matched),
        "numTargetRowsNotMatchedBySourceDeleted": counted.of(merge, "delete", **alone),
        "numTargetRowsCopied": rows.copied,
        "numOutputRows": rows.inserted + rows.updated + rows.copied,
        "numTargetFilesAdded": len(change.written.files),
        "numTargetFilesRemoved": len(removed),
        "numTargetBytesAdded": change.written.bytes,
        "numTargetBytesRemoved": sum(file.size for file in removed),
        "numTargetChangeFilesAdded": len(change.changes),
        "numTargetDeletionVectorsAdded": change.marked.vectors_added,
        "numTargetDeletionVectorsRemoved": change.marked.vectors_removed,
        "numTargetDeletionVectorsUpdated": change.marked.vectors_updated,
        "executionTimeMs": times.whole,
        "materializeSourceTimeMs": times.source,
        "scanTimeMs": times.scan,
        "rewriteTimeMs": times.rewrite,
    }
    return {name: str(number) for name, number in numbers.items()}


def _wholly_gone(change: RowChange) -> list[AddFile]:
    """Return the files that lost their last rows by deletion vectors."""
    left = {file.path for file in change.marked.after}
    return [file for file in change.marked.before if file.path not in left]
