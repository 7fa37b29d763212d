"""Append and overwrite: a DataFrame's rows into a table that is there."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

import msgspec
from pyspark.sql import DataFrame

from puredelta.commands.app_transactions import (
    Application,
    app_actions,
    is_repeated,
    writing_app,
)
from puredelta.commands.rows.column_matching import Match
from puredelta.commands.rows.file_writing import in_fewer_tasks, new_files, write_rows
from puredelta.commands.rows.identity_ranges import (
    IdentityAllocation,
    IdentityRange,
    IdentityRangeLostError,
    reserve,
    tags_of,
)
from puredelta.commands.rows.layout import evolved_layout, with_schema
from puredelta.commands.rows.removed_files import check_removable, to_remove_file
from puredelta.commands.rows.row_alignment import align_columns
from puredelta.commands.rows.row_constraints import requirements_of
from puredelta.commands.rows.target import RemovedFiles, WriteTarget
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.commands.write.dynamic_partitions import PartitionsHit
from puredelta.commands.write.history import WriteParameters, operation_of
from puredelta.commands.write.replace_on import select_matched_rows
from puredelta.commands.write.replace_where import select_rows
from puredelta.commands.write.strategies import Nothing, Replacement, WholeTable
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.row_checks.store_assignment import StoreAssignment
from puredelta.engine.scan.statement_scope import statement_scope
from puredelta.engine.session.context import Context
from puredelta.engine.session.spark_objects import plan_reads_table, setting
from puredelta.engine.session.spark_types import from_spark
from puredelta.engine.write.cached_rows import cached
from puredelta.engine.write.file_writer import refresh_caches
from puredelta.engine.write.footers import WrittenFiles
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.log.actions import Action, AddCdcFile, AddFile, Metadata, RemoveFile
from puredelta.log.snapshot import Snapshot
from puredelta.schema.datatypes import StructType
from puredelta.table.columns.schema_check import check_new_schema
from puredelta.table.columns.type_widening import automatic_widening
from puredelta.table.evolution.column_matching import match_columns
from puredelta.table.evolution.matching_rules import Rules
from puredelta.table.expressions.generated_columns import get_generated_columns
from puredelta.table.expressions.identity_columns import check_not_given, identity_columns
from puredelta.table.new_table import spelled
from puredelta.table.protocol.active_definitions import active_definitions
from puredelta.table.protocol.defaults import allows_defaults
from puredelta.table.protocol.feature_activation import maps_columns
from puredelta.table.protocol.protocol import check_writable, schema_of
from puredelta.txn.commit_info import Operation

APPEND, OVERWRITE, DYNAMIC = "append", "overwrite", "dynamic"

_NULLS = "spark.sql.defaultColumn.useNullsForMissingDefaultValues"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """How history names a statement: its name, and its parameters besides the write's own."""

    name: str
    parameters: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """INSERT, `df.write` and `df.writeTo` on an existing table.

    Attributes:
        table: the target.
        frame: the data.
        mode: APPEND, OVERWRITE (all, or what `predicate` selects) or DYNAMIC (the partitions that
            get rows).
        by_name: match columns by name; else by position.
        same_types: refuse other types instead of casting, as `save(path)` does.
        from_sql: it is an INSERT: what it may leave out is other than for a DataFrame.
        partition_by: what the writer was given as partitioning; None for SQL, which says nothing.
        predicate: an overwrite replaces the rows it selects, in SQL.
        options: the writer's options.
        statement: how history names the write, when it is part of another statement.
        base: the version that the data was made from, so that nothing that came later is
            overlooked; the newest by default.
    """

    table: TableRef
    frame: DataFrame
    mode: str
    by_name: bool = True
    same_types: bool = False
    from_sql: bool = False
    partition_by: tuple[str, ...] | None = None
    predicate: str | None = None
    options: WriteOptions = WriteOptions()
    statement: Statement | None = None
    base: Snapshot | None = None

    @statement_scope()
    def run(self, context: Context) -> Snapshot:
        """Write and commit; return the version made, or the one there was if nothing changed.

        Raises:
            DeltaAnalysisError: columns, types or partitioning that don't fit.
            DeltaInvariantViolationError: a row that a rule of the table refuses.
            DeltaConcurrentModificationError: another writer's commit that this one cannot follow.
        """
        before = self.base or self.table.log().latest()
        return self._run(context, writing_app(context, self.options), before, {})

    def _run(
        self,
        context: Context,
        app: Application | None,
        before: Snapshot,
        ranges: Mapping[str, IdentityRange],
    ) -> Snapshot:
        while True:
            try:
                return self._attempt(context, app, before, ranges)
            except IdentityRangeLostError as error:
                taken = error
            before, ranges = reserve(context, self.table, before.metadata, taken)

    def _attempt(
        self,
        context: Context,
        app: Application | None,
        before: Snapshot,
        ranges: Mapping[str, IdentityRange],
    ) -> Snapshot:
        """Write and commit, with numbers for identity columns out of ranges of its own, if any.

        Raises:
            NumbersTakenError: others gave out the numbers of this write; its files are removed.
        """
        check_writable(before.protocol, before.metadata, self.table.label)
        self._check_allowed(context, before)
        transaction = begin(context, self.table, before)
        if is_repeated(context, transaction, app):
            return before
        metadata, matched = self._grown(context, before)
        if metadata != before.metadata and not self.options.data_change:
            raise DeltaAnalysisError("DELTA_DATA_CHANGE_FALSE", op="Change the schema")
        target = WriteTarget(
            context=context,
            table=self.table,
            before=before,
            metadata=metadata,
            options=self.options,
        )
        numbers = IdentityAllocation.of(matched, ranges)
        with self._held() as frame:
            replacement = self._replacement(target, frame)
            written = self._write(target, frame, numbers, matched, replacement)
            replaced = replacement.replaced(written)
        actions = self._actions(context, written, replaced)
        if not actions and metadata == before.metadata:
            return before
        if plan_reads_table(self.frame, self.table.root):
            transaction.read_whole_table()
        replacement.track(transaction, written, replaced)
        lasts = numbers.lasts(target, written)
        with numbers.giving(target, lasts, (written, replaced.rewritten), again=self.base is None):
            marked = numbers.marked(metadata, lasts)
            parameters = self._operation(target, written, replaced)
            after = transaction.commit(
                [*actions, *app_actions(context, app)],
                replace(parameters, tags=tags_of(before.metadata, marked)),
                metadata=marked if marked != before.metadata else None,
                user_metadata=self._user_metadata(context),
            ).snapshot
        refresh_caches(self.frame, self.table.root)
        return after

    def _check_allowed(self, context: Context, before: Snapshot) -> None:
        if self.mode == DYNAMIC and not context.settings.dynamic_overwrite_allowed:
            raise DeltaIllegalArgumentError("DELTA_DYNAMIC_PARTITION_OVERWRITE_DISABLED")
        if self.mode != APPEND:
            check_removable(before, self.table.label)

    # ------------------------------------------------------------------------ schema

    def _grown(self, context: Context, before: Snapshot) -> tuple[Metadata, Match]:
        if self.options.overwrite_schema and self._replaces_all:
            return self._of_data(before)
        self._check_partitioning(before)
        known = active_definitions(before.metadata, before.protocol)
        columns = schema_of(known)
        fixed = {*before.partition_columns, *(column.name for column in identity_columns(columns))}
        rules = Rules(
            table=self.table.label,
            by_name=self.by_name,
            evolve=self._evolves(context),
            same_types=self.same_types,
            from_sql=self.from_sql,
            nulls=setting(context.session, _NULLS, "true") != "false",
            defaults=allows_defaults(before.protocol),
            widening=automatic_widening(before.configuration, context.settings.automatic_widening),
            fixed=frozenset(fixed),
        )
        matched = match_columns(from_spark(self.frame.schema), columns, rules)
        check_not_given(columns, matched.given)
        metadata = evolved_layout(known, matched.schema)
        return (before.metadata if metadata == known else metadata), Match.of(matched)

    def _evolves(self, context: Context) -> bool:
        asked = self.options.merge_schema
        return context.settings.auto_merge if asked is None else asked

    def _of_data(self, before: Snapshot) -> tuple[Metadata, Match]:
        known = active_definitions(before.metadata, before.protocol)
        check_not_given(schema_of(known), self.frame.columns)
        rules = Rules(
            table=self.table.label,
            by_name=True,
            evolve=True,
            same_types=False,
            defaults=allows_defaults(before.protocol),
        )
        matched = match_columns(from_spark(self.frame.schema), StructType(), rules)
        schema = matched.schema
        partition_by = self.partition_by or ()
        is_mapped = maps_columns(before.configuration, schema)
        check_new_schema(schema, partition_by, mapped=is_mapped)
        metadata = msgspec.structs.replace(
            with_schema(before.metadata, schema, replaces=True),
            partition_columns=spelled(schema, partition_by),
        )
        return metadata, Match.of(matched)

    def _check_partitioning(self, before: Snapshot) -> None:
        given = [name.lower() for name in self.partition_by or ()]
        columns = [*self.frame.columns, *(field.name for field in get_generated_columns(before))]
        known = {name.lower() for name in columns}
        for name in self.partition_by or ():
            if name.lower() not in known:
                raise DeltaAnalysisError(
                    "DELTA_PARTITION_COLUMN_NOT_FOUND",
                    columnName=name,
                    schemaMap=self.frame.columns,
                )
        if given and given != [name.lower() for name in before.partition_columns]:
            raise DeltaAnalysisError(
                "DELTA_METADATA_MISMATCH",
                table=self.table.label,
                difference=f"the data is to be partitioned by {list(self.partition_by or ())} and "
                f"the table is partitioned by {before.partition_columns}",
            )

    # ------------------------------------------------------------------------- files

    @property
    def _replaces_all(self) -> bool:
        return self.mode == OVERWRITE and self.predicate is None and not self.options.matches_data

    def _replacement(self, target: WriteTarget, frame: DataFrame) -> Replacement:
        """Plan what goes for the rows of a frame; asked before anything is written."""
        columns = target.before.partition_columns
        if self.mode == APPEND:
            return Nothing()
        if self.options.matches_data:
            return select_matched_rows(target, frame)
        if self.predicate is not None:
            if self.options.replace_where and self.options.dynamic_overwrite and columns:
                raise DeltaIllegalArgumentError(
                    "DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE"
                )
            return select_rows(target, self.predicate)
        if self.mode == DYNAMIC and columns:
            return PartitionsHit(target, null_intolerant=bool(self.options.null_intolerant))
        return WholeTable(target)

    def _held(self) -> AbstractContextManager[DataFrame]:
        """Keep the new rows where they are both written and compared."""
        compared = self.mode != APPEND and self.options.matches_data
        return cached(self.frame) if compared else nullcontext(self.frame)

    def _write(
        self,
        target: WriteTarget,
        frame: DataFrame,
        numbers: IdentityAllocation,
        matched: Match,
        replacement: Replacement,
    ) -> WrittenFiles:
        context, metadata = target.context, target.metadata
        # A shuffle behind the numbering of rows would, when it is repeated, number them otherwise.
        in_place = bool(numbers.columns)
        if in_place:
            frame = in_fewer_tasks(frame, self.options, context.settings, metadata)
        rows = align_columns(
            frame,
            numbers.begun(matched),
            metadata.partition_columns,
            StoreAssignment(context.session, by_name=self.by_name, table=self.table.label),
            requirements_of(metadata.configuration, target.before, replacement.must_hold),
        )
        return write_rows(target, rows, in_place=in_place)

    def _actions(
        self, context: Context, written: WrittenFiles, replaced: RemovedFiles
    ) -> list[Action]:
        """Return the files that come and go: what is new, what goes, what stays of that."""
        adds = (new_files(context, written), new_files(context, replaced.rewritten))
        files: tuple[AddFile | RemoveFile | AddCdcFile, ...] = (
            *adds[0],
            *replaced.changes,
            *map(to_remove_file, replaced.removed),
            *adds[1],
        )
        if self.options.data_change:
            return [*files]
        return [msgspec.structs.replace(file, data_change=False) for file in files]

    def _operation(
        self, target: WriteTarget, written: WrittenFiles, replaced: RemovedFiles
    ) -> Operation:
        told = WriteParameters(
            appends=self.mode == APPEND,
            partition_by=self.partition_by or (),
            predicate=self.options.replace_where if self.mode == APPEND else self.predicate,
            dynamic=self._is_called_dynamic(target.context),
            evolves=self._evolves(target.context),
            options=self.options,
        )
        operation = operation_of(told, target.context.settings, written, replaced)
        if self.statement is None:
            return operation
        parameters = {k: v for k, v in operation.parameters.items() if k != "mode"}
        parameters |= self.statement.parameters
        if "properties" in parameters:
            parameters["properties"] = target.metadata.configuration
        return Operation(self.statement.name, parameters, operation.metrics)

    def _user_metadata(self, context: Context) -> str | None:
        given = self.options.user_metadata
        return context.settings.user_metadata if given is None else given

    def _is_called_dynamic(self, context: Context) -> bool:
        asked = self.options.dynamic_overwrite
        if asked is None and self.mode == OVERWRITE:
            asked = context.settings.dynamic_overwrite
        return self.mode == DYNAMIC or bool(asked)
