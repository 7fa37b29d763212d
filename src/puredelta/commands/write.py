"""Append and overwrite: a DataFrame's rows into a table that is there."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec
from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from puredelta._util.clock import now_ms
from puredelta.commands.layout import layout_of, partition_fields, spark_schema, with_schema
from puredelta.commands.matching import Match, Rules, match
from puredelta.commands.metrics import removal_metrics, row_count, write_metrics
from puredelta.commands.new_table import spelled
from puredelta.commands.replaced import live_files, partitions_of, removal, shown
from puredelta.commands.row_source import aligned
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.casting import StoreAssignment
from puredelta.engine.context import Context
from puredelta.engine.footers import Written
from puredelta.engine.partition_filter import Partition, partition_key, selected
from puredelta.engine.spark import reads_table, setting
from puredelta.engine.write import refresh_caches, write_files
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.log.actions import Action, AddFile, Metadata, SetTransaction
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_from_json
from puredelta.table.protocol import check_writable
from puredelta.table.schema_check import check_new_schema
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

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
        partition_by: what the writer was told of partitioning; None for SQL, which says nothing.
        predicate: an overwrite replaces the rows it selects, in SQL over partition columns.
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

    def run(self, context: Context) -> Snapshot:
        """Write and commit; return the version made, or the one there was if nothing changed.

        Raises:
            DeltaAnalysisError: columns, types or partitioning that don't fit.
            DeltaInvariantViolationError: a row that a rule of the table refuses.
            DeltaConcurrentModificationError: another writer's commit that this one cannot follow.
        """
        before = self.base or self.table.log().latest()
        check_writable(before.protocol, before.metadata, self.table.label)
        if self.mode == DYNAMIC and not context.settings.dynamic_overwrite_allowed:
            raise DeltaIllegalArgumentError("DELTA_DYNAMIC_PARTITION_OVERWRITE_DISABLED")
        transaction = begin(context, self.table, before)
        app = writing_app(context, self.options)
        if is_repeated(transaction, app):
            return before
        metadata, matched = self._grown(context, before)
        if metadata != before.metadata and not self.options.data_change:
            raise DeltaAnalysisError("DELTA_DATA_CHANGE_FALSE", op="Change the schema")
        chosen = self._chosen(context, before)
        written = self._write(context, before, metadata, matched)
        replaced = self._replaced(before, written, chosen)
        changed = metadata if metadata != before.metadata else None
        changes = self.options.data_change
        actions: list[Action] = [
            *(
                msgspec.structs.replace(file, data_change=changes)
                for file in new_files(context, written)
            ),
            *(msgspec.structs.replace(removal(file), data_change=changes) for file in replaced),
        ]
        if not actions and changed is None:
            return before
        actions += app_actions(context, app)
        reads = self.mode == APPEND and reads_table(self.frame, self.table.root)
        if reads or self.mode != APPEND:
            self._track(transaction, context, before, written, replaced)
        after = transaction.commit(
            actions,
            self._operation(context, written, replaced),
            metadata=changed,
            user_metadata=self.options.user_metadata or context.settings.user_metadata,
        ).snapshot
        refresh_caches(self.frame, self.table.root)
        return after

    # ------------------------------------------------------------------------ schema

    def _grown(self, context: Context, before: Snapshot) -> tuple[Metadata, Match]:
        if self.options.overwrite_schema and self._replaces_all:
            return self._of_data(before)
        self._check_partitioning(before)
        evolve = self.options.merge_schema
        rules = Rules(
            table=self.table.label,
            by_name=self.by_name,
            evolve=context.settings.auto_merge if evolve is None else evolve,
            same_types=self.same_types,
            from_sql=self.from_sql,
            nulls=setting(context.session, _NULLS, "true") != "false",
        )
        matched = match(self.frame.schema, spark_schema(before.metadata), rules)
        return with_schema(before.metadata, matched.schema), matched

    def _of_data(self, before: Snapshot) -> tuple[Metadata, Match]:
        rules = Rules(table=self.table.label, by_name=True, evolve=True, same_types=False)
        matched = match(self.frame.schema, StructType([]), rules)
        schema = schema_from_json(matched.schema.json())
        partition_by = self.partition_by or ()
        check_new_schema(schema, partition_by)
        metadata = msgspec.structs.replace(
            with_schema(before.metadata, matched.schema),
            partition_columns=spelled(schema, partition_by),
        )
        return metadata, matched

    def _check_partitioning(self, before: Snapshot) -> None:
        given = [name.lower() for name in self.partition_by or ()]
        known = {name.lower() for name in self.frame.columns}
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

    def _write(
        self, context: Context, before: Snapshot, metadata: Metadata, matched: Match
    ) -> Written:
        assignment = StoreAssignment(context.session, by_name=self.by_name, table=self.table.label)
        rows = aligned(
            self.frame,
            matched,
            metadata.partition_columns,
            assignment,
            must_hold=self.predicate if self._checks_rows(context) else None,
        )
        options = {**self.options.parquet, **self.table.options}
        folder = context.settings.data_folder
        return write_files(
            rows, self.table.root, before.store, layout_of(metadata), options, folder
        )

    def _checks_rows(self, context: Context) -> bool:
        return self.mode == OVERWRITE and context.settings.replaced_rows_match

    @property
    def _replaces_all(self) -> bool:
        return self.mode == OVERWRITE and self.predicate is None

    def _chosen(self, context: Context, before: Snapshot) -> set[Partition]:
        """Say which partitions replaceWhere selects; asked before anything is written."""
        if self.mode != OVERWRITE or self.predicate is None:
            return set()
        there = partitions_of(live_files(before), before.partition_columns)
        return selected(
            context.session,
            self.predicate,
            there,
            partition_fields(before),
            before.schema.names,
        )

    def _replaced(
        self, before: Snapshot, written: Written, chosen: set[Partition]
    ) -> list[AddFile]:
        if self.mode == APPEND:
            return []
        if self.mode == DYNAMIC and before.partition_columns:
            new = set(partitions_of(written.files, before.partition_columns))
            return live_files(before, new.__contains__)
        return live_files(before, None if self.predicate is None else chosen.__contains__)

    def _track(
        self,
        transaction: Transaction,
        context: Context,
        before: Snapshot,
        written: Written,
        replaced: list[AddFile],
    ) -> None:
        """Tell the transaction what was read, so that it knows which winners are in the way."""
        columns = before.partition_columns
        predicate = self.predicate if self.mode == OVERWRITE else None
        if not columns or (self.mode != DYNAMIC and predicate is None):
            transaction.read_whole_table()
            return
        transaction.read_files(shown(replaced))
        touched = set(partitions_of([*written.files, *replaced], columns))

        def concerns(values: Mapping[str, str | None]) -> bool:
            key = partition_key(values, columns)
            if predicate is None or key in touched:
                return key in touched
            return bool(selected(context.session, predicate, [key], partition_fields(before)))

        transaction.read_partitions(concerns, predicate or "the partitions written")

    # ----------------------------------------------------------------------- history

    def _operation(self, context: Context, written: Written, replaced: list[AddFile]) -> Operation:
        parameters: dict[str, object] = {
            "mode": "Append" if self.mode == APPEND else "Overwrite",
            "partitionBy": list(self.partition_by or ()),
        }
        if self.predicate is not None and self.mode == OVERWRITE:
            parameters["predicate"] = self.predicate
        if self.options.dynamic_overwrite or self.mode == DYNAMIC:
            parameters["isDynamicPartitionOverwrite"] = True
        if self.options.overwrite_schema:
            parameters["canOverwriteSchema"] = True
        if self.options.merge_schema:
            parameters["canMergeSchema"] = True
        metrics = write_metrics(written)
        if self.mode != APPEND and context.settings.removal_metrics:
            metrics |= removal_metrics(replaced)
        if "predicate" in parameters:
            metrics |= {"numAddedChangeFiles": "0", "numCopiedRows": "0"}
            metrics["numDeletedRows"] = str(row_count(replaced))
        if self.statement is not None:
            del parameters["mode"]
            return Operation(self.statement.name, parameters | self.statement.parameters, metrics)
        return Operation("WRITE", parameters, metrics)


def new_files(context: Context, written: Written) -> list[AddFile]:
    """Return the files of a write, with statistics unless the session does without."""
    if context.settings.collect_stats:
        return list(written.files)
    return [msgspec.structs.replace(file, stats=None) for file in written.files]


def writing_app(context: Context, options: WriteOptions) -> tuple[str, int] | None:
    """Return the application that writes and its version: the writer's option, or the session's.

    Raises:
        DeltaIllegalArgumentError: DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS.
    """
    given = context.settings.app
    if options.app is not None or given is None:
        return options.app
    name, version = given
    if name is None or version is None:
        missing = "txnAppId" if name is None else "txnVersion"
        raise DeltaIllegalArgumentError(
            "DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS", explain=f"{missing} is not set"
        )
    return name, version


def is_repeated(transaction: Transaction, app: tuple[str, int] | None) -> bool:
    """Say whether the table has what an application writes already (txnAppId, txnVersion)."""
    if app is None:
        return False
    last = transaction.read_app(app[0])
    return last is not None and last >= app[1]


def app_actions(context: Context, app: tuple[str, int] | None) -> list[Action]:
    """Return the record of what the application has written, if it says who it is."""
    if app is None:
        return []
    context.use_up_app_version()
    name, version = app
    return [SetTransaction(app_id=name, version=version, last_updated=now_ms())]


def resolved_overwrite(write: Write, context: Context) -> Write:
    """Settle what an overwrite replaces: all, what replaceWhere selects, or the partitions hit.

    Raises:
        DeltaIllegalArgumentError: options that exclude each other.
    """
    options = write.options
    if write.mode != OVERWRITE:
        return write
    if options.replace_where is not None:
        if options.dynamic_overwrite:
            raise DeltaIllegalArgumentError("DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE")
        return replace(write, predicate=options.replace_where)
    dynamic = options.dynamic_overwrite
    if dynamic is None:
        dynamic = context.settings.dynamic_overwrite and write.predicate is None
    if not dynamic:
        return write
    if options.overwrite_schema:
        raise DeltaIllegalArgumentError("DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE")
    return replace(write, mode=DYNAMIC)
