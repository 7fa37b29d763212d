"""A batch of a streaming query, written once: into a table that is there, or one that it makes."""

from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from puredelta.commands.create.first_save import FirstSave
from puredelta.commands.keyed.upsert import Upsert
from puredelta.commands.table_ref import TableRef
from puredelta.commands.write.history import StreamBatch
from puredelta.commands.write.write import APPEND, OVERWRITE, Write
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.row_checks.null_type_columns import has_null_type
from puredelta.engine.session.context import Context
from puredelta.errors.classes import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.schema.column_path import quote_name
from puredelta.table.statistics.indexed_columns import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamKey:
    """By what the rows of a stream are merged into a table.

    Attributes:
        columns: the key.
        sequence_by: the column in which the newest row of a key is greatest. Rows that come late
            have less in it than the row that the table has, which stays. None: later batches win.
    """

    columns: tuple[str, ...]
    sequence_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamWrite:
    """The rows of one batch on their way into a table.

    The commit holds the query's id and the number of the batch (protocol: Transaction Identifiers),
    so that a batch which Spark repeats after a crash is left out.

    Attributes:
        table: the target.
        frame: the rows of the batch. They are computed by one job.
        batch: which batch this is.
        partition_by: the writer's partition columns; empty where it names none.
        cluster_by: the paths of the writer's clustering columns, for a table that the batch makes.
        options: the writer's options, as `options_of_stream` gives them.
        key: merge the rows by it; None adds them, or replaces all rows.
    """

    table: TableRef
    frame: DataFrame
    batch: StreamBatch
    partition_by: tuple[str, ...] = ()
    cluster_by: tuple[Path, ...] | None = None
    options: WriteOptions = WriteOptions()
    key: StreamKey | None = None

    def run(self, context: Context) -> None:
        """Write and commit, unless a version has the batch already.

        Raises:
            DeltaAnalysisError: DELTA_NULL_SCHEMA_IN_STREAMING_WRITE, and columns, types or
                partitioning that don't fit.
            DeltaInvariantViolationError: a row that violates a constraint of the table.
            DeltaUnsupportedOperationError: DELTA_CANNOT_MODIFY_APPEND_ONLY in mode complete.
            DeltaRuntimeError: PUREDELTA_DUPLICATE_KEYS, without `sequence_by`.
            ConcurrentTransactionError: the same query runs a second time.
        """
        if has_null_type(self.frame.schema):
            raise DeltaAnalysisError("DELTA_NULL_SCHEMA_IN_STREAMING_WRITE")
        if self.key is not None:
            self._merge(self.key).run(context)
            return
        options = replace(self.options, app=self._app)
        if not self.table.log().exists():
            self._first(options).run(context)
            return
        write = Write(
            table=self.table,
            frame=self.frame,
            mode=OVERWRITE if self.batch.complete else APPEND,
            partition_by=self.partition_by,
            options=options,
            batch=self.batch,
        )
        write.run(context)

    @property
    def _app(self) -> tuple[str, int]:
        return self.batch.query, self.batch.number

    def _merge(self, key: StreamKey) -> Upsert:
        return Upsert(
            table=self.table,
            frame=self.frame,
            key=key.columns,
            order_by=None if key.sequence_by is None else quote_name(key.sequence_by),
            evolve=bool(self.options.merge_schema),
            newer_by=key.sequence_by,
            app=self._app,
            reads_target=self.batch.reads_table,
        )

    def _first(self, options: WriteOptions) -> FirstSave:
        return FirstSave(
            table=self.table,
            frame=self.frame,
            mode="Overwrite" if self.batch.complete else "Append",
            partition_by=self.partition_by,
            cluster_by=self.cluster_by,
            options=options,
            batch=self.batch,
        )


def options_of_stream(options: WriteOptions) -> WriteOptions:
    """Return the options of a streaming write: those that say which rows go have no effect.

    Each batch adds its rows, or replaces all rows of the table.

    Args:
        options: the writer's.

    Raises:
        DeltaIllegalArgumentError: DELTA_ILLEGAL_OPTION for a dry run, which would lose its rows.
    """
    if options.dry_run:
        raise DeltaIllegalArgumentError(
            "DELTA_ILLEGAL_OPTION",
            input="true",
            name="dryRun",
            explain="the query would go on to the next batch without the rows of this one; leave "
            "it out, or give it to a batch write inside foreachBatch",
        )
    return replace(
        options,
        replace_where=None,
        dynamic_overwrite=None,
        replace_on=None,
        target_alias=None,
        replace_using=None,
        null_intolerant=None,
        data_change=True,
    )
