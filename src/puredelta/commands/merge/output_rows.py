"""The rows that a MERGE writes: updated, copied and inserted ones, and what each changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import NullType, StructField, StructType

from puredelta.commands.dml.column_values import AssignableColumns
from puredelta.commands.merge.join import ACTION, action_column, first_of
from puredelta.commands.merge.prepare import PreparedMerge
from puredelta.commands.merge.resolved_clauses import Action, ResolvedMerge
from puredelta.commands.merge.source import Source
from puredelta.commands.rows.file_writing import has_change_feed
from puredelta.commands.rows.generated_values import TableRows
from puredelta.commands.rows.row_constraints import (
    Requirements,
    requirements_of,
    rules_of,
    with_names,
)
from puredelta.engine.row_checks.char_padding import padded_rows
from puredelta.engine.row_checks.identity_values import with_identity_values
from puredelta.engine.row_checks.null_type_columns import without_null_type
from puredelta.engine.row_checks.rules import RowRule, with_checks
from puredelta.engine.scan.row_id_columns import row_id_columns
from puredelta.schema.column_path import quote_name
from puredelta.table.change_columns import (
    CHANGE_TYPE,
    DELETE,
    INSERT,
    UPDATE_POSTIMAGE,
    UPDATE_PREIMAGE,
)
from puredelta.table.expressions.generated_columns import GenerationCheck, generation_of
from puredelta.table.expressions.identity_columns import identity_of

_OLD = "__puredelta_merge_old"
_GIVEN = "__puredelta_merge_given"
_MATCHED = "__puredelta_merge_matched"


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """How the rows are made.

    Attributes:
        merge: the clauses.
        source: the rows that are merged.
        columns: the target's, and how values are put into them.
        demands: the rules that rows of the target must satisfy.
        row_ids: names of the columns that identify rows, behind those of the target.
        carried: other columns of the target's rows, which come last; texts, null in new rows.
        writes_changes: rows of the change data feed are made, too.
    """

    merge: ResolvedMerge
    source: Source
    columns: AssignableColumns
    demands: Requirements
    row_ids: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()
    writes_changes: bool = False

    # --------------------------------------------------------------- rows, with their actions

    def of_target(self, rows: DataFrame, *, is_ambiguous: bool) -> DataFrame:
        """Return rows of the target with their values after the MERGE, and the clause that acts.

        Args:
            rows: some of them, all columns of the target and behind them the row ids.
            is_ambiguous: rows may have several matches, each of which deletes them, if any does.
        """
        on, source = self.merge.on.column, self.source.joined
        if is_ambiguous:
            # A row with several matches is still one row.
            alone = rows.join(source, on, "left_anti").select("*", F.lit(False).alias(_MATCHED))
            matched = rows.join(source, on, "left_semi").select("*", F.lit(True).alias(_MATCHED))
            joined = alone.union(matched)
            action = F.when(F.col(_MATCHED), first_of(self.merge.matched)).otherwise(
                first_of(self.merge.by_source)
            )
        else:
            joined = rows.join(source, on, "left")
            action = action_column(self.merge)
        changing = (*self.merge.matched, *self.merge.by_source)
        is_copied = F.col(ACTION) == 0
        ids = [F.col(quote_name(name)) for name in self.row_ids]
        # Protocol: Row Tracking. A copied row keeps its row commit version; for a changed row null
        # lets readers take the version of the commit. The row id, which comes first, stays in both
        # cases.
        ids[1:] = [F.when(is_copied, number) for number in ids[1:]]
        return self._rows(joined.select("*", action.alias(ACTION)), changing, ids, self.merge.kept)

    def of_source(self, rows: DataFrame) -> DataFrame:
        """Return the rows that are inserted.

        Args:
            rows: those of the source that have no match.
        """
        acting = rows.select("*", first_of(self.merge.not_matched).alias(ACTION))
        # No clause acts on these source rows, so they are not inserted.
        acting = acting.where(F.col(ACTION) > 0)
        # Protocol: Row Tracking. Where the column is null, the id is derived from the file's base
        # row id.
        ids = [F.lit(None).cast("bigint") for _ in self.row_ids]
        nothing = {name: F.lit(None).cast("string").alias(name) for name in self.carried}
        return self._rows(acting.withColumns(nothing), self.merge.not_matched, ids, None)

    def _rows(
        self,
        rows: DataFrame,
        actions: Sequence[Action],
        row_ids: Sequence[Column],
        before: Mapping[str, Column] | None,
    ) -> DataFrame:
        """Return the columns of the target after the MERGE, row ids, clauses, and what was before.

        Args:
            rows: both sides, with the clause that acts on each row.
            actions: the clauses that may act.
            row_ids: what identifies the rows.
            before: what columns held; None for new rows, on each of which a clause acts.
        """
        acting = {action.number: F.col(ACTION) == action.number for action in actions}
        values = [
            self._value(name, actions, acting, None if before is None else before[name]).alias(name)
            for name in self.merge.schema.names
        ]
        ids = [column.alias(name) for column, name in zip(row_ids, self.row_ids, strict=True)]
        old = [self._before(before)] if self.writes_changes else []
        return rows.select(*values, *ids, F.col(ACTION), *old, *self.carried)

    def _before(self, before: Mapping[str, Column] | None) -> Column:
        """Return what columns held, as files hold it, as one struct."""
        if before is None:
            nothing = F.lit(None).cast(StructType(self._stored))
            before = {field.name: nothing.getField(field.name) for field in self._stored}
        fields = [
            without_null_type(before[field.name], field, field.name).alias(field.name)
            for field in self._stored
        ]
        return F.struct(*fields).alias(_OLD)

    def _value(
        self,
        name: str,
        actions: Iterable[Action],
        acting: Mapping[int, Column],
        before: Column | None,
    ) -> Column:
        """Return what a column holds: what the acting clause gives, else what it held."""
        given = [
            (acting[action.number], action.values[name])
            for action in actions
            if name in action.values
        ]
        # Each INSERT gives all columns, so the last clause left is the one that acts.
        rest = given.pop()[1] if before is None else before
        return reduce(lambda rest, one: F.when(*one).otherwise(rest), given, rest)

    # ----------------------------------------------------------------------- what is written

    def written(self, rows: DataFrame) -> DataFrame:
        """Return rows as they are written: numbered, computed, checked, with their change type.

        Args:
            rows: those of the target and of the source, with their actions; none is moved to
                another task from here on.
        """
        made, rules = self._generated(self._numbered(rows))
        seen = padded_rows(made, self.merge.schema)
        whole = with_names(seen.frame, frozenset(self.demands.names))
        unknown: list[StructField | None] = [None for _ in self.merge.schema]
        rules = [
            *rules_of(rows.sparkSession, self.merge.schema, unknown, self.demands),
            *rules,
        ]
        return self._with_changes(seen.as_stored(with_checks(whole, rules, self._is_exempt)))

    @property
    def _stored(self) -> list[StructField]:
        """The columns that files have."""
        return [field for field in self.merge.schema if not isinstance(field.dataType, NullType)]

    @property
    def _is_exempt(self) -> Column:
        """Whether a row was in the table before, and is copied as it was, or leaves the table."""
        # Deleted rows are here for the feed alone. Copied ones may break a constraint that was
        # added as NOT VALID, as they may where UPDATE or DELETE copies them.
        return (F.col(ACTION) == 0) | self._is("delete")

    def _is(self, kind: str) -> Column:
        return F.col(ACTION).isin([clause.number for clause in self.merge if clause.kind == kind])

    def _numbered(self, rows: DataFrame) -> DataFrame:
        """Number the new rows that were not given a number."""
        numbers = {}
        for field in self.merge.schema:
            column = identity_of(field.name, field.metadata)
            lacking = [
                clause.number for clause in self.merge.not_matched if field.name not in clause.given
            ]
            if column is not None and lacking:
                is_new = F.col(ACTION).isin(lacking)
                value = F.when(is_new, with_identity_values(column)).otherwise(
                    F.col(quote_name(field.name))
                )
                numbers[field.name] = value
        return rows.withColumns(numbers) if numbers else rows

    def _generated(self, rows: DataFrame) -> tuple[DataFrame, list[RowRule]]:
        """Compute generated columns of rows that change; say what given values must keep."""
        texts = {
            field.name: text
            for field in self.merge.schema
            if (text := generation_of(field.metadata)) is not None
        }
        # Most tables have no generated column, and their plan stays as it is.
        if not texts:
            return rows, []
        given = rows.select(
            "*",
            *(F.col(quote_name(name)).alias(_GIVEN + name) for name in texts),
        )
        table = TableRows(
            given, self.merge.schema, (), self.columns.partitions, self.columns.assignment
        )
        # Every row is computed, and a WHEN takes the result only where a clause neither gives the
        # value nor leaves the row as it was: one projection serves all clauses.
        computed = table.with_computed(texts).frame
        values = {
            name: F.when(self._computes(name), F.col(quote_name(name))).otherwise(
                F.col(quote_name(_GIVEN + name))
            )
            for name in texts
        }
        rules = []
        for name, text in texts.items():
            rule = table.condition(GenerationCheck(name, text)).constraint
            # Only a value that a clause gives can differ from the expression; computed ones are not
            # checked.
            rules.append(RowRule(~self._gives(name) | rule.kept, rule.broken))
        made = computed.withColumns(values)
        return made.drop(*(_GIVEN + name for name in texts)), rules

    def _computes(self, name: str) -> Column:
        written = (clause for clause in self.merge if clause.kind != "delete")
        return F.col(ACTION).isin([clause.number for clause in written if name not in clause.given])

    def _gives(self, name: str) -> Column:
        return F.col(ACTION).isin([clause.number for clause in self.merge if name in clause.given])

    def _with_changes(self, rows: DataFrame) -> DataFrame:
        """Return the columns of files, and beside each row those that describe what changed."""
        fields = self._stored
        new = [
            without_null_type(F.col(quote_name(field.name)), field, field.name).alias(field.name)
            for field in fields
        ]
        if not self.writes_changes:
            columns = [*map(_with_metadata, new, fields)]
            return rows.select(*columns, *map(quote_name, self.row_ids), *self.carried)
        ids = [F.col(quote_name(name)) for name in self.row_ids]
        after = F.struct(*new)
        old = F.col(_OLD)

        def version(values: Column, kind: str | None) -> Column:
            kind_column = F.lit(kind).cast("string").alias(CHANGE_TYPE)
            return F.struct(values.alias("row"), *ids, kind_column)

        # All versions of a row come out of one `explode`: values that differ each time they are
        # computed agree in the data file and in the feed.
        row = version(after, None)
        updated = F.array(row, version(old, UPDATE_PREIMAGE), version(after, UPDATE_POSTIMAGE))
        versions = (
            F.when(self._is("update"), updated)
            .when(self._is("insert"), F.array(row, version(after, INSERT)))
            .when(self._is("delete"), F.array(version(old, DELETE)))
            .otherwise(F.array(row))
        )
        each = rows.select(F.explode(versions).alias("version")).select("version.*")
        columns = [_with_metadata(F.col("row").getField(field.name), field) for field in fields]
        return each.select(*columns, *map(quote_name, self.row_ids), CHANGE_TYPE)


def _with_metadata(column: Column, field: StructField) -> Column:
    return column.alias(field.name, metadata=field.metadata or None)


def output_of(prepared: PreparedMerge, source: Source, schema: StructType) -> Output:
    """Return how the rows of a MERGE are made.

    Args:
        prepared: the target and the clauses.
        source: the rows that are merged.
        schema: the target's columns afterwards, with where the values of identity columns start.
    """
    target = prepared.target
    return Output(
        merge=replace(prepared.merge, schema=schema),
        source=source,
        columns=prepared.columns,
        demands=requirements_of(target.metadata.configuration, target.before),
        row_ids=row_id_columns(target.metadata),
        writes_changes=has_change_feed(target),
    )
