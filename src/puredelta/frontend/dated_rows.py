"""`DeltaTable.scd2`: a row that changes ends, and one with the new values follows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.merge.clauses import Assignment, Clauses, Insert, Update
from puredelta.commands.merge.run import Merge
from puredelta.commands.table_ref import TableRef
from puredelta.engine.context import Context
from puredelta.engine.held_rows import held
from puredelta.errors.classes import DeltaRuntimeError
from puredelta.frontend.expression_arguments import Expression
from puredelta.frontend.keyed_rows import (
    all_same,
    check_keys_differ,
    key_columns,
    keys_told,
    of,
    same_key,
)
from puredelta.log.snapshot import Snapshot
from puredelta.schema.column_path import quoted

_THERE, _GIVEN = "__there", "__given"
_AT, _STATE, _ENDS, _BEGUN, _OLD = "__at", "__state", "__ends", "__begun", "__old_"
_IS_THERE = "__is_there"
_NEW, _CHANGED, _SAME = "new", "changed", "same"

_KEYS_TOLD = 10


@dataclass(frozen=True, slots=True)
class Dated:
    """What `scd2` did.

    Attributes:
        version: the version that was made; the one there was when nothing changed.
        new: how many keys came that had no current row.
        updated: how many keys have another current row than before.
        ended: how many keys have no current row any more, as they were missing.
        unchanged: how many rows had all the values of the current row already.
        changed: whether a version was made.
    """

    version: int
    new: int
    updated: int
    ended: int
    unchanged: int
    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedRows:
    """Rows of which the table keeps all earlier ones, each with the time in which it was so.

    Attributes:
        table: the target.
        frame: how rows are now.
        key: the columns that tell what a row is about.
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

    def run(self, context: Context) -> Dated:
        """End rows and begin others, in one version.

        Args:
            context: the table's session, whose settings hold; that of the rows may be another.

        Raises:
            ValueError: no column is named as the key.
            DeltaRuntimeError: PUREDELTA_DUPLICATE_KEYS, PUREDELTA_LATE_ROWS.
            DeltaError: what MERGE raises.
        """
        names = key_columns(self.key)
        base = self.table.log().latest()
        now = F.lit(datetime.now(timezone.utc))
        with self._compared(base, names, now) as rows:
            check_keys_differ(rows, names, "scd2")
            self._check_in_order(rows, names)
            counted = rows.groupBy(_STATE).count().collect()
            done = self._merge(base, rows, names, now).run(context)
        counts: dict[str, int] = {row[0]: row[1] for row in counted}
        ended = done.metrics.get("numTargetRowsNotMatchedBySourceUpdated", "0")
        return Dated(
            version=done.version,
            new=counts.get(_NEW, 0),
            updated=counts.get(_CHANGED, 0),
            ended=int(ended),
            unchanged=counts.get(_SAME, 0),
            changed=done.changed,
        )

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

    @contextmanager
    def _compared(self, base: Snapshot, names: Sequence[str], now: Column) -> Iterator[DataFrame]:
        """Compute the rows once, each with its time and how it stands to the current row."""
        session = self.frame.sparkSession
        reader = session.read.format("delta").options(**self.table.options)
        there = reader.option("versionAsOf", base.version).load(self.table.root)
        old = there.where(F.col(quoted(self.current))).select(
            *(F.col(quoted(name)).alias(_OLD + name) for name in self._tracked),
            F.col(quoted(self.valid_from)).alias(_BEGUN),
            F.lit(True).alias(_IS_THERE),
        )
        tracked = [F.col(quoted(name)) for name in self._tracked]
        rows = self.frame.select(*tracked, self._time(now).alias(_AT)).alias(_GIVEN)
        joined = rows.join(old, all_same(self._pairs(names)), "left")
        differs = ~all_same(self._pairs(self._tracked))
        state = F.when(F.col(_IS_THERE).isNull(), _NEW).when(differs, _CHANGED).otherwise(_SAME)
        compared = joined.select(f"{_GIVEN}.*", _BEGUN, state.alias(_STATE))
        with held(compared) as kept:
            yield kept

    def _pairs(self, names: Iterable[str]) -> list[tuple[Column, Column]]:
        return [(of(_GIVEN, name), F.col(quoted(_OLD + name))) for name in names]

    def _check_in_order(self, rows: DataFrame, names: Sequence[str]) -> None:
        follows = F.col(_BEGUN).isNull() | F.coalesce(F.col(_AT) > F.col(_BEGUN), F.lit(False))
        is_late = (F.col(_STATE) == _CHANGED) & ~follows
        late = rows.where(is_late).select(*map(quoted, names)).limit(_KEYS_TOLD).collect()
        if late:
            told = keys_told([row.asDict() for row in late])
            raise DeltaRuntimeError("PUREDELTA_LATE_ROWS", column=self.valid_from, keys=told)

    def _merge(self, base: Snapshot, rows: DataFrame, names: Sequence[str], now: Column) -> Merge:
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
            clauses=Clauses(
                matched=(
                    Update(
                        assignments=self._ended(of(_GIVEN, _AT)),
                        condition=of(_GIVEN, _STATE) == _CHANGED,
                    ),
                ),
                not_matched=(Insert(assignments=self._begun()),),
                by_source=self._missing(is_current, now),
            ),
            alias=(_THERE,),
            # Rows that stay were looked at, too.
            reads_target=True,
            base=base,
        )

    def _missing(self, is_current: Column, now: Column) -> tuple[Update, ...]:
        if not self.end_missing:
            return ()
        return (Update(assignments=self._ended(now), condition=is_current),)

    def _ended(self, at: Column) -> tuple[Assignment, ...]:
        return (
            Assignment((self.valid_to,), at),
            Assignment((self.current,), F.lit(False)),
        )

    def _begun(self) -> tuple[Assignment, ...]:
        return (
            *(Assignment((name,), of(_GIVEN, name)) for name in self._tracked),
            Assignment((self.valid_from,), of(_GIVEN, _AT)),
            Assignment((self.valid_to,), F.lit(None)),
            Assignment((self.current,), F.lit(True)),
        )
