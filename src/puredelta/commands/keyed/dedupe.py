"""DELETE of rows that share their key with another one, which stays."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.app_transactions import is_repeated, writing_app
from puredelta.commands.commit_stats import CommitOutcome
from puredelta.commands.dml.commit import commit_change
from puredelta.commands.dml.dml_target import DmlTarget, dml_target_of
from puredelta.commands.dml.dry_run import ChangePlan
from puredelta.commands.dml.metrics import PhaseTimes, delete_metrics
from puredelta.commands.dml.row_change import RowCounts
from puredelta.commands.dml.row_removal import remove_rows, with_rows_left
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.dml.affected_rows import (
    FILE,
    PLACE,
    AffectedRows,
    find_affected_rows,
    with_row_positions,
)
from puredelta.engine.scan.row_id_columns import preserved_tags
from puredelta.engine.scan.statement_scope import statement_scope
from puredelta.engine.session.context import Context
from puredelta.engine.session.spark_objects import expression_of
from puredelta.schema.column_path import quote_name
from puredelta.txn.commit_info import Operation

_RANK = "__puredelta_rank_of_row"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deduped(CommitOutcome):
    """What `dedupe` did.

    Attributes:
        version: the version that was made; the newest one when no row had a duplicate.
        changed: whether a version was made.
        deleted: how many rows were deleted.
        files: how many files were written, for rows that stay.
        removed_files: how many files left the table.
    """

    deleted: int = 0
    files: int = 0
    removed_files: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Dedupe:
    """All rows but one of each key leave the table.

    Attributes:
        table: the table.
        key: the columns in which rows are equal; nulls are. All columns where there are none.
        order: the row with the maximum stays; any row where it is None.
    """

    table: TableRef
    key: Sequence[str] = ()
    order: Column | None = None

    @statement_scope()
    def run(self, context: Context) -> Deduped:
        """Take the rows away, in one commit.

        Raises:
            AnalysisException: Spark's, for a column that is not there or cannot be compared.
            DeltaUnsupportedOperationError: DELTA_CANNOT_MODIFY_APPEND_ONLY.
            DeltaConcurrentModificationError: another writer's commit that this one cannot follow.
        """
        begun = monotonic()
        subject = dml_target_of(context, self.table, None)
        before = subject.before
        transaction = begin(context, self.table, before)
        app = writing_app(context, WriteOptions())
        if is_repeated(context, transaction, app):
            return Deduped(version=before.version)
        # Any row of the table may share its key with another one.
        transaction.read_whole_table()
        touched = self._found(subject)
        if not touched.count:
            return Deduped(version=before.version)
        scanned = monotonic()
        change = remove_rows(subject, touched, by_vectors=_by_vectors(subject))
        metrics = delete_metrics(change, PhaseTimes(begun=begun, scanned=scanned, done=monotonic()))
        parameters = {"predicate": [self._predicate(subject)]}
        operation = Operation("DELETE", parameters, metrics, preserved_tags(before.metadata))
        after = commit_change(subject.target, transaction, change, operation, app=app)
        return Deduped(
            version=after.version,
            changed=True,
            deleted=change.rows.deleted,
            files=int(metrics["numAddedFiles"]),
            removed_files=int(metrics["numRemovedFiles"]),
        )

    @statement_scope()
    def plan(self, context: Context) -> ChangePlan:
        """Find the rows that would go; nothing is written.

        Raises:
            AnalysisException: Spark's, for a column that is not there or cannot be compared.
        """
        subject = dml_target_of(context, self.table, None)
        touched = self._found(subject)
        by_vectors = _by_vectors(subject)
        rest = touched.files.slice(0, 0) if by_vectors else with_rows_left(subject, touched).files
        return ChangePlan(
            operation="DELETE",
            before=subject.before,
            candidates=subject.before.files,
            touched=touched.files,
            rewritten=rest,
            rows=RowCounts(deleted=touched.count),
            uses_vectors=by_vectors,
        )

    def _found(self, subject: DmlTarget) -> AffectedRows:
        files = subject.before.files
        if not files.num_rows:
            return AffectedRows(files, ())
        rows = with_row_positions(subject.scan(files))
        names = self._names(subject)
        # Only keys and positions are shuffled to the windows, not whole rows.
        ranked = rows.select(FILE, PLACE, self._rank(rows, names).alias(_RANK))
        root = subject.target.table.root
        return find_affected_rows(ranked.where(F.col(_RANK) > 1), files, root)

    def _names(self, subject: DmlTarget) -> list[str]:
        return [quote_name(name) for name in self.key or subject.before.schema.names]

    def _rank(self, rows: DataFrame, names: Sequence[str]) -> Column:
        # File and row index decide where nothing else does, so that the same rows go each time.
        places = [F.col(FILE), F.col(PLACE)]
        first = [] if self.order is None else [self.order.desc()]
        keys = [rows[name] for name in names]
        return F.row_number().over(Window.partitionBy(*keys).orderBy(*first, *places))

    def _predicate(self, subject: DmlTarget) -> str:
        """Return in SQL which rows went, for history."""
        by = ", ".join(self._names(subject))
        order = "" if self.order is None else f" ORDER BY {expression_of(self.order).sql()} DESC"
        return f"(row_number() OVER (PARTITION BY {by}{order}) > 1)"


def _by_vectors(subject: DmlTarget) -> bool:
    """Say whether rows are marked in deletion vectors, and stay in their files."""
    return subject.has_vectors and subject.target.context.settings.delete_vectors
