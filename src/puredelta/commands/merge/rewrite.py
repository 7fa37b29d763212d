"""The files that a MERGE writes: new ones, and deletion vectors for those with affected rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

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
from puredelta.commands.rows.file_writing import (
    in_fewer_tasks,
    is_optimized,
    write_rows,
    write_rows_and_changes,
)
from puredelta.engine.dml.affected_rows import FILE, PLACE, find_affected_rows
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
        files = add_files(affected.files)
        # Protocol: Add CDC File. A commit that only adds rows needs no change data files: readers
        # derive the inserts from its `add` actions.
        output = self.output if files else replace(self.output, writes_changes=False)
        new, changes, counts = self._write_rows(output, list(self._parts(output)))
        if change is ChangeStrategy.MARK:
            # No job writes these rows, so they are counted where they were found.
            counts |= affected.counts(merge)
        counted = ActionCounts(source=self.source.count, by_action=counts)
        result = RowChange(
            removed=() if change.marks else files,
            marked=self._mark() if change.marks else NOTHING_MARKED,
            written=new,
            changes=changes,
            rows=counted.rows(merge),
            new_first=True,
        )
        return result, counted

    @property
    def _change(self) -> ChangeStrategy:
        return self.found.strategy.change

    # -------------------------------------------------------------------------- new files

    def _parts(self, output: Output) -> Iterator[DataFrame]:
        """Yield the rows to be written: those of affected files, and those that are new."""
        affected = self.found.affected
        if affected.files.num_rows and self._change is not ChangeStrategy.MARK:
            scan = self.prepared.rows_of(affected.files)
            rows = with_row_ids(scan, self.prepared.target.metadata)
            changed = output.of_target(rows, is_ambiguous=affected.is_ambiguous)
            # With deletion vectors the copied rows stay in their files.
            yield changed.where(F.col(ACTION) > 0) if self._change.marks else changed
        new = self.found.source_rows_to_insert(self.source)
        if new is not None:
            yield output.of_source(new)

    def _write_rows(
        self, output: Output, parts: Sequence[DataFrame]
    ) -> tuple[WrittenFiles, list[AddCdcFile], dict[int, int]]:
        """Write rows by one job, which counts them by the clause that acted on each."""
        if not parts:
            return NOTHING_WRITTEN, [], {}
        merge, target = self.prepared.merge, self.prepared.target
        numbers = (0, *(clause.number for clause in merge))
        counts = {with_action(number): F.col(ACTION) == number for number in numbers}
        rows = with_counter(reduce(DataFrame.unionByName, parts), counts)
        # Deleted rows pass the counter first, which is why they are dropped only here.
        if not output.writes_changes:
            deleting = [clause.number for clause in merge if clause.kind == "delete"]
            rows = rows.where(~F.col(ACTION).isin(deleting)) if deleting else rows
        rows = output.written(self._repartition(rows))
        changes: list[AddCdcFile] = []
        if output.writes_changes:
            rows = with_mark(rows)
            new, changes = write_rows_and_changes(target, rows, in_place=True)
        else:
            new = write_rows(target, rows, in_place=True)
        counted = counts_of(rows)
        if not counted:
            # All rows of the affected files are deleted, which is counted where they were found.
            return new, changes, self.found.affected.counts(merge)
        return new, changes, {number: counted[with_action(number)] for number in numbers}

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
