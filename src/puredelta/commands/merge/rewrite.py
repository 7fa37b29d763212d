"""The files that a MERGE writes: new ones, and deletion vectors for those with affected rows."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import reduce
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.dml.dml_target import DmlTarget
from puredelta.commands.dml.row_change import RowChange
from puredelta.commands.merge.join import ACTION, ActionCounts, with_action
from puredelta.commands.merge.output_rows import Output
from puredelta.commands.merge.prepare import PreparedMerge
from puredelta.commands.merge.search import MatchResult
from puredelta.commands.merge.source import Source
from puredelta.commands.merge.strategy import ChangeStrategy
from puredelta.commands.rows.driver_rewriting import (
    MOST_NEW_ROWS,
    DriverRewrite,
    SparkNeededError,
    collected,
    driver_rewrite,
)
from puredelta.commands.rows.file_writing import (
    in_fewer_tasks,
    is_optimized,
    write_rows,
    write_rows_and_changes,
)
from puredelta.engine.catalyst.plan_rebinding import asks_for_files
from puredelta.engine.dml.affected_rows import FILE, PLACE, find_affected_rows
from puredelta.engine.dml.row_locations import with_file
from puredelta.engine.scan.row_id_columns import with_row_ids
from puredelta.engine.write.change_data import with_mark
from puredelta.engine.write.footers import NOTHING_WRITTEN, WrittenFiles
from puredelta.engine.write.observed_counts import counts_of, with_counter
from puredelta.engine.write.optimized_write import rebalance
from puredelta.log.actions import AddCdcFile
from puredelta.log.files import add_files
from puredelta.table.deletion_vectors.writing import NOTHING_MARKED, MarkedFiles

# A task that writes reads about so much, where the target is not partitioned. More tasks would make
# smaller files, fewer would leave cores idle.
_TASK_BYTES = 8 << 20


class _MergedFiles(NamedTuple):
    """What is written of a MERGE.

    Attributes:
        files: new files.
        changes: change data files.
        counts: how many rows each clause acted on, by its number.
    """

    files: WrittenFiles
    changes: list[AddCdcFile]
    counts: dict[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeExecutor:
    """Writes the files of a MERGE, as its strategy says; no reader sees them before a commit.

    Attributes:
        prepared: the target and the clauses.
        source: the rows that are merged.
        found: which rows of the target change.
        output: how rows are made.
    """

    prepared: PreparedMerge
    source: Source
    found: MatchResult
    output: Output

    def write(self) -> tuple[RowChange, ActionCounts]:
        """Write new files and deletion vectors; return them, and the rows of each clause."""
        merge, change, affected = self.prepared.merge, self._change, self.found.affected
        written = self._written_on_driver() or self._written_by_job()
        counts = written.counts
        if change is ChangeStrategy.MARK:
            # No job writes these rows, so they are counted where they were found.
            counts |= affected.counts(merge)
        counted = ActionCounts(source=self.source.count, by_action=counts)
        result = RowChange(
            removed=() if change.marks else add_files(affected.files),
            marked=self._mark() if change.marks else NOTHING_MARKED,
            written=written.files,
            changes=written.changes,
            rows=counted.rows(merge),
            new_first=True,
        )
        return result, counted

    @property
    def _change(self) -> ChangeStrategy:
        return self.found.strategy.change

    # -------------------------------------------------------------- new files, in the driver

    def _written_on_driver(self) -> "_MergedFiles | None":
        """Write affected files anew in the driver; return None where Spark has to."""
        affected, target = self.found.affected, self.prepared.target
        rows = affected.rows
        if self._change is not ChangeStrategy.REWRITE or not rows or affected.is_ambiguous:
            return None
        if sum(map(len, rows)) + self.source.count > MOST_NEW_ROWS:
            return None
        try:
            return self._merged(driver_rewrite(target, affected.files, rows))
        except SparkNeededError:
            return None

    def _merged(self, copying: DriverRewrite) -> "_MergedFiles":
        """Write affected files anew in the driver."""
        merge = self.prepared.merge
        output = replace(self.output, carried=(FILE,))
        counts, new, origins = {}, None, None
        with ExitStack() as until_written:
            parts = list(self._new_parts(output))
            # Rows that are deleted need not be read.
            if any(clause.kind == "update" for clause in (*merge.matched, *merge.by_source)):
                origins = until_written.enter_context(copying.changing_rows())
                rows = with_file(self.prepared.rows_of(origins), FILE)
                parts.insert(0, output.of_target(rows, is_ambiguous=False))
                # The scan is of files that go: their names would be values of the table.
                if asks_for_files(parts[0]):
                    raise SparkNeededError
            if parts:
                made = output.written(self._counting(output, parts))
                new = collected(made)
                counts = self._counts(made)
            files = copying.write(new, origins)
        counts |= self.found.affected.counts(merge)
        counts[0] = files.rows - (0 if new is None else new.num_rows)
        return _MergedFiles(files, [], counts)

    # ------------------------------------------------------------------ new files, by a job

    def _written_by_job(self) -> "_MergedFiles":
        """Write rows by one job, which counts them by the clause that acted on each."""
        # Protocol: Add CDC File. A commit that only adds rows needs no change data files: readers
        # derive the inserts from its `add` actions.
        changes_rows = self.found.affected.files.num_rows > 0
        output = self.output if changes_rows else replace(self.output, writes_changes=False)
        parts = list(self._parts(output))
        if not parts:
            return _MergedFiles(NOTHING_WRITTEN, [], {})
        target = self.prepared.target
        rows = output.written(self._repartition(self._counting(output, parts)))
        changes: list[AddCdcFile] = []
        if output.writes_changes:
            rows = with_mark(rows)
            new, changes = write_rows_and_changes(target, rows, in_place=True)
        else:
            new = write_rows(target, rows, in_place=True)
        # All rows of the affected files may be deleted, which is counted where they were found.
        counts = self._counts(rows) or self.found.affected.counts(self.prepared.merge)
        return _MergedFiles(new, changes, counts)

    def _parts(self, output: Output) -> Iterator[DataFrame]:
        """Yield the rows to be written: those of affected files, and those that are new."""
        affected = self.found.affected
        if affected.files.num_rows and self._change is not ChangeStrategy.MARK:
            scan = self.prepared.rows_of(affected.files)
            rows = with_row_ids(scan, self.prepared.target.metadata)
            changed = output.of_target(rows, is_ambiguous=affected.is_ambiguous)
            # With deletion vectors the copied rows stay in their files.
            yield changed.where(F.col(ACTION) > 0) if self._change.marks else changed
        yield from self._new_parts(output)

    def _new_parts(self, output: Output) -> Iterator[DataFrame]:
        new = self.found.source_rows_to_insert(self.source)
        if new is not None:
            yield output.of_source(new)

    # ----------------------------------------------------------------------------- both

    def _counting(self, output: Output, parts: Sequence[DataFrame]) -> DataFrame:
        """Return the rows of all parts, which are counted on their way, without deleted ones."""
        merge = self.prepared.merge
        counts = {with_action(number): F.col(ACTION) == number for number in self._numbers}
        rows = with_counter(reduce(DataFrame.unionByName, parts), counts)
        # Deleted rows pass the counter first, which is why they are dropped only here.
        deleting = [clause.number for clause in merge if clause.kind == "delete"]
        if deleting and not output.writes_changes:
            return rows.where(~F.col(ACTION).isin(deleting))
        return rows

    def _counts(self, rows: DataFrame) -> dict[int, int]:
        """Return how many rows each clause acted on, once a job has counted them."""
        counted = counts_of(rows)
        return {number: counted[with_action(number)] for number in self._numbers if counted}

    @property
    def _numbers(self) -> tuple[int, ...]:
        return (0, *(clause.number for clause in self.prepared.merge))

    def _repartition(self, rows: DataFrame) -> DataFrame:
        """Bring rows together, so that few and not too small files are written."""
        target = self.prepared.target
        settings, columns = target.context.settings, target.metadata.partition_columns
        # An optimized write shuffles to files of its own size, so nothing is coalesced before it.
        if is_optimized(target.options, settings, target.metadata):
            return in_fewer_tasks(rows, target.options, settings, target.metadata)
        size = sum(file.size for file in add_files(self.found.affected.files))
        if columns or (self._change.marks and size > _TASK_BYTES):
            # Few rows of those that are read are written.
            return rebalance(rows, columns, settings.optimize_write_bin << 20)
        return rows.coalesce(1 + (size + self.source.bytes) // _TASK_BYTES)

    # ------------------------------------------------------------------- deletion vectors

    def _mark(self) -> MarkedFiles:
        """Take the rows that change out of their files by deletion vectors."""
        files, rows = self.found.affected.files, self.found.affected.rows
        matches = self.found.matches
        if rows is None and matches is not None:
            # The search was for files; the cached matches say which of their rows change.
            changed = matches.rows.where(F.col(ACTION) > 0).select(FILE, PLACE)
            marked = find_affected_rows(changed, files, self.prepared.target.table.root)
            files, rows = marked.files, marked.rows
        if not files.num_rows or rows is None:
            return NOTHING_MARKED
        target = DmlTarget(self.prepared.target)
        return target.vectors.mark(add_files(files), rows, target.counts(files))
