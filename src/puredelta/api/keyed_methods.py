"""The methods of `DeltaTable` that know rows by a key: append_new, upsert, scd2 and dedupe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar, overload

from pyspark.sql import DataFrame, SparkSession

from puredelta.api.explain_change import ChangeExplained, explain_change
from puredelta.api.retry import run_with_retry
from puredelta.api.row_arguments import Rows, rows_from_argument
from puredelta.commands.dml.dry_run import ChangePlan
from puredelta.commands.dml.row_change import Changed
from puredelta.commands.expression_arguments import Expression, condition_argument
from puredelta.commands.keyed.append_new import Appended, AppendNew
from puredelta.commands.keyed.dedupe import Dedupe
from puredelta.commands.keyed.keys import key_columns
from puredelta.commands.keyed.scd2 import Scd2, Scd2Result
from puredelta.commands.keyed.upsert import Upsert, Upserted
from puredelta.commands.table_ref import TableRef
from puredelta.engine.exceptions import shown
from puredelta.engine.session.context import Context, context_of

__all__ = ["TableVerbs"]

Done_co = TypeVar("Done_co", covariant=True)


class _Verb(Protocol[Done_co]):
    def run(self, context: Context) -> Done_co: ...
    def plan(self, context: Context) -> ChangePlan: ...


class TableVerbs:
    """What can be done to rows that a key tells apart."""

    _spark: SparkSession
    _table: TableRef

    @overload
    def append_new(
        self,
        df: Rows,
        key: str | Sequence[str],
        *,
        dryRun: Literal[False] = False,
        retry: int = 0,
    ) -> Appended: ...

    @overload
    def append_new(
        self, df: Rows, key: str | Sequence[str], *, dryRun: Literal[True], retry: int = 0
    ) -> ChangeExplained: ...

    def append_new(
        self, df: Rows, key: str | Sequence[str], *, dryRun: bool = False, retry: int = 0
    ) -> Appended | ChangeExplained:
        """Append the rows whose key the table does not have yet.

        Columns are matched by name. Keys that are null, or have null parts, are equal to each
        other: such a row is appended once and not again. Rows of `df` that have the same new key
        are all appended; `df.dropDuplicates([...])` leaves one of them.

        Args:
            df: the rows, a DataFrame of PySpark, pandas, polars or Arrow.
            key: the column that tells rows apart, or several.
            dryRun: write nothing, and tell how many rows are new.
            retry: how many times it is run again when another writer's commit is in its way.

        Returns:
            The version that was made, if anything is new, and the rows, files and bytes appended;
            for a dry run, what would be done.

        Raises:
            ValueError: no column is named as the key, or `retry` is negative.
            ConcurrentAppendException: another writer added rows, which may have the same keys.
            DeltaAnalysisException: columns or types that don't fit.
        """
        verb = AppendNew(table=self._table, frame=self._rows(df), key=key)
        return self._done(verb, dry_run=dryRun, retry=retry)

    @overload
    def upsert(
        self,
        df: Rows,
        key: str | Sequence[str],
        *,
        order_by: Expression | None = None,
        evolve: bool = False,
        skip_unchanged: bool = False,
        dryRun: Literal[False] = False,
        retry: int = 0,
    ) -> Upserted: ...

    @overload
    def upsert(
        self,
        df: Rows,
        key: str | Sequence[str],
        *,
        order_by: Expression | None = None,
        evolve: bool = False,
        skip_unchanged: bool = False,
        dryRun: Literal[True],
        retry: int = 0,
    ) -> ChangeExplained: ...

    def upsert(
        self,
        df: Rows,
        key: str | Sequence[str],
        *,
        order_by: Expression | None = None,
        evolve: bool = False,
        skip_unchanged: bool = False,
        dryRun: bool = False,
        retry: int = 0,
    ) -> Upserted | ChangeExplained:
        """Update the rows whose key the table has, and insert the others, in one version.

        Columns are matched by name. Those that `df` lacks stay as they are in rows that are there,
        and get their default in new ones. Keys that are null, or have null parts, are equal to
        each other.

        Args:
            df: the rows, a DataFrame of PySpark, pandas, polars or Arrow.
            key: the column that tells rows apart, or several.
            order_by: which of several rows of `df` with one key counts: the one in which this is
                greatest, SQL or a Column. Without it such rows are refused.
            evolve: let the table grow by columns that it lacks.
            skip_unchanged: leave rows alone that have all the values already, and files in which
                there are only such.
            dryRun: write nothing, and tell which rows and files would change.
            retry: how many times it is run again when another writer's commit is in its way.

        Returns:
            The version that was made, and how many rows were inserted and updated; for a dry
            run, what would be done.

        Raises:
            ValueError: no column is named as the key, or `retry` is negative.
            DeltaRuntimeException: PUREDELTA_DUPLICATE_KEYS, several rows of `df` have one key.
            DeltaAnalysisException: columns or types that don't fit.
            DeltaInvariantViolationException: a row that a rule of the table refuses.
            DeltaConcurrentModificationException: another writer's commit is in the way.
        """
        verb = Upsert(
            table=self._table,
            frame=self._rows(df),
            key=key,
            order_by=order_by,
            evolve=evolve,
            skip_unchanged=skip_unchanged,
        )
        return self._done(verb, dry_run=dryRun, retry=retry)

    @overload
    def scd2(
        self,
        df: Rows,
        key: str | Sequence[str],
        *,
        at: Expression | None = None,
        valid_from: str = "valid_from",
        valid_to: str = "valid_to",
        current: str = "is_current",
        end_missing: bool = False,
        dryRun: Literal[False] = False,
        retry: int = 0,
    ) -> Scd2Result: ...

    @overload
    def scd2(
        self,
        df: Rows,
        key: str | Sequence[str],
        *,
        at: Expression | None = None,
        valid_from: str = "valid_from",
        valid_to: str = "valid_to",
        current: str = "is_current",
        end_missing: bool = False,
        dryRun: Literal[True],
        retry: int = 0,
    ) -> ChangeExplained: ...

    def scd2(  # noqa: PLR0913  # each column may have another name
        self,
        df: Rows,
        key: str | Sequence[str],
        *,
        at: Expression | None = None,
        valid_from: str = "valid_from",
        valid_to: str = "valid_to",
        current: str = "is_current",
        end_missing: bool = False,
        dryRun: bool = False,
        retry: int = 0,
    ) -> Scd2Result | ChangeExplained:
        """Bring the current rows up to date and keep the earlier ones, in one version.

        A slowly changing dimension of type 2: the table has, besides the columns of `df`, one for
        when a row began to be so, one for when it ended and one for whether it is still so. A row
        of `df` that differs from the current row of its key ends that one and follows it; a row
        of a new key begins; one that has all the values already changes nothing.

        Args:
            df: how rows are now, one a key: a DataFrame of PySpark, pandas, polars or Arrow.
            key: the column that tells what a row is about, or several; nulls are equal.
            at: since when they are so, SQL or a Column over `df`. By default its column
                `valid_from` if it has one, else now.
            valid_from: the table's column for when a row began to be so.
            valid_to: that for when it ended; null in current rows.
            current: that for whether it is still so, a BOOLEAN.
            end_missing: end the current rows of keys that `df` does not have: as of `at` where it
                names no column, so that it is one time for all, else as of now.
            dryRun: write nothing, and tell which rows and files would change.
            retry: how many times it is run again when another writer's commit is in its way.

        Returns:
            The version that was made, and how many keys were new, updated, ended and unchanged;
            for a dry run, what would be done.

        Raises:
            ValueError: no column is named as the key, or `retry` is negative.
            DeltaRuntimeException: PUREDELTA_DUPLICATE_KEYS, several rows of `df` or several
                current ones have one key; PUREDELTA_LATE_ROWS, a row would begin before the one
                that it follows, or a missing one end before it began.
            DeltaAnalysisException: columns or types that don't fit.
            DeltaConcurrentModificationException: another writer's commit is in the way.
        """
        verb = Scd2(
            table=self._table,
            frame=self._rows(df),
            key=key,
            at=at,
            valid_from=valid_from,
            valid_to=valid_to,
            current=current,
            end_missing=end_missing,
        )
        return self._done(verb, dry_run=dryRun, retry=retry)

    @overload
    def dedupe(
        self,
        key: str | Sequence[str] | None = None,
        *,
        order_by: Expression | None = None,
        dryRun: Literal[False] = False,
        retry: int = 0,
    ) -> Deduped: ...

    @overload
    def dedupe(
        self,
        key: str | Sequence[str] | None = None,
        *,
        order_by: Expression | None = None,
        dryRun: Literal[True],
        retry: int = 0,
    ) -> ChangeExplained: ...

    def dedupe(
        self,
        key: str | Sequence[str] | None = None,
        *,
        order_by: Expression | None = None,
        dryRun: bool = False,
        retry: int = 0,
    ) -> Deduped | ChangeExplained:
        """Delete all rows but one of each key.

        Args:
            key: the column in which rows are equal, or several; nulls are equal. By default all
                columns, so that rows of which there are several in all go but for one.
            order_by: the row stays in which this is greatest, SQL or a Column; any by default.
            dryRun: delete nothing, and tell which rows and files would change.
            retry: how many times it is run again when another writer's commit is in its way.

        Returns:
            The version that was made, how many rows went, and what became of files; for a dry
            run, what would be done.

        Raises:
            ValueError: an empty list as the key, or `retry` is negative.
            AnalysisException: Spark's, for a column that is not there or cannot be compared.
            DeltaUnsupportedOperationException: DELTA_CANNOT_MODIFY_APPEND_ONLY.
            DeltaConcurrentModificationException: another writer's commit is in the way.
        """
        names = () if key is None else key_columns(key)
        order = condition_argument(order_by, "order_by")
        command = Dedupe(table=self._table, key=names, order=order)
        done = self._done(command, dry_run=dryRun, retry=retry)
        return done if isinstance(done, ChangeExplained) else dedupe_result(done)

    def _rows(self, df: Rows) -> DataFrame:
        return rows_from_argument(self._spark, df, "df")

    def _done(
        self, verb: _Verb[Done_co], *, dry_run: bool, retry: int
    ) -> Done_co | ChangeExplained:
        with shown():
            if dry_run:
                return explain_change(self._table, verb.plan(context_of(self._spark)))
            return run_with_retry(lambda: verb.run(context_of(self._spark)), retry)


# --------------------------------------------------------------------------------- result of dedupe


@dataclass(frozen=True, slots=True)
class Deduped:
    """What `dedupe` did.

    Attributes:
        version: the version that was made; the one there was when no row had a double.
        deleted: how many rows went.
        files: how many files were written, for rows that stay.
        removed_files: how many files left the table.
        changed: whether a version was made.
    """

    version: int
    deleted: int
    files: int
    removed_files: int
    changed: bool


def dedupe_result(done: Changed) -> Deduped:
    """Return what was done, for users."""
    return Deduped(
        version=done.version,
        deleted=done.rows or 0,
        files=int(done.metrics.get("numAddedFiles", 0)),
        removed_files=int(done.metrics.get("numRemovedFiles", 0)),
        changed=done.committed,
    )
