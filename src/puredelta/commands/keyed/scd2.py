"""`DeltaTable.scd2`: a row that changes ends, and one with the new values follows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.commit_stats import CommitOutcome
from puredelta.commands.dml.dry_run import ChangePlan
from puredelta.commands.expression_arguments import Expression
from puredelta.commands.keyed.keys import (
    all_same,
    check_keys_differ,
    describe_keys,
    key_columns,
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
from puredelta.engine.bridge.handles import items_of
from puredelta.engine.session.context import Context
from puredelta.engine.write.cached_rows import cached
from puredelta.errors.classes import DeltaRuntimeError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.column_path import quoted

_THERE, _GIVEN = "__there", "__given"
_AT, _STATE, _ENDS, _BEGUN, _OLD = "__at", "__state", "__ends", "__begun", "__old_"
_IS_THERE = "__is_there"
_NEW, _CHANGED, _SAME = "new", "changed", "same"

_NAMED_KEYS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Scd2Result(CommitOutcome):
    """What `scd2` did.

    Attributes:
        version: the version that was made; the newest one when nothing changed.
        changed: whether a version was made.
        new: how many keys had no current row before.
        updated: how many keys have another current row than before.
        ended: how many keys have no current row any more, as they were missing.
        unchanged: how many rows had all the values of the current row already.
    """

    new: int
    updated: int
    ended: int
    unchanged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Scd2:
    """Rows of which the table keeps all earlier ones, each with the time in which it was so.

    Attributes:
        table: the target.
        frame: how rows are now.
        key: the columns that identify what a row is about.
        at: since when they are so, SQL or a Column over `frame`; now by default, or the column
            `valid_from` if `frame` has it.
        valid_from: the table's column for when a row began to be so.
        valid_to: that for when it ended; null in current rows.
        current: that for whether it is still so.
        end_missing: end rows of keys that `frame` does not have.
    """

    table: TableRef
    frame: DataFrame
    key: str | Sequence[str]
    at: Expression | None = None
    valid_from: str = "valid_from"
    valid_to: str = "valid_to"
    current: str = "is_current"
    end_missing: bool = False

    def run(self, context: Context) -> Scd2Result:
        """End rows and begin others, in one version.

        Args:
            context: the table's session, whose settings hold; that of the rows may be another.

        Raises:
            ValueError: no column is named as the key.
            DeltaRuntimeError: PUREDELTA_DUPLICATE_KEYS, PUREDELTA_LATE_ROWS.
            DeltaError: what MERGE raises.
        """
        with self._merge() as (merge, rows):
            counted = rows.groupBy(_STATE).count().collect()
            done = merge.run(context)
        counts: dict[str, int] = {row[0]: row[1] for row in counted}
        ended = done.metrics.get("numTargetRowsNotMatchedBySourceUpdated", "0")
        return Scd2Result(
            version=done.version,
            new=counts.get(_NEW, 0),
            updated=counts.get(_CHANGED, 0),
            ended=int(ended),
            unchanged=counts.get(_SAME, 0),
            changed=done.changed,
        )

    def plan(self, context: Context) -> ChangePlan:
        """Find out what would change; nothing is written.

        Args:
            context: as for `run`.

        Raises:
            ValueError, DeltaError: as `run`.
        """
        with self._merge() as (merge, _):
            return merge_plan(merge, context)

    @contextmanager
    def _merge(self) -> Iterator[tuple[Merge, DataFrame]]:
        """Yield the MERGE that it is, and its rows, which are held meanwhile."""
        names = key_columns(self.key)
        # The rows are compared with one version, and the MERGE builds on the same one.
        base = self.table.log().latest()
        # One instant for all rows: an ended row and its successor then meet without a gap.
        now = F.lit(datetime.now(timezone.utc))
        there = self._current(base)
        with cached(self._compared(there, names, now)) as rows:
            check_keys_differ(rows, names, "scd2")
            self._check_in_order(rows, names)
            end = self._end(now)
            if self.end_missing:
                self._check_missing(there, rows, names, end)
            yield self._merge_of(base, rows, names, end), rows

    @property
    def _tracked(self) -> list[str]:
        """The columns of the rows that are not about their time."""
        own = {name.lower() for name in (self.valid_from, self.valid_to, self.current)}
        return [name for name in self.frame.columns if name.lower() not in own]

    def _time(self, now: Column) -> Column:
        if self.at is not None:
            return F.expr(self.at) if isinstance(self.at, str) else self.at
        given = {name.lower() for name in self.frame.columns}
        return F.col(quoted(self.valid_from)) if self.valid_from.lower() in given else now

    def _end(self, now: Column) -> Column:
        """Return when the rows that are missing end: `at`, if it is one time for all rows."""
        if self.at is None:
            return now
        at = self._time(now)
        # A time over columns of the frame has no value for keys that the frame lacks.
        [made] = items_of(self.frame.select(at)._jdf.queryExecution().analyzed().projectList())
        return at if made.references().isEmpty() else now

    def _current(self, base: Snapshot) -> DataFrame:
        """Return the rows that are current in a version."""
        reader = self.frame.sparkSession.read.format("delta").options(**self.table.options)
        there = reader.option("versionAsOf", base.version).load(self.table.root)
        return there.where(F.col(quoted(self.current))).select(
            *(F.col(quoted(name)).alias(_OLD + name) for name in self._tracked),
            F.col(quoted(self.valid_from)).alias(_BEGUN),
            F.lit(True).alias(_IS_THERE),
        )

    def _compared(self, there: DataFrame, names: Sequence[str], now: Column) -> DataFrame:
        """Return the rows, each with its time and how it stands to the current row."""
        tracked = [F.col(quoted(name)) for name in self._tracked]
        rows = self.frame.select(*tracked, self._time(now).alias(_AT)).alias(_GIVEN)
        joined = rows.join(there, all_same(self._pairs(names)), "left")
        # Null-safe: a value that became null is a change, and two nulls are none.
        differs = ~all_same(self._pairs(self._tracked))
        state = F.when(F.col(_IS_THERE).isNull(), _NEW).when(differs, _CHANGED).otherwise(_SAME)
        return joined.select(f"{_GIVEN}.*", _BEGUN, state.alias(_STATE))

    def _pairs(self, names: Iterable[str]) -> list[tuple[Column, Column]]:
        return [(of(_GIVEN, name), F.col(quoted(_OLD + name))) for name in names]

    def _check_in_order(self, rows: DataFrame, names: Sequence[str]) -> None:
        changed = rows.where(F.col(_STATE) == _CHANGED)
        self._check_later(changed, F.col(_AT), {name: F.col(quoted(name)) for name in names})

    def _check_missing(
        self, there: DataFrame, rows: DataFrame, names: Sequence[str], end: Column
    ) -> None:
        missing = there.join(rows.alias(_GIVEN), all_same(self._pairs(names)), "left_anti")
        self._check_later(missing, end, {name: F.col(quoted(_OLD + name)) for name in names})

    def _check_later(self, rows: DataFrame, time: Column, keys: Mapping[str, Column]) -> None:
        """Refuse rows that a time is not later than the one when they began."""
        # Equal times are refused, too: the old row would end when it began, and was never valid.
        is_later = F.col(_BEGUN).isNull() | F.coalesce(time > F.col(_BEGUN), F.lit(False))
        names = [column.alias(name) for name, column in keys.items()]
        late = rows.where(~is_later).select(*names).limit(_NAMED_KEYS).collect()
        if late:
            late_keys = describe_keys([row.asDict() for row in late])
            raise DeltaRuntimeError("PUREDELTA_LATE_ROWS", column=self.valid_from, keys=late_keys)

    def _merge_of(
        self, base: Snapshot, rows: DataFrame, names: Sequence[str], end: Column
    ) -> Merge:
        # A row that changes comes twice: once to end the one that is there, once to follow it.
        changes = F.col(_STATE) == _CHANGED
        roles = F.when(changes, F.array(F.lit(True), F.lit(False))).otherwise(
            F.array(F.col(_STATE) == _SAME)
        )
        # Those that stay matter only where the ones that are missing do.
        acting = rows if self.end_missing else rows.where(F.col(_STATE) != _SAME)
        source = acting.select("*", F.explode(roles).alias(_ENDS)).alias(_GIVEN)
        is_current = of(_THERE, self.current)
        return Merge(
            table=self.table,
            source=source,
            condition=of(_GIVEN, _ENDS) & is_current & same_key(_THERE, _GIVEN, names),
            clauses=MergeClauses(
                matched=(
                    UpdateClause(
                        assignments=self._ended(of(_GIVEN, _AT)),
                        condition=of(_GIVEN, _STATE) == _CHANGED,
                    ),
                ),
                not_matched=(InsertClause(assignments=self._begun()),),
                by_source=self._missing(is_current, end),
            ),
            alias=(_THERE,),
            # Rows that stay were looked at, too.
            reads_target=True,
            base=base,
        )

    def _missing(self, is_current: Column, end: Column) -> tuple[UpdateClause, ...]:
        if not self.end_missing:
            return ()
        return (UpdateClause(assignments=self._ended(end), condition=is_current),)

    def _ended(self, at: Column) -> tuple[ClauseAssignment, ...]:
        return (
            ClauseAssignment((self.valid_to,), at),
            ClauseAssignment((self.current,), F.lit(False)),
        )

    def _begun(self) -> tuple[ClauseAssignment, ...]:
        return (
            *(ClauseAssignment((name,), of(_GIVEN, name)) for name in self._tracked),
            ClauseAssignment((self.valid_from,), of(_GIVEN, _AT)),
            ClauseAssignment((self.valid_to,), F.lit(None)),
            ClauseAssignment((self.current,), F.lit(True)),
        )
