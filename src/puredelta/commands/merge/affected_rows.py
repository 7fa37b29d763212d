"""Which rows of the target a MERGE touches: one job over the columns that its conditions name."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc
from pyroaring import BitMap64
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.merge.join import (
    MATCHED,
    MATCHES,
    SOURCE,
    Matches,
    with_action,
)
from puredelta.commands.merge.resolved_clauses import Resolved
from puredelta.commands.merge.source import SOURCE_ROW
from puredelta.engine.dml.affected_rows import (
    BITS,
    FILE,
    WORD,
    rows_of_words,
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
        rows: which rows of each change; None where nobody asked.
        is_ambiguous: some row of the target has several matches.
        matched: how many rows of the target have a match.
        by_action: how many pairs each clause acts on, by its number.
        source_rows: the numbers of the rows of the source that have a match; None where nobody
            asked.
    """

    files: pa.Table = field(repr=False)
    rows: tuple[BitMap64, ...] | None = field(default=None, repr=False)
    is_ambiguous: bool
    matched: int
    by_action: Mapping[int, int]
    source_rows: frozenset[int] | None = field(default=None, repr=False)

    def counts(self, merge: Resolved) -> dict[int, int]:
        """Return how many rows each clause acts on, by its number; several matches are one."""
        if not self.is_ambiguous:
            return dict(self.by_action)
        # Then no more than one clause is for matches, and it deletes them all.
        return {**self.by_action, **{delete.number: self.matched for delete in merge.matched}}


NO_ROWS = MergeRows(files=FILES.empty_table(), is_ambiguous=False, matched=0, by_action={})


def find_merge_rows(
    matches: Matches, merge: Resolved, candidates: pa.Table, root: str, *, with_source: bool
) -> MergeRows:
    """Find the rows that change, and the files they are in; runs the job.

    Args:
        matches: the pairs.
        merge: the clauses.
        candidates: the files that were looked at.
        root: the table's folder, as Hadoop names it.
        with_source: tell the rows of the source, too.

    Raises:
        DeltaIllegalStateError: PUREDELTA_STRANGE_FILE: Spark read a file by another name.
    """
    numbers = _numbers(merge)
    words = plan_in_this_thread(matches.by_word(numbers, with_source=with_source)).toArrow()
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


def affected_files(
    matches: Matches, merge: Resolved, candidates: pa.Table, root: str, *, with_source: bool
) -> MergeRows:
    """Find the files in which rows change: fewer than words of rows; runs the job.

    Args:
        matches: the pairs.
        merge: the clauses.
        candidates: the files that were looked at.
        root: the table's folder, as Hadoop names it.
        with_source: tell the rows of the source, too.
    """
    numbers = _numbers(merge)
    words = matches.by_word(numbers, with_source=with_source)
    sums = [MATCHED, *map(with_action, numbers)]
    if with_source:
        # So a file has no more of them at once than the source.
        listed = F.posexplode_outer(SOURCE).alias(_PLACE, SOURCE_ROW)
        words = words.select(FILE, BITS, MATCHES, *sums, listed)
    once = F.coalesce(F.col(_PLACE), F.lit(0)) == 0 if with_source else F.lit(True)
    by_file = words.groupBy(FILE).agg(
        F.bool_or(F.col(BITS) != 0).alias(_CHANGED),
        F.bool_or(F.col(MATCHES) > F.col(MATCHED)).alias(_AMBIGUOUS),
        *(F.sum(F.when(once, F.col(name))).alias(name) for name in sums),
        *([F.collect_set(SOURCE_ROW).alias(SOURCE)] if with_source else []),
    )
    found = by_file.collect()
    places = file_positions([row[FILE] for row in found if row[_CHANGED]], candidates, root)
    order = pc.array_sort_indices(places)
    return MergeRows(
        files=candidates.take(places.take(order)),
        is_ambiguous=any(row[_AMBIGUOUS] for row in found),
        matched=sum(row[MATCHED] for row in found),
        by_action={number: sum(row[with_action(number)] for row in found) for number in numbers},
        source_rows=frozenset().union(*(row[SOURCE] for row in found)) if with_source else None,
    )


def _numbers(merge: Resolved) -> list[int]:
    return [clause.number for clause in (*merge.matched, *merge.by_source)]


def _sum(words: pa.Table, name: str) -> int:
    return int(pc.sum(words[name]).as_py() or 0)


def _distinct(words: pa.Table) -> list[int]:
    numbers: list[int] = pc.unique(pc.list_flatten(words[SOURCE])).to_pylist()
    return numbers
