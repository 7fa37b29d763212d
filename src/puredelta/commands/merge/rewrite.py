"""The files of a MERGE: which rows change is found out, then new files and vectors are written."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce

from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.dml.dml_target import DmlTarget
from puredelta.commands.dml.row_change import RowChange
from puredelta.commands.merge.affected_rows import (
    NO_ROWS,
    MergeRows,
    affected_files,
    find_merge_rows,
)
from puredelta.commands.merge.file_pruning import Candidates, candidate_files_of
from puredelta.commands.merge.join import ACTION, Matches, find_matches
from puredelta.commands.merge.metrics import Counted
from puredelta.commands.merge.output_rows import Output
from puredelta.commands.merge.prepare import Prepared
from puredelta.commands.merge.source import Source
from puredelta.commands.rows.change_files import has_change_feed, write_rows_and_changes
from puredelta.commands.rows.file_writing import in_fewer_tasks, is_optimized, write_rows
from puredelta.commands.rows.row_constraints import requirements_of
from puredelta.engine.dml.affected_rows import (
    FILE,
    PLACE,
    find_affected_rows,
    has_few_rows,
    with_row_positions,
)
from puredelta.engine.scan.row_id_columns import row_id_columns, with_row_ids
from puredelta.engine.write.change_data import with_mark
from puredelta.engine.write.footers import NOTHING_WRITTEN, WrittenFiles
from puredelta.engine.write.observed_counts import counts_of, with_counter
from puredelta.engine.write.optimized_write import rebalance
from puredelta.log.actions import AddCdcFile
from puredelta.log.files import FILES, add_files
from puredelta.table.deletion_vectors.writing import NOTHING_MARKED, MarkedFiles

# A task that writes reads about so much, where the target is not partitioned.
_TASK_BYTES = 8 << 20


# What changes in so many is given by rows, and not by files: that takes one job less.
_FEW_ROWS = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """What a MERGE does to the rows of its target, before anything is written.

    Attributes:
        looked: the files that were looked at.
        matches: the pairs of rows that match; None where no file can have one.
        touched: the files in which rows change.
    """

    looked: Candidates
    matches: Matches | None
    touched: MergeRows = NO_ROWS

    def without_match(self, source: Source) -> DataFrame:
        """Return the rows of the source that have no match."""
        known = self.touched.source_rows
        if known is not None:
            return source.without(known)
        return source.frame if self.matches is None else self.matches.lacking(source)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeExecutor:
    """Writes the files of a MERGE.

    Attributes:
        prepared: what is to be done.
        source: the rows that are merged.
    """

    prepared: Prepared
    source: Source

    @property
    def uses_vectors(self) -> bool:
        """Whether rows that change are taken out of their files by deletion vectors."""
        target = self.prepared.target
        return DmlTarget(target).has_vectors and target.context.settings.merge_vectors

    @contextmanager
    def found(self, *, takes_many: bool) -> Iterator[MatchResult]:
        """Find out which rows of the target change; what was found is held in this context.

        Args:
            takes_many: a row of the target may have several matches.

        Raises:
            DeltaUnsupportedOperationError:
                DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE.
        """
        prepared, merge = self.prepared, self.prepared.merge
        if not self.source.count and not merge.by_source:
            yield MatchResult(looked=Candidates(files=FILES.empty_table()), matches=None)
            return
        looked = candidate_files_of(prepared, self.source)
        if not looked.files.num_rows:
            yield MatchResult(looked=looked, matches=None)
            return
        rows = prepared.rows_of(looked.files)
        # The scan may skip parts of files by it.
        rows = with_row_positions(
            rows if looked.condition is None else rows.where(looked.condition)
        )
        matches = find_matches(rows, self.source, merge)
        if not merge.matched and not merge.by_source:
            yield MatchResult(looked=looked, matches=matches)
            return
        # Few rows are listed; for many, who inserts asks for the pairs again, and so do vectors.
        lists = self.source.is_short and bool(merge.not_matched) and not merge.by_source
        finds_rows = self.uses_vectors and has_few_rows(looked.files)
        again = (bool(merge.not_matched) and not lists) or (self.uses_vectors and not finds_rows)
        if again:
            matches.rows.persist(StorageLevel.MEMORY_AND_DISK)
        try:
            lists_words = finds_rows or has_few_rows(looked.files, _FEW_ROWS)
            find = find_merge_rows if lists_words else affected_files
            root = prepared.target.table.root
            touched = find(matches, merge, looked.files, root, with_source=lists)
            if touched.is_ambiguous and not takes_many:
                raise matches.ambiguous(rows, prepared.scan, merge)
            yield MatchResult(looked=looked, matches=matches, touched=touched)
        finally:
            if again:
                matches.rows.unpersist()

    def output(self) -> Output:
        """Say how rows are made."""
        prepared = self.prepared
        target = prepared.target
        return Output(
            merge=prepared.merge,
            source=self.source,
            columns=prepared.columns,
            demands=requirements_of(target.metadata.configuration, target.before),
            row_ids=row_id_columns(target.metadata),
            tells_changes=has_change_feed(target),
        )

    def written(self, output: Output, found: MatchResult) -> tuple[RowChange, Counted]:
        """Write new files and vectors; no reader sees them before a commit names them.

        Args:
            output: how rows are made.
            found: which rows of the target change.
        """
        files = add_files(found.touched.files)
        if not files:
            # New files say by themselves what came.
            output = replace(output, tells_changes=False)
        parts = list(self._parts(output, found))
        new, changes, counts = self._files(output, found, parts)
        if not self._writes_touched(output):
            # What nobody writes is counted where it was found.
            counts |= found.touched.counts(self.prepared.merge)
        counted = Counted(source=self.source.count, by_action=counts)
        change = RowChange(
            removed=() if self.uses_vectors else files,
            marked=self._marked(found) if self.uses_vectors else NOTHING_MARKED,
            written=new,
            changes=changes,
            rows=counted.rows(self.prepared.merge),
            new_first=True,
        )
        return change, counted

    def _parts(self, output: Output, found: MatchResult) -> Iterator[DataFrame]:
        """Yield the rows to be written: those of touched files, and those that are new."""
        prepared, merge = self.prepared, self.prepared.merge
        if found.touched.files.num_rows and self._writes_touched(output):
            scan = prepared.rows_of(found.touched.files)
            rows = with_row_ids(scan, prepared.target.metadata)
            changed = output.of_target(rows, is_ambiguous=found.touched.is_ambiguous)
            yield changed.where(F.col(ACTION) > 0) if self.uses_vectors else changed
        if merge.not_matched and self.source.count > len(found.touched.source_rows or ()):
            yield output.of_source(found.without_match(self.source))

    def _writes_touched(self, output: Output) -> bool:
        """Say whether rows of touched files are written: not where vectors only delete."""
        changing = (*self.prepared.merge.matched, *self.prepared.merge.by_source)
        updates = any(clause.kind == "update" for clause in changing)
        return updates or output.tells_changes or not self.uses_vectors

    def _files(
        self, output: Output, found: MatchResult, parts: Sequence[DataFrame]
    ) -> tuple[WrittenFiles, list[AddCdcFile], dict[int, int]]:
        """Write rows by one job, which counts them by the clause that acted on each."""
        if not parts:
            return NOTHING_WRITTEN, [], {}
        merge, target = self.prepared.merge, self.prepared.target
        numbers = (0, *(clause.number for clause in merge))
        counts = {f"action_{number}": F.col(ACTION) == number for number in numbers}
        rows = with_counter(reduce(DataFrame.unionByName, parts), counts)
        if not output.tells_changes:
            deleting = [clause.number for clause in merge if clause.kind == "delete"]
            rows = rows.where(~F.col(ACTION).isin(deleting)) if deleting else rows
        rows = output.written(self._together(rows, found))
        changes: list[AddCdcFile] = []
        if output.tells_changes:
            rows = with_mark(rows)
            new, changes = write_rows_and_changes(target, rows, in_place=True)
        else:
            new = write_rows(target, rows, in_place=True)
        counted = counts_of(rows)
        if not counted:
            # All rows of the touched files are deleted, which is counted where they were found.
            return new, changes, found.touched.counts(merge)
        return new, changes, {number: counted[f"action_{number}"] for number in numbers}

    def _together(self, rows: DataFrame, found: MatchResult) -> DataFrame:
        """Bring rows together, so that few and not too small files are written."""
        target = self.prepared.target
        settings, columns = target.context.settings, target.metadata.partition_columns
        if is_optimized(target.options, settings, target.metadata):
            return in_fewer_tasks(rows, target.options, settings, target.metadata)
        size = sum(file.size for file in add_files(found.touched.files))
        if columns or (self.uses_vectors and size > _TASK_BYTES):
            # Few rows of those that are read are written.
            return rebalance(rows, columns, settings.optimize_write_bin << 20)
        return rows.coalesce(1 + (size + self.source.bytes) // _TASK_BYTES)

    def _marked(self, found: MatchResult) -> MarkedFiles:
        """Take the rows that change out of their files by deletion vectors."""
        files, rows = found.touched.files, found.touched.rows
        if found.matches is None or not files.num_rows:
            return NOTHING_MARKED
        if rows is None:
            changed = found.matches.rows.where(F.col(ACTION) > 0).select(FILE, PLACE)
            gone = find_affected_rows(changed, files, self.prepared.target.table.root)
            files, rows = gone.files, gone.rows
        subject = DmlTarget(self.prepared.target)
        return subject.vectors.mark(add_files(files), rows, subject.counts(files))
