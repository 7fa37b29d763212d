"""replaceWhere: the rows that a condition selects go, and each new row must satisfy it."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.dml.dml_target import track_reads
from puredelta.commands.file_metrics import row_count
from puredelta.commands.rows.file_rewriting import RowsWhere
from puredelta.commands.rows.target import RemovedFiles, WriteTarget
from puredelta.commands.write.replaced_rows import replace_rows
from puredelta.engine.bridge.deferred import settled
from puredelta.engine.catalyst.sql_conditions import ResolvedCondition, resolve_condition
from puredelta.engine.dml.candidate_files import candidate_files, choose_files
from puredelta.engine.scan.pinned_files import frame_of_files
from puredelta.engine.write.footers import WrittenFiles
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import AddFile
from puredelta.log.files import add_files, files_in, files_table
from puredelta.txn.transaction import Transaction

_OPERATION = "replaceWhere"


@dataclass(frozen=True, slots=True)
class RowsSelected:
    """An overwrite of the rows for which a condition is true.

    Attributes:
        target: the table.
        condition: the condition.
        candidates: the files that may have such rows.
    """

    target: WriteTarget
    condition: ResolvedCondition
    candidates: pa.Table

    @property
    def must_hold(self) -> str | None:
        """The condition, unless the session does without the check."""
        checked = self.target.context.settings.replaced_rows_match
        return self.condition.text if checked else None

    @property
    def is_of_partitions(self) -> bool:
        """Say whether partition values alone decide."""
        return self.condition.columns <= set(self.target.before.partition_columns)

    def replaced(self, written: WrittenFiles) -> RemovedFiles:
        """Take the rows away; files of which all rows go are not read where partitions tell."""
        if self.is_of_partitions and not self.condition.needs_job:
            files = add_files(self.candidates)
            return RemovedFiles(removed=files, deleted=row_count(files))
        return replace_rows(self.target, self.candidates, RowsWhere(self.condition.text), written)

    def track(
        self,
        transaction: Transaction,
        written: WrittenFiles,  # noqa: ARG002
        replaced: RemovedFiles,  # noqa: ARG002
    ) -> None:
        """Depend on the files looked at, and on others that may come to their partitions.

        Where rows are judged one by one, others may take other rows of the same files away, and add
        files whose statistics rule the condition out.
        """
        if not self.is_of_partitions:
            transaction.read_rows_alone(self._may_hold)
        about = self.condition.about(self.target.before.partition_columns)
        track_reads(transaction, self.target, self.candidates, about, self.condition.text)

    def _may_hold(self, files: Sequence[AddFile]) -> list[AddFile]:
        """Return those of some files, which others have written, that can have such rows."""
        listed, table, before = files_table(files), self.target.table, self.target.before
        session = self.target.context.session
        scanned = frame_of_files(session, table.root, before, listed, table.options)
        rows = scanned.where(F.expr(self.condition.text))
        found, _ = choose_files(rows, table.root, before, listed)
        return files_in(found, files)


def select_rows(target: WriteTarget, text: str) -> RowsSelected:
    """Plan an overwrite of the rows for which a condition is true.

    Raises:
        DeltaAnalysisError: a condition that cannot be, or is not allowed here.
    """
    condition = _resolved(target, text)
    planned = RowsSelected(target, condition, target.before.files.slice(0, 0))
    if not planned.is_of_partitions:
        _check_data_columns(target, condition)
    table = target.table
    candidates = candidate_files(
        target.context.session, table.root, target.before, F.expr(text), table.options
    )
    return RowsSelected(target, condition, candidates)


def _resolved(target: WriteTarget, text: str) -> ResolvedCondition:
    before, table = target.before, target.table
    session = target.context.session
    nothing = before.files.slice(0, 0)
    rows = frame_of_files(session, table.root, before, nothing, table.options)
    try:
        with settled():
            return resolve_condition(rows, text, _OPERATION)
    except AnalysisException as error:
        name = (error.getMessageParameters() or {}).get("objectName")
        if target.context.settings.replace_by_data or name is None:
            raise
        raise not_a_partition_column(target, name) from error


def _check_data_columns(target: WriteTarget, condition: ResolvedCondition) -> None:
    others = sorted(condition.columns - set(target.before.partition_columns))
    if not target.context.settings.replace_by_data:
        raise not_a_partition_column(target, others[0])
    if not target.options.data_change:
        raise DeltaAnalysisError(
            "DELTA_REPLACE_WHERE_WITH_FILTER_DATA_CHANGE_UNSET", dataFilters=condition.text
        )


def not_a_partition_column(target: WriteTarget, name: str) -> DeltaAnalysisError:
    """Say that a condition names another column where partition columns alone may be named."""
    return DeltaAnalysisError(
        "DELTA_NON_PARTITION_COLUMN_REFERENCE",
        columnName=name.strip("`"),
        columnList=target.before.partition_columns,
    )
