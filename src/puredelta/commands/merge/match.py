"""Which rows of the target a MERGE touches: one job over the columns that its conditions name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.merge.resolve import Action, Resolved
from puredelta.commands.merge.scopes import Scope
from puredelta.commands.merge.source import SOURCE_ROW, Source
from puredelta.engine.row_files import places_of
from puredelta.engine.touched_rows import FILE, PLACE
from puredelta.errors.classes import DeltaUnsupportedOperationError
from puredelta.log.files import FILES
from puredelta.schema.column_path import quote_name
from puredelta.table.row_words import WORD_BITS

ACTION = "__merge_action"
"""The number of the clause that acts on a row."""

_USAGE = "https://docs.delta.io/latest/delta-update.html#upsert-into-a-table-using-merge"

# So many rows with several matches are shown.
_EXAMPLES = 10

_WORD, _MATCHES, _MATCHED, _CHANGED = "word", "matches", "matched", "changed"


def action_of(merge: Resolved) -> Column:
    """Return the number of the clause that acts on a row of the target; 0 where none does.

    Args:
        merge: the clauses, for rows of the target joined with the source, numbered.
    """
    has_match = F.col(SOURCE_ROW).isNotNull()
    return F.when(has_match, first_of(merge.matched)).otherwise(first_of(merge.by_source))


def first_of(actions: Sequence[Action]) -> Column:
    """Return the number of the first clause whose condition is true; 0 where there is none."""
    nothing = F.lit(0)
    return reduce(
        lambda rest, one: F.when(_condition(one), F.lit(one.number)).otherwise(rest),
        reversed(actions),
        nothing,
    )


def _condition(action: Action) -> Column:
    return F.lit(True) if action.condition is None else action.condition.column


@dataclass(frozen=True, slots=True)
class Matches:
    """The pairs of rows that match, and the rows of the target that change without a match.

    Attributes:
        rows: file, row, number of the row of the source, number of the clause that acts.
    """

    rows: DataFrame

    @property
    def source_rows(self) -> DataFrame:
        """The numbers of the rows of the source that have a match."""
        there = self.rows.where(F.col(SOURCE_ROW).isNotNull())
        return there.select(F.col(SOURCE_ROW).alias(f"{SOURCE_ROW}_matched"))

    def by_word(self, numbers: Iterable[int]) -> DataFrame:
        """Count them by file and word of rows, each of which is a bit of it.

        Args:
            numbers: of the clauses, which are counted, too.
        """
        has_match = F.col(SOURCE_ROW).isNotNull()
        bit = F.expr(f"shiftleft(1L, cast({PLACE} & {(1 << WORD_BITS) - 1} AS INT))")
        nothing = F.lit(0).cast("bigint")
        return self.rows.groupBy(FILE, F.shiftright(PLACE, WORD_BITS).alias(_WORD)).agg(
            F.count(SOURCE_ROW).alias(_MATCHES),
            F.bit_or(F.when(has_match, bit).otherwise(nothing)).alias(_MATCHED),
            F.bit_or(F.when(F.col(ACTION) > 0, bit).otherwise(nothing)).alias(_CHANGED),
            *(F.count_if(F.col(ACTION) == number).alias(_acted(number)) for number in numbers),
        )

    def ambiguous(
        self, target: DataFrame, scan: DataFrame, merge: Resolved
    ) -> DeltaUnsupportedOperationError:
        """Return the error that names rows of the target with several matches.

        Args:
            target: the rows of the target, with their places.
            scan: the same, with its columns alone.
            merge: the condition whose columns are told.
        """
        many = self.rows.where(F.col(SOURCE_ROW).isNotNull()).groupBy(FILE, PLACE).count()
        places = many.where("count > 1").limit(_EXAMPLES)
        same = [target[name] == places[name] for name in (FILE, PLACE)]
        scope, asked = Scope(scan), merge.on.column_ids
        names = [name for name in scan.columns if scope.attribute(name).column_ids & asked]
        found = target.join(places, same, "left_semi").select(*map(quote_name, names)).collect()
        told = [", ".join(f"{name} = {row[name]}" for name in names) for row in found]
        return DeltaUnsupportedOperationError(
            "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE",
            rows="; ".join(sorted(told)),
            usageReference=_USAGE,
        )


def find_matches(target: DataFrame, source: Source, merge: Resolved) -> Matches:
    """Join the two sides; nothing runs yet.

    Args:
        target: rows with their places.
        source: the other side.
        merge: the conditions.
    """
    how = "left" if merge.by_source else "inner"
    pairs = target.join(source.joined, merge.on.column, how).select(
        FILE, PLACE, SOURCE_ROW, action_of(merge).alias(ACTION)
    )
    concerned = F.col(SOURCE_ROW).isNotNull() | (F.col(ACTION) > 0)
    return Matches(pairs.where(concerned) if merge.by_source else pairs)


@dataclass(frozen=True, slots=True)
class Touched:
    """What a MERGE does to the rows that the target has.

    Attributes:
        files: those in which rows change, as `log.files.FILES`.
        is_ambiguous: some row of the target has several matches.
        matched: how many rows of the target have a match.
        by_action: how many pairs each clause acts on, by its number.
    """

    files: pa.Table = field(repr=False)
    is_ambiguous: bool
    matched: int
    by_action: Mapping[int, int]

    def counts(self, merge: Resolved) -> dict[int, int]:
        """Return how many rows each clause acts on, by its number; several matches are one."""
        if not self.is_ambiguous:
            return dict(self.by_action)
        # Then no more than one clause is for matches, and it deletes them all.
        return {**self.by_action, **{delete.number: self.matched for delete in merge.matched}}


NOTHING_TOUCHED = Touched(files=FILES.empty_table(), is_ambiguous=False, matched=0, by_action={})


def touched_files(matches: Matches, merge: Resolved, candidates: pa.Table, root: str) -> Touched:
    """Find the files in which rows change; runs the job.

    Args:
        matches: the pairs.
        merge: the clauses.
        candidates: the files that were looked at.
        root: the table's folder, as Hadoop names it.
    """
    numbers = [one.number for one in (*merge.matched, *merge.by_source)]
    matched = F.bit_count(_MATCHED)
    by_file = (
        matches.by_word(numbers)
        .groupBy(FILE)
        .agg(
            F.sum(F.bit_count(_CHANGED)).alias(_CHANGED),
            F.sum(matched).alias(_MATCHED),
            F.bool_or(F.col(_MATCHES) > matched).alias("is_ambiguous"),
            *(F.sum(_acted(number)).alias(_acted(number)) for number in numbers),
        )
    )
    found = by_file.collect()
    places = places_of([row[FILE] for row in found if row[_CHANGED]], candidates, root)
    order = pc.array_sort_indices(places)
    return Touched(
        files=candidates.take(places.take(order)),
        is_ambiguous=any(row["is_ambiguous"] for row in found),
        matched=sum(row[_MATCHED] for row in found),
        by_action={number: sum(row[_acted(number)] for row in found) for number in numbers},
    )


def _acted(number: int) -> str:
    return f"action_{number}"
