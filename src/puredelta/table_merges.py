"""The methods of `DeltaTable` that know rows by a condition or a key: merge, upsert and others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from puredelta.commands.dedupe import Dedupe
from puredelta.commands.merge.clauses import Clauses
from puredelta.commands.merge.run import Merge
from puredelta.commands.table_ref import TableRef
from puredelta.engine.context import context_of
from puredelta.engine.exceptions import shown
from puredelta.frontend.catalog.lookup import parse_name
from puredelta.frontend.dated_rows import Dated, DatedRows
from puredelta.frontend.deduped import Deduped, deduped
from puredelta.frontend.expression_arguments import Expression, condition_given
from puredelta.frontend.keyed_rows import key_columns
from puredelta.frontend.retrying import retried
from puredelta.frontend.table_frame import TableFrame
from puredelta.frontend.upserting import Upsert, Upserted
from puredelta.merge_builder import DeltaMergeBuilder

__all__ = ["TableMerges"]


class TableMerges:
    """What can be done to rows that belong together."""

    _spark: SparkSession
    _table: TableRef
    _alias: str | None
    _frames: TableFrame

    def merge(self, source: DataFrame, condition: Expression) -> DeltaMergeBuilder:
        """Start a MERGE of a DataFrame into this table.

        Names that both have need an alias in front: `table.alias("t").merge(df.alias("s"), ...)`.

        Args:
            source: the rows.
            condition: which row of the source belongs to which row of the table, SQL or a Column.

        Returns:
            A builder that takes the clauses; its `execute` merges.

        Raises:
            ValueError: `source` or `condition` is None.
            TypeError: an argument of another type.
            ParseException: Spark's, for a text that is no SQL expression.
        """
        if source is None:
            raise ValueError("source must not be None: give a DataFrame")
        given: Any = source
        if not isinstance(given, DataFrame):
            raise TypeError(f"source must be a DataFrame, not {type(given).__name__}")
        on = condition_given(condition)
        if on is None:
            raise ValueError("condition must not be None: give SQL or a Column")
        merge = Merge(
            table=self._table,
            source=source,
            condition=on,
            clauses=Clauses(),
            alias=self._called(),
            frame=self._frames.known,
        )
        return DeltaMergeBuilder(self._spark, merge)

    def upsert(
        self,
        df: DataFrame,
        key: str | Sequence[str],
        *,
        order_by: Expression | None = None,
        evolve: bool = False,
        skip_unchanged: bool = False,
        retry: int = 0,
    ) -> Upserted:
        """Update the rows whose key the table has, and insert the others, in one version.

        Columns are matched by name. Those that `df` lacks stay as they are in rows that are there,
        and get their default in new ones. Keys that are null, or have null parts, are equal to
        each other.

        Args:
            df: the rows.
            key: the column that tells rows apart, or several.
            order_by: which of several rows of `df` with one key counts: the one in which this is
                greatest, SQL or a Column. Without it such rows are refused.
            evolve: let the table grow by columns that it lacks.
            skip_unchanged: leave rows alone that have all the values already, and files in which
                there are only such.
            retry: how many times it is run again when another writer's commit is in its way.

        Returns:
            The version that was made, and how many rows were inserted and updated.

        Raises:
            ValueError: no column is named as the key, or `retry` is negative.
            DeltaRuntimeException: PUREDELTA_DUPLICATE_KEYS, several rows of `df` have one key.
            DeltaAnalysisException: columns or types that don't fit.
            DeltaInvariantViolationException: a row that a rule of the table refuses.
            DeltaConcurrentModificationException: another writer's commit is in the way.
        """
        verb = Upsert(
            table=self._table,
            frame=df,
            key=key,
            order_by=order_by,
            evolve=evolve,
            skip_unchanged=skip_unchanged,
        )
        with shown():
            return retried(lambda: verb.run(context_of(self._spark)), retry)

    def scd2(
        self,
        df: DataFrame,
        key: str | Sequence[str],
        *,
        at: Expression | None = None,
        valid_from: str = "valid_from",
        valid_to: str = "valid_to",
        current: str = "is_current",
        end_missing: bool = False,
        retry: int = 0,
    ) -> Dated:
        """Bring the current rows up to date and keep the earlier ones, in one version.

        A slowly changing dimension of type 2: the table has, besides the columns of `df`, one for
        when a row began to be so, one for when it ended and one for whether it is still so. A row
        of `df` that differs from the current row of its key ends that one and follows it; a row
        of a new key begins; one that has all the values already changes nothing.

        Args:
            df: how rows are now, one a key.
            key: the column that tells what a row is about, or several; nulls are equal.
            at: since when they are so, SQL or a Column over `df`. By default its column
                `valid_from` if it has one, else now.
            valid_from: the table's column for when a row began to be so.
            valid_to: that for when it ended; null in current rows.
            current: that for whether it is still so, a BOOLEAN.
            end_missing: end the current rows of keys that `df` does not have, as of now.
            retry: how many times it is run again when another writer's commit is in its way.

        Returns:
            The version that was made, and how many keys were new, updated, ended and unchanged.

        Raises:
            ValueError: no column is named as the key, or `retry` is negative.
            DeltaRuntimeException: PUREDELTA_DUPLICATE_KEYS, several rows of `df` or several
                current ones have one key; PUREDELTA_LATE_ROWS, a row would begin before the one
                that it follows.
            DeltaAnalysisException: columns or types that don't fit.
            DeltaConcurrentModificationException: another writer's commit is in the way.
        """
        verb = DatedRows(
            table=self._table,
            frame=df,
            key=key,
            at=at,
            valid_from=valid_from,
            valid_to=valid_to,
            current=current,
            end_missing=end_missing,
        )
        with shown():
            return retried(lambda: verb.run(context_of(self._spark)), retry)

    def dedupe(
        self,
        key: str | Sequence[str] | None = None,
        *,
        order_by: Expression | None = None,
        retry: int = 0,
    ) -> Deduped:
        """Delete all rows but one of each key.

        Args:
            key: the column in which rows are equal, or several; nulls are equal. By default all
                columns, so that rows of which there are several in all go but for one.
            order_by: the row stays in which this is greatest, SQL or a Column; any by default.
            retry: how many times it is run again when another writer's commit is in its way.

        Returns:
            The version that was made, how many rows went, and what became of files.

        Raises:
            ValueError: an empty list as the key, or `retry` is negative.
            AnalysisException: Spark's, for a column that is not there or cannot be compared.
            DeltaUnsupportedOperationException: DELTA_CANNOT_MODIFY_APPEND_ONLY.
            DeltaConcurrentModificationException: another writer's commit is in the way.
        """
        names = () if key is None else key_columns(key)
        order = condition_given(order_by, "order_by")
        command = Dedupe(table=self._table, key=names, order=order)
        with shown():
            return deduped(retried(lambda: command.run(context_of(self._spark)), retry))

    def _called(self) -> tuple[str, ...]:
        """Return what clauses call the table: its alias, or its name in the catalog."""
        if self._alias is not None:
            return (self._alias,)
        name = self._table.name
        return () if name is None else tuple(parse_name(self._spark, name))
