"""`df.write.save(path)` where there is no table yet."""

from dataclasses import dataclass

from pyspark.sql import DataFrame

from puredelta.commands.app_transactions import app_actions, writing_app
from puredelta.commands.create.ctas_files import first_files, stored_schema
from puredelta.commands.create.new_table import new_table
from puredelta.commands.file_metrics import removal_metrics, write_metrics
from puredelta.commands.rows.file_writing import new_files
from puredelta.commands.rows.target import RemovedFiles
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.commands.write.history import StreamBatch
from puredelta.commands.write.overwrite_options import check_new_table
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.scan.statement_scope import statement_scope
from puredelta.engine.session.context import Context
from puredelta.engine.write.footers import WrittenFiles
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.table.clustering import chosen_columns, clustering_domain
from puredelta.table.protocol.defaults import without_defaults
from puredelta.table.protocol.protocol import schema_of
from puredelta.table.statistics.indexed_columns import Path
from puredelta.txn.commit_info import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstSave:
    """`df.write.format("delta").save(path)` where there is no table yet: history calls it WRITE.

    Attributes:
        table: where the table will lie.
        frame: the data.
        mode: how history names the writer's mode, e.g. `ErrorIfExists`.
        partition_by: the writer's partition columns.
        cluster_by: the paths of the writer's clustering columns; None where it names none.
        options: the writer's options.
        batch: the batch of a streaming query that the data is.
    """

    table: TableRef
    frame: DataFrame
    mode: str
    partition_by: tuple[str, ...] = ()
    cluster_by: tuple[Path, ...] | None = None
    options: WriteOptions = WriteOptions()
    batch: StreamBatch | None = None

    @statement_scope()
    def run(self, context: Context) -> Snapshot:
        """Create the table with its first rows; return version 0.

        Raises:
            DeltaIllegalArgumentError: DELTA_ILLEGAL_OPTION for a dry run.
            DeltaAnalysisError: DELTA_EMPTY_DATA, or a schema or partitioning that cannot be.
        """
        check_new_table(self.options, context, self.table.root, named=False)
        app = writing_app(context, self.options)
        schema = without_defaults(stored_schema(self.frame))
        if not schema:
            raise DeltaAnalysisError("DELTA_EMPTY_DATA")
        log = self.table.log()
        metadata, protocol = new_table(
            context,
            schema,
            self.partition_by,
            self.options.properties,
            cluster_by=self.cluster_by,
        )
        written = first_files(context, self.frame, self.table, log, metadata, self.options)
        chosen = chosen_columns(self.cluster_by or (), schema_of(metadata))
        clustering = [clustering_domain(chosen)] if chosen else []
        transaction = begin(context, self.table, None)
        return transaction.commit(
            [*clustering, *new_files(context, written), *app_actions(context, app)],
            self._operation(written),
            metadata=metadata,
            protocol=protocol,
            is_blind_append=self.mode != "Overwrite" or self.options.replace_where is not None,
            user_metadata=self.options.user_metadata or context.settings.user_metadata,
        ).snapshot

    def _operation(self, written: WrittenFiles) -> Operation:
        if self.batch is not None:
            return self.batch.operation(written, RemovedFiles())
        parameters: dict[str, object] = {
            "mode": self.mode,
            "partitionBy": list(self.partition_by),
        }
        if self.options.merge_schema:
            parameters["canMergeSchema"] = True
        metrics = write_metrics(written)
        if self.options.replace_where is not None:
            parameters["predicate"] = self.options.replace_where
            metrics |= {"numAddedChangeFiles": "0", "numCopiedRows": "0"}
        elif self.mode == "Overwrite":
            metrics |= removal_metrics([])
        return Operation("WRITE", parameters, metrics)
