"""The pairs of rows of target and source that match in a MERGE, and which clauses act on them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.dml.row_change import RowCounts
from puredelta.commands.dml.scopes import Scope
from puredelta.commands.merge.resolved_clauses import Action, ResolvedMerge
from puredelta.commands.merge.source import SOURCE_ROW, Source
from puredelta.engine.dml.affected_rows import (
    BITS,
    FILE,
    PLACE,
    bit_of_row,
    word_of_row,
)
from puredelta.errors.classes import DeltaUnsupportedOperationError
from puredelta.schema.column_path import quote_name

ACTION = "__puredelta_merge_action"
"""The number of the clause that acts on a row."""

_SOURCE_ROW_MATCHED = f"{SOURCE_ROW}_matched"

_USAGE = "https://docs.delta.io/latest/delta-update.html#upsert-into-a-table-using-merge"

# So many rows with several matches are shown.
_EXAMPLES = 10

MATCHES, MATCHED, SOURCE = "matches", "matched", "source_rows"
"""Columns of `by_word`: how many pairs of how many target rows, which of the source."""


def action_column(merge: ResolvedMerge) -> Column:
    """Return the number of the clause that acts on a row of the target; 0 where none does.

    Args:
        merge: the clauses, for rows of the target joined with the source, numbered.
    """
    # The number of the source row is never null in the source, so null after an outer join proves
    # that there is no match, whatever values the row itself has.
    has_match = F.col(SOURCE_ROW).isNotNull()
    return F.when(has_match, first_of(merge.matched)).otherwise(first_of(merge.by_source))


def first_of(actions: Sequence[Action]) -> Column:
    """Return the number of the first clause whose condition is true; 0 where there is none."""
    # The nested WHEN is built from the last clause outwards, so that the first one is asked first.
    nothing = F.lit(0)
    return reduce(
        lambda rest, action: F.when(_condition(action), F.lit(action.number)).otherwise(rest),
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

    def lacking(self, source: Source) -> DataFrame:
        """Return the rows of the source that have no match."""
        matched = self.rows.where(F.col(SOURCE_ROW).isNotNull())
        matched = matched.select(F.col(SOURCE_ROW).alias(_SOURCE_ROW_MATCHED))
        # Rows are compared by number, not by ON: equal rows of the source are still two rows.
        same = F.col(SOURCE_ROW) == F.col(_SOURCE_ROW_MATCHED)
        return source.frame.join(matched, same, "left_anti")

    def by_word(self, numbers: Iterable[int], *, with_source: bool) -> DataFrame:
        """Count them by words of neighbouring rows of a file.

        Args:
            numbers: of the clauses; how often each one acts is counted under `acted(number)`.
            with_source: list the rows of the source, too.

        Returns:
            `FILE`, `WORD`, in `BITS` the rows that change, `MATCHES`, `MATCHED`, counts of clauses,
            and `SOURCE` if asked.
        """
        bit, nothing = bit_of_row(), F.lit(0).cast("bigint")
        # `count` counts pairs and `bit_count` rows: they differ where a row has several matches.
        matched = F.bit_or(F.when(F.col(SOURCE_ROW).isNotNull(), bit).otherwise(nothing))
        changed = F.bit_or(F.when(F.col(ACTION) > 0, bit).otherwise(nothing))
        # A source row matches many target rows; a set names it once in each word.
        listed = [F.collect_set(SOURCE_ROW).alias(SOURCE)] if with_source else []
        return self.rows.groupBy(FILE, word_of_row()).agg(
            changed.alias(BITS),
            F.count(SOURCE_ROW).alias(MATCHES),
            F.bit_count(matched).cast("bigint").alias(MATCHED),
            *(F.count_if(F.col(ACTION) == number).alias(with_action(number)) for number in numbers),
            *listed,
        )

    def ambiguous(
        self, target: DataFrame, scan: DataFrame, merge: ResolvedMerge
    ) -> DeltaUnsupportedOperationError:
        """Return the error that names rows of the target with several matches.

        Args:
            target: the rows of the target, with their places.
            scan: the same, with its columns alone.
            merge: the condition whose columns are listed.
        """
        # The matches are read again for the names of the rows: only a MERGE that fails pays for it.
        many = self.rows.where(F.col(SOURCE_ROW).isNotNull()).groupBy(FILE, PLACE).count()
        places = many.where("count > 1").limit(_EXAMPLES)
        same = [target[name] == places[name] for name in (FILE, PLACE)]
        scope, asked = Scope(scan), merge.on.column_ids
        names = [name for name in scan.columns if scope.attribute(name).column_ids & asked]
        found = target.join(places, same, "left_semi").select(*map(quote_name, names)).collect()
        keys = [", ".join(f"{name} = {row[name]}" for name in names) for row in found]
        return DeltaUnsupportedOperationError(
            "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE",
            rows="; ".join(sorted(keys)),
            usageReference=_USAGE,
        )


def find_matches(target: DataFrame, source: Source, merge: ResolvedMerge) -> Matches:
    """Join the two sides; nothing runs yet.

    Args:
        target: rows with their places.
        source: the other side.
        merge: the conditions.
    """
    # Rows without a match are needed only by clauses NOT MATCHED BY SOURCE; without them an
    # inner join lets Spark broadcast either side.
    how = "left" if merge.by_source else "inner"
    pairs = target.join(source.joined, merge.on.column, how).select(
        FILE, PLACE, SOURCE_ROW, action_column(merge).alias(ACTION)
    )
    # Unmatched rows on which no clause acts would only enlarge what is cached and counted.
    concerned = F.col(SOURCE_ROW).isNotNull() | (F.col(ACTION) > 0)
    return Matches(pairs.where(concerned) if merge.by_source else pairs)


def with_action(number: int) -> str:
    """Return the name of the column that counts how often a clause acts."""
    return f"action_{number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionCounts:
    """How many rows each clause acted on.

    Attributes:
        source: how many rows the source has.
        by_action: how many rows a clause acted on, by its number; under 0 those that were copied.
    """

    source: int
    by_action: Mapping[int, int]

    def of(self, merge: ResolvedMerge, kind: str, *, by_source: bool | None = None) -> int:
        """Return how many rows clauses of a kind acted on.

        Args:
            merge: the clauses.
            kind: `update`, `delete` or `insert`.
            by_source: only those of WHEN NOT MATCHED BY SOURCE, or only the others.
        """
        return sum(
            self.by_action.get(clause.number, 0)
            for clause in merge
            if clause.kind == kind and by_source in (None, clause.by_source)
        )

    def rows(self, merge: ResolvedMerge) -> RowCounts:
        """Return them by what happened to them."""
        return RowCounts(
            deleted=self.of(merge, "delete"),
            updated=self.of(merge, "update"),
            inserted=self.of(merge, "insert"),
            copied=self.by_action.get(0, 0),
        )
