"""The search of a MERGE: which strategy it follows, which rows match, and which are affected."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyroaring import BitMap64
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.dml.dml_target import DmlTarget
from puredelta.commands.merge.file_pruning import Candidates, choose_candidates
from puredelta.commands.merge.join import (
    MATCHED,
    MATCHES,
    SOURCE,
    Matches,
    find_matches,
    with_action,
)
from puredelta.commands.merge.key_search import Pairs, key_search
from puredelta.commands.merge.prepare import PreparedMerge
from puredelta.commands.merge.resolved_clauses import ResolvedMerge
from puredelta.commands.merge.source import SOURCE_ROW, Source
from puredelta.commands.merge.strategy import (
    Insertion,
    MergeFacts,
    MergeStrategy,
    Search,
    choose_strategy,
)
from puredelta.commands.rows.file_writing import has_change_feed
from puredelta.engine.dml.affected_rows import (
    BITS,
    FILE,
    WORD,
    rows_of_words,
    with_row_positions,
)
from puredelta.engine.dml.row_locations import file_positions
from puredelta.engine.session.snapshot_pinning import plan_in_this_thread
from puredelta.log.files import FILES

_CHANGED, _AMBIGUOUS, _PLACE = "changed", "is_ambiguous", "place"


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRows:
    """What a MERGE does to the rows that the target has.

    Attributes:
        files: those in which rows change, as `log.files.FILES`.
        rows: which rows of each change; None where the search was for files alone.
        is_ambiguous: some row of the target has several matches.
        matched: how many rows of the target have a match.
        by_action: how many pairs each clause acts on, by its number.
        source_rows: the numbers of the rows of the source that have a match; None where the
            search does not list them.
    """

    files: pa.Table = field(repr=False)
    rows: tuple[BitMap64, ...] | None = field(default=None, repr=False)
    is_ambiguous: bool
    matched: int
    by_action: Mapping[int, int]
    source_rows: frozenset[int] | BitMap64 | None = field(default=None, repr=False)

    def counts(self, merge: ResolvedMerge) -> dict[int, int]:
        """Return how many rows each clause acts on, by its number; several matches are one."""
        if not self.is_ambiguous:
            return dict(self.by_action)
        # Then no more than one clause is for matches, and it deletes them all.
        return {**self.by_action, **{delete.number: self.matched for delete in merge.matched}}


NO_ROWS = MergeRows(files=FILES.empty_table(), is_ambiguous=False, matched=0, by_action={})


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """What a MERGE does to the rows of its target, before anything is written.

    Attributes:
        strategy: how the MERGE goes on.
        candidates: the files that were searched.
        matches: the pairs of rows that match; None where no file can have one, and where the driver
            found them.
        affected: the files in which rows change.
    """

    strategy: MergeStrategy
    candidates: Candidates
    matches: Matches | None = None
    affected: MergeRows = NO_ROWS

    def source_rows_to_insert(self, source: Source) -> DataFrame | None:
        """Return the rows of the source without a match; None where none is inserted."""
        match self.strategy.insertion:
            case Insertion.ALL:
                return source.frame
            case Insertion.UNLISTED:
                listed = self.affected.source_rows or frozenset()
                return source.without(listed) if source.count > len(listed) else None
            case Insertion.UNMATCHED if self.matches is not None:
                return self.matches.lacking(source)
        return None


@contextmanager
def search(prepared: PreparedMerge, source: Source, *, takes_many: bool) -> Iterator[MatchResult]:
    """Find the rows of the target that change; matches are cached in this context if need be.

    Args:
        prepared: the target and the clauses.
        source: the rows that are merged.
        takes_many: a row of the target may have several matches.

    Raises:
        DeltaUnsupportedOperationError:
            DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE.
    """
    candidates = choose_candidates(prepared, source)
    by_keys = key_search(prepared, source, candidates) if candidates.files.num_rows else None
    pairs = None if by_keys is None else by_keys.run()
    facts = replace(_facts(prepared, source, candidates), finds_keys=pairs is not None)
    strategy = choose_strategy(facts)
    if pairs is not None:
        affected = _rows_of_pairs(pairs, prepared.merge, candidates.files)
        if affected.is_ambiguous and not takes_many:
            rows = _rows_to_join(prepared, candidates)
            matches = find_matches(rows, source, prepared.merge)
            raise matches.ambiguous(rows, prepared.scan, prepared.merge)
        yield MatchResult(strategy=strategy, candidates=candidates, affected=affected)
        return
    if not strategy.joins:
        yield MatchResult(strategy=strategy, candidates=candidates)
        return
    rows = _rows_to_join(prepared, candidates)
    matches = find_matches(rows, source, prepared.merge)
    # Blocks that do not fit memory go to disk: computing them again is a join.
    if strategy.caches_matches:
        matches.rows.persist(StorageLevel.MEMORY_AND_DISK)
    try:
        affected = _find_affected(prepared, strategy, candidates, matches)
        # SQL leaves open which of several matches counts; every DELETE of the row means the same.
        if affected.is_ambiguous and not takes_many:
            raise matches.ambiguous(rows, prepared.scan, prepared.merge)
        yield MatchResult(
            strategy=strategy, candidates=candidates, matches=matches, affected=affected
        )
    finally:
        if strategy.caches_matches:
            matches.rows.unpersist()


def _rows_to_join(prepared: PreparedMerge, candidates: Candidates) -> DataFrame:
    rows = prepared.rows_of(candidates.files)
    if candidates.condition is not None:
        # The condition selected the files; in the scan it also lets Spark skip row groups.
        rows = rows.where(candidates.condition)
    return with_row_positions(rows)


def _facts(prepared: PreparedMerge, source: Source, candidates: Candidates) -> MergeFacts:
    merge, target = prepared.merge, prepared.target
    changing = (*merge.matched, *merge.by_source)
    settings = target.context.settings
    # An updated row is written in any case; a deleted row only for the change data feed.
    updates = any(clause.kind == "update" for clause in changing)
    return MergeFacts(
        changes_matches=bool(merge.matched),
        changes_others=bool(merge.by_source),
        inserts=bool(merge.not_matched),
        writes_changes=updates or has_change_feed(target),
        marks=DmlTarget(target).has_vectors and settings.merge_vectors,
        source_rows=source.count,
        candidate_files=candidates.files.num_rows,
        # Statistics are parsed for it, which is left out where nothing depends on it.
        candidate_rows=candidates.row_count if changing else None,
    )


def _find_affected(
    prepared: PreparedMerge, strategy: MergeStrategy, candidates: Candidates, matches: Matches
) -> MergeRows:
    if strategy.search is Search.NONE:
        return NO_ROWS
    find = _find_rows if strategy.search is Search.ROWS else _find_files
    root = prepared.target.table.root
    with_source = strategy.lists_source_rows
    return find(matches, prepared.merge, candidates.files, root, with_source=with_source)


# ---------------------------------------------------------- the searches for affected rows


def _rows_of_pairs(pairs: Pairs, merge: ResolvedMerge, candidates: pa.Table) -> MergeRows:
    """Return what a MERGE does to rows that match; its first clause for them is for all of them."""
    count = len(pairs.files)
    acting = merge.matched[:1]
    changed = list(pairs.by_file()) if acting else []
    return MergeRows(
        files=candidates.take([file for file, _ in changed]) if changed else candidates.slice(0, 0),
        rows=tuple(rows for _, rows in changed),
        is_ambiguous=pairs.repeats > 0,
        matched=count - pairs.repeats,
        by_action={**dict.fromkeys(_numbers(merge), 0), **{one.number: count for one in acting}},
        source_rows=BitMap64(np.unique(pairs.source_rows).tolist()),
    )


def _find_rows(
    matches: Matches, merge: ResolvedMerge, candidates: pa.Table, root: str, *, with_source: bool
) -> MergeRows:
    """Find the rows that change, and the files they are in; runs the job.

    Args:
        matches: the pairs.
        merge: the clauses.
        candidates: the files that were looked at.
        root: the table's folder, as Hadoop names it.
        with_source: list the rows of the source, too.

    Raises:
        DeltaIllegalStateError: PUREDELTA_STRANGE_FILE: Spark read a file by another name.
    """
    numbers = _numbers(merge)
    words = plan_in_this_thread(matches.by_word(numbers, with_source=with_source)).toArrow()
    # Words without a changed row stay out: a match on which no clause acts leaves its row alone.
    changed = words.filter(pc.not_equal(words[BITS], 0)).select([FILE, WORD, BITS])
    rows = rows_of_words(changed, candidates, root)
    return MergeRows(
        files=rows.files,
        rows=rows.rows,
        is_ambiguous=bool(pc.any(pc.greater(words[MATCHES], words[MATCHED])).as_py()),
        matched=_sum(words, MATCHED),
        by_action={number: _sum(words, with_action(number)) for number in numbers},
        source_rows=frozenset(_distinct(words)) if with_source else None,
    )


def _find_files(
    matches: Matches, merge: ResolvedMerge, candidates: pa.Table, root: str, *, with_source: bool
) -> MergeRows:
    """Find the files in which rows change: fewer than words of rows; runs the job.

    Args:
        matches: the pairs.
        merge: the clauses.
        candidates: the files that were looked at.
        root: the table's folder, as Hadoop names it.
        with_source: list the rows of the source, too.
    """
    numbers = _numbers(merge)
    words = matches.by_word(numbers, with_source=with_source)
    sums = [MATCHED, *map(with_action, numbers)]
    if with_source:
        # So a file has no more of them at once than the source.
        listed = F.posexplode_outer(SOURCE).alias(_PLACE, SOURCE_ROW)
        words = words.select(FILE, BITS, MATCHES, *sums, listed)
    # `posexplode_outer` repeats a word for each of its source rows; the first one counts.
    once = F.coalesce(F.col(_PLACE), F.lit(0)) == 0 if with_source else F.lit(True)
    by_file = words.groupBy(FILE).agg(
        F.bool_or(F.col(BITS) != 0).alias(_CHANGED),
        F.bool_or(F.col(MATCHES) > F.col(MATCHED)).alias(_AMBIGUOUS),
        *(F.sum(F.when(once, F.col(name))).alias(name) for name in sums),
        *([F.collect_set(SOURCE_ROW).alias(SOURCE)] if with_source else []),
    )
    found = by_file.collect()
    places = file_positions([row[FILE] for row in found if row[_CHANGED]], candidates, root)
    # The job returns files in any order; sorted, the commit lists them as the snapshot does.
    order = pc.array_sort_indices(places)
    return MergeRows(
        files=candidates.take(places.take(order)),
        is_ambiguous=any(row[_AMBIGUOUS] for row in found),
        matched=sum(row[MATCHED] for row in found),
        by_action={number: sum(row[with_action(number)] for row in found) for number in numbers},
        source_rows=frozenset().union(*(row[SOURCE] for row in found)) if with_source else None,
    )


def _numbers(merge: ResolvedMerge) -> list[int]:
    return [clause.number for clause in (*merge.matched, *merge.by_source)]


def _sum(words: pa.Table, name: str) -> int:
    return int(pc.sum(words[name]).as_py() or 0)


def _distinct(words: pa.Table) -> list[int]:
    numbers: list[int] = pc.unique(pc.list_flatten(words[SOURCE])).to_pylist()
    return numbers
