"""Append and overwrite: a DataFrame's rows into a table that is there."""

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial

import msgspec
from pyspark.sql import DataFrame

from puredelta.commands.app_transactions import (
    Application,
    app_actions,
    is_repeated,
    writing_app,
)
from puredelta.commands.rows.column_matching import Match
from puredelta.commands.rows.file_writing import (
    discard,
    in_fewer_tasks,
    new_files,
    write_rows,
    written_paths,
)
from puredelta.commands.rows.identity_ranges import (
    NO_RANGES,
    IdentityAllocation,
    Ranges,
    run_with_identity,
    tags_of,
)
from puredelta.commands.rows.removed_files import (
    check_not_append_only,
    marked_actions,
)
from puredelta.commands.rows.row_alignment import align_columns
from puredelta.commands.rows.row_constraints import requirements_of
from puredelta.commands.rows.target import RemovedFiles, WriteTarget
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.commands.write.dynamic_partitions import PartitionsHit
from puredelta.commands.write.history import StreamBatch, WriteParameters, operation_of
from puredelta.commands.write.new_columns import match_to_table, replace_columns
from puredelta.commands.write.preview import WritePreview, preview_of
from puredelta.commands.write.replace_on import select_matched_rows
from puredelta.commands.write.replace_where import select_rows
from puredelta.commands.write.strategies import Nothing, Replacement, WholeTable
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.row_checks.store_assignment import StoreAssignment
from puredelta.engine.scan.statement_scope import statement_scope
from puredelta.engine.session.context import Context
from puredelta.engine.session.sessions import setting
from puredelta.engine.session.spark_types import from_spark
from puredelta.engine.session.table_reads import plan_reads_table
from puredelta.engine.write.cached_rows import cached
from puredelta.engine.write.file_writer import refresh_caches
from puredelta.engine.write.footers import WrittenFiles
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.log.actions import Action, AddCdcFile, AddFile, Metadata, RemoveFile
from puredelta.log.files import to_remove_file
from puredelta.log.snapshot import Snapshot
from puredelta.table.deletion_vectors.writing import vector_files
from puredelta.table.evolution.matching_rules import MatchingRules
from puredelta.table.protocol.protocol import check_writable
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

APPEND, OVERWRITE, DYNAMIC = "append", "overwrite", "dynamic"

_NULLS = "spark.sql.defaultColumn.useNullsForMissingDefaultValues"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteStatement:
    """How history names a statement: its name, and its parameters besides the write's own."""

    name: str
    parameters: dict[str, object]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a write does, decided before it reads rows.

    Attributes:
        target: the table, with the metadata that it gets.
        matched: which column of the data goes where.
        identity: the values of identity columns that the data lacks.
    """

    target: WriteTarget
    matched: Match
    identity: IdentityAllocation


@dataclass(frozen=True, slots=True)
class _Files:
    """What a write put into storage, before its commit.

    Attributes:
        written: the files of new rows.
        replaced: what goes for them, and what stays of it.
        replacement: says what was read to know that.
    """

    written: WrittenFiles
    replaced: RemovedFiles
    replacement: Replacement


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
        batch: the batch of a streaming query that the data is; it is committed without rows, too.
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
    statement: WriteStatement | None = None
    batch: StreamBatch | None = None
    base: Snapshot | None = None

    @statement_scope()
    def run(self, context: Context) -> Snapshot:
        """Write and commit; return the version made, or the one there was if nothing changed.

        With the option `dryRun` it prints what it would do, as `DataFrame.explain` does, since a
        writer of Spark returns nothing.

        Raises:
            DeltaAnalysisError: columns, types or partitioning that don't fit.
            DeltaInvariantViolationError: a row that a rule of the table refuses.
            DeltaConcurrentModificationError: another writer's commit that this one cannot follow.
        """
        before = self.base or self.table.log().latest()
        if self.options.dry_run:
            print(replace(self, base=before).preview(context))  # noqa: T201  # its only way out
            return before
        attempt = partial(self._attempt, context, writing_app(context, self.options))
        return run_with_identity(context, self.table, before, attempt)

    @statement_scope()
    def preview(self, context: Context) -> WritePreview:
        """Check and count what the write would do; nothing is committed.

        The rows are computed and written, since only then every rule is checked and every file
        known that would go, and the new files are removed again.

        Raises:
            DeltaError: what `run` raises before it commits.
        """
        before = self.base or self.table.log().latest()
        self._check_allowed(context, before)
        plan = self._plan(context, before, NO_RANGES)
        files = self._write(plan)
        made = written_paths(files.written, files.replaced.rewritten)
        changes = [file.path for file in files.replaced.changes]
        vectors = vector_files(files.replaced.marked.after, before.store.url)
        discard(plan.target, [*made, *changes, *vectors])
        return preview_of(plan.target, files.written, files.replaced)

    def _attempt(
        self, context: Context, app: Application | None, before: Snapshot, ranges: Ranges
    ) -> Snapshot:
        """Write and commit on top of a version, with the identity values reserved for the write.

        Raises:
            IdentityRangeLostError: another writer gave out the values of this write first.
        """
        self._check_allowed(context, before)
        transaction = begin(context, self.table, before)
        if is_repeated(context, transaction, app):
            return before
        plan = self._plan(context, before, ranges)
        files = self._write(plan)
        return self._commit(transaction, plan, files, app)

    # -------------------------------------------------------------------- the three steps

    def _plan(self, context: Context, before: Snapshot, ranges: Ranges) -> _Plan:
        """Decide what the table's columns are afterwards; no row is read."""
        metadata, matched = self._new_columns(context, before)
        if metadata != before.metadata and not self.options.data_change:
            raise DeltaAnalysisError("DELTA_DATA_CHANGE_FALSE", op="Change the schema")
        target = WriteTarget(
            context=context,
            table=self.table,
            before=before,
            metadata=metadata,
            options=self.options,
        )
        sources = zip(matched.schema, matched.sources, strict=True)
        left_out = [field for field, place in sources if place is None]
        return _Plan(target, matched, IdentityAllocation.of(left_out, ranges))

    def _write(self, plan: _Plan) -> _Files:
        """Write the new rows, and what stays of files that go; no reader sees them yet."""
        # Rows that are compared with those of the table are read twice.
        compares = self.mode != APPEND and self.options.matches_data
        with cached(self.frame) if compares else nullcontext(self.frame) as frame:
            replacement = self._replacement(plan.target, frame)
            written = self._write_new(plan, frame, replacement.must_hold)
            replaced = replacement.replaced(written)
        return _Files(written, replaced, replacement)

    def _commit(
        self, transaction: Transaction, plan: _Plan, files: _Files, app: Application | None
    ) -> Snapshot:
        """Commit what was written; return the version made, or the one there was."""
        target, written, replaced = plan.target, files.written, files.replaced
        context, before = target.context, target.before
        actions = self._actions(context, written, replaced)
        if not actions and target.metadata == before.metadata and self.batch is None:
            return before
        if self._reads_table:
            transaction.read_whole_table()
        files.replacement.track(transaction, written, replaced)
        with plan.identity.commit_scope(
            target, written, replaced.rewritten, can_repeat=self.base is None
        ) as metadata:
            operation = self._operation(target, written, replaced)
            after = transaction.commit(
                [*actions, *app_actions(context, app)],
                replace(operation, tags=tags_of(before.metadata, metadata)),
                metadata=metadata if metadata != before.metadata else None,
                user_metadata=self._user_metadata(context),
            ).snapshot
        refresh_caches(self.frame, self.table.root)
        return after

    def _check_allowed(self, context: Context, before: Snapshot) -> None:
        check_writable(before.protocol, before.metadata, self.table.label)
        if self.mode == DYNAMIC and not context.settings.dynamic_overwrite_allowed:
            raise DeltaIllegalArgumentError("DELTA_DYNAMIC_PARTITION_OVERWRITE_DISABLED")
        if self.mode != APPEND:
            check_not_append_only(before, self.table.label)

    # ----------------------------------------------------------------------- columns

    def _new_columns(self, context: Context, before: Snapshot) -> tuple[Metadata, Match]:
        data, partition_by = from_spark(self.frame.schema), self.partition_by or ()
        if self.options.overwrite_schema and self._replaces_all:
            return replace_columns(before, data, partition_by, self.table.label)
        rules = MatchingRules(
            table=self.table.label,
            by_name=self.by_name,
            evolve=self._evolves(context),
            same_types=self.same_types,
            from_sql=self.from_sql,
            nulls=setting(context.session, _NULLS, "true") != "false",
        )
        return match_to_table(context, before, data, partition_by, rules)

    def _evolves(self, context: Context) -> bool:
        asked = self.options.merge_schema
        return context.settings.auto_merge if asked is None else asked

    # ------------------------------------------------------------------------- files

    @property
    def _replaces_all(self) -> bool:
        return self.mode == OVERWRITE and self.predicate is None and not self.options.matches_data

    @property
    def _reads_table(self) -> bool:
        # The frame of a batch has its rows only, whatever the query reads.
        if self.batch is not None:
            return self.batch.reads_table
        return plan_reads_table(self.frame, self.table.root)

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

    def _write_new(self, plan: _Plan, frame: DataFrame, must_hold: str | None) -> WrittenFiles:
        target, metadata = plan.target, plan.target.metadata
        context = target.context
        # A shuffle behind the numbering of rows would, when it is repeated, number them otherwise.
        in_place = bool(plan.identity.columns)
        if in_place:
            frame = in_fewer_tasks(frame, self.options, context.settings, metadata)
        rows = align_columns(
            frame,
            replace(plan.matched, schema=plan.identity.with_start(plan.matched.schema)),
            metadata.partition_columns,
            StoreAssignment(context.session, by_name=self.by_name, table=self.table.label),
            requirements_of(metadata.configuration, target.before, must_hold),
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
            *marked_actions(replaced.marked),
            *adds[1],
        )
        if self.options.data_change:
            return [*files]
        return [msgspec.structs.replace(file, data_change=False) for file in files]

    def _operation(
        self, target: WriteTarget, written: WrittenFiles, replaced: RemovedFiles
    ) -> Operation:
        if self.batch is not None:
            return self.batch.operation(written, replaced)
        described = WriteParameters(
            appends=self.mode == APPEND,
            partition_by=self.partition_by or (),
            predicate=self.options.replace_where if self.mode == APPEND else self.predicate,
            dynamic=self._is_called_dynamic(target.context),
            evolves=self._evolves(target.context),
            options=self.options,
        )
        operation = operation_of(described, target.context.settings, written, replaced)
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
