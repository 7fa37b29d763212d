"""`DeltaTable.upsert`: rows that are there are updated, others are inserted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from operator import and_

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.commit_stats import CommitOutcome
from puredelta.commands.dml.dry_run import ChangePlan
from puredelta.commands.expression_arguments import Expression
from puredelta.commands.keyed.keys import (
    all_same,
    check_keys_differ,
    key_columns,
    last_of_each_key,
    of,
    same_key,
)
from puredelta.commands.merge.dry_run import merge_plan
from puredelta.commands.merge.merge import Merge
from puredelta.commands.merge.request import (
    ClauseAssignment,
    InsertClause,
    MergeClauses,
    UpdateClause,
)
from puredelta.commands.table_ref import TableRef
from puredelta.engine.session.context import Context
from puredelta.engine.session.table_reads import plan_reads_table
from puredelta.engine.write.cached_rows import cached

_THERE, _GIVEN = "__there", "__given"


@dataclass(frozen=True, slots=True, kw_only=True)
class Upserted(CommitOutcome):
    """What `upsert` did.

    Attributes:
        version: the version that was made; the newest one when nothing changed.
        changed: whether a version was made.
        inserted: how many rows were inserted.
        updated: how many rows got the values that were given.
    """

    inserted: int
    updated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Upsert:
    """Rows to be updated or inserted by their key.

    Attributes:
        table: the target.
        frame: the rows.
        key: the columns that identify rows.
        order_by: which of several rows with one key counts: the row with the maximum.
        evolve: let the table grow by columns that it lacks.
        skip_unchanged: leave rows alone that have all the values already.
        newer_by: a column of both sides; a row that the table has is updated only where the one
            that is given has more in it. Null is less than all.
        app: id and version of the writing application; None: as the session says.
        reads_target: the rows are made of rows of the table, though their plan does not show it.
    """

    table: TableRef
    frame: DataFrame
    key: str | Sequence[str]
    order_by: Expression | None = None
    evolve: bool = False
    skip_unchanged: bool = False
    newer_by: str | None = None
    app: tuple[str, int] | None = None
    reads_target: bool = False

    def run(self, context: Context) -> Upserted:
        """Update and insert, in one version.

        Args:
            context: the table's session, whose settings hold; that of the rows may be another.

        Raises:
            ValueError: no column is named as the key.
            DeltaRuntimeError: PUREDELTA_DUPLICATE_KEYS.
            DeltaError: what MERGE raises.
        """
        with self._merge() as merge:
            done = merge.run(context)
        counts = done.row
        return Upserted(
            version=done.version,
            inserted=counts["num_inserted_rows"],
            updated=counts["num_updated_rows"],
            changed=done.changed,
        )

    def plan(self, context: Context) -> ChangePlan:
        """Find out what would change; nothing is written.

        Args:
            context: as for `run`.

        Raises:
            ValueError, DeltaError: as `run`.
        """
        with self._merge() as merge:
            return merge_plan(merge, context)

    @contextmanager
    def _merge(self) -> Iterator[Merge]:
        """Yield the MERGE that it is; the rows are held meanwhile."""
        names = key_columns(self.key)
        if self.order_by is not None:
            yield self._merge_of(last_of_each_key(self.frame, names, self.order_by), names)
            return
        # The check and the MERGE read the rows; a frame that is computed again might differ.
        with cached(self.frame) as rows:
            check_keys_differ(rows, names, "upsert")
            yield self._merge_of(rows, names)

    def _merge_of(self, rows: DataFrame, names: Sequence[str]) -> Merge:
        return Merge(
            table=self.table,
            source=rows.alias(_GIVEN),
            condition=same_key(_THERE, _GIVEN, names),
            clauses=self._clauses(rows.columns, names),
            evolves=self.evolve,
            alias=(_THERE,),
            reads_target=self.reads_target or plan_reads_table(self.frame, self.table.root),
            app=self.app,
        )

    def _clauses(self, columns: Sequence[str], names: Sequence[str]) -> MergeClauses:
        is_key = {name.lower() for name in names}
        # A match has the same key already; assigning it again would only cost.
        given = [name for name in columns if name.lower() not in is_key]
        update = UpdateClause(assignments=_assigned(given), condition=self._condition(given))
        return MergeClauses(
            # Where the key is all columns, a match has nothing to update.
            matched=(update,) if given else (),
            not_matched=(InsertClause(assignments=_assigned(columns)),),
        )

    def _condition(self, given: Sequence[str]) -> Column | None:
        """Return which matches are updated; None for all."""
        conditions = []
        if self.skip_unchanged and given:
            conditions.append(~all_same([(of(_THERE, name), of(_GIVEN, name)) for name in given]))
        if self.newer_by is not None:
            conditions.append(_is_more(of(_GIVEN, self.newer_by), of(_THERE, self.newer_by)))
        return reduce(and_, conditions) if conditions else None


def _is_more(given: Column, known: Column) -> Column:
    """Return the condition that a value is more than another; null is less than all."""
    return F.coalesce(given > known, given.isNotNull() & known.isNull())


def _assigned(names: Sequence[str]) -> tuple[ClauseAssignment, ...]:
    return tuple(ClauseAssignment((name,), of(_GIVEN, name)) for name in names)
