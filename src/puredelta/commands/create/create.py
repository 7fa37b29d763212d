"""CREATE and REPLACE TABLE, with or without AS SELECT, and the first write to a path."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pyspark.sql import DataFrame

from puredelta.commands.app_transactions import (
    Application,
    app_actions,
    is_repeated,
    writing_app,
)
from puredelta.commands.create.ctas_files import first_files
from puredelta.commands.create.existing_table import check_clustering_stays, check_same
from puredelta.commands.create.new_table import new_table
from puredelta.commands.create.place import is_free, marked_place
from puredelta.commands.file_metrics import removal_metrics, write_metrics
from puredelta.commands.rows.file_writing import new_files
from puredelta.commands.rows.removed_files import live_files
from puredelta.commands.table_ref import TableRef
from puredelta.commands.transactions import begin
from puredelta.commands.write.overwrite_mode import resolve_overwrite
from puredelta.commands.write.overwrite_options import check_new_table
from puredelta.commands.write.write import OVERWRITE, Write, WriteStatement
from puredelta.commands.write_options import WriteOptions
from puredelta.engine.scan.statement_scope import statement_scope
from puredelta.engine.session.context import Context
from puredelta.engine.write.file_writer import refresh_caches
from puredelta.engine.write.footers import WrittenFiles
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.actions import Action, Metadata, Protocol
from puredelta.log.files import to_remove_file
from puredelta.log.snapshot import Snapshot
from puredelta.log.table_log import TableLog
from puredelta.schema.datatypes import StructType, simple_string
from puredelta.table.clustering import (
    chosen_columns,
    clustering_columns,
    clustering_domain,
    logical_columns,
)
from puredelta.table.columns.schema_check import can_partition
from puredelta.table.protocol.properties import CHECKPOINT_POLICY, DELETION_VECTORS
from puredelta.table.protocol.protocol import (
    check_writable,
    features_of,
    normal_form,
    schema_of,
)
from puredelta.table.protocol.row_tracking import ENABLED as ROW_TRACKING
from puredelta.table.statistics.indexed_columns import Path
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

CREATE, REPLACE, CREATE_OR_REPLACE = "create", "replace", "createOrReplace"

# What a table does to its files and checkpoints, whatever columns it has.
_KEPT = {DELETION_VECTORS.key: "true", ROW_TRACKING: "true", CHECKPOINT_POLICY.key: "v2"}

_NAMES = {
    CREATE: "CREATE TABLE",
    REPLACE: "REPLACE TABLE",
    CREATE_OR_REPLACE: "CREATE OR REPLACE TABLE",
}

# What to do about a folder that is not empty.
_OF_OTHER_FILES = "Choose another place, empty it, or convert what is there with CONVERT TO DELTA."
_OF_TABLE = (
    "A Delta table lies there. Replace it with mode('overwrite') or CREATE OR REPLACE TABLE, give "
    "it the name with CREATE TABLE {name} USING delta LOCATION '{root}', or choose another place."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """CREATE [OR REPLACE] and REPLACE TABLE; one commit, whatever it brings.

    Attributes:
        table: where it will lie and what it is called.
        mode: CREATE, REPLACE or CREATE_OR_REPLACE.
        schema: the columns; those of the query for AS SELECT.
        partition_columns: names, in any case.
        properties: table properties, those that ask for a protocol among them.
        comment: the table's description.
        cluster_by: paths of clustering columns; empty for a table that may get some, None for one
            that is not clustered.
        is_managed: the catalog chose the place and will delete the files with the table.
        frame: the query of AS SELECT.
        options: the writer's options.
        saves_table: it is `saveAsTable` in mode overwrite, which keeps the table that there is.
    """

    table: TableRef
    mode: str
    schema: StructType
    partition_columns: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    comment: str | None = None
    cluster_by: tuple[Path, ...] | None = None
    is_managed: bool = False
    frame: DataFrame | None = None
    options: WriteOptions = WriteOptions()
    saves_table: bool = False

    @statement_scope()
    def run(self, context: Context) -> Snapshot:
        """Create or replace; return the version made, or the one found where it fits.

        Raises:
            DeltaAnalysisError: a schema, partitioning, property or place that cannot be.
        """
        log = self.table.log()
        before = log.latest() if log.exists() else None
        if before is not None and self.mode == CREATE:
            return self._found(before)
        if before is None:
            self._check_columns(context)
            self._check_place(context)
        elif self.saves_table and self.frame is not None:
            return self._saved(context, self.frame)
        elif not self.schema:
            raise DeltaAnalysisError("DELTA_SCHEMA_NOT_PROVIDED")
        if self.frame is not None:
            named = not self.saves_table
            check_new_table(self.options, context, self.table.root, named=named)
        return self._commit(context, log, before)

    def _found(self, before: Snapshot) -> Snapshot:
        if self.frame is not None:
            raise self._not_empty(_OF_TABLE.format(name=self.table.label, root=self.table.root))
        check_same(
            before,
            self.schema,
            self.partition_columns,
            self.cluster_by or (),
            self.properties,
            self.table.root,
        )
        return before

    def _check_place(self, context: Context) -> None:
        if is_free(context.session, self.table.root):
            return
        if self.schema or self.frame is not None:
            raise self._not_empty(_OF_OTHER_FILES)
        raise DeltaAnalysisError(
            "DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_TXN_LOG",
            tableName=self.table.label,
            path=self.table.root,
            logPath=f"{self.table.root}/_delta_log",
        )

    def _check_columns(self, context: Context) -> None:
        if not self.schema and self.frame is None and not context.settings.empty_schema:
            raise DeltaAnalysisError(
                "DELTA_INVALID_MANAGED_TABLE_SYNTAX_NO_SCHEMA",
                tableName=self.table.label,
                docLink="https://docs.delta.io/delta-batch/",
            )

    def _not_empty(self, advice: str) -> DeltaAnalysisError:
        return DeltaAnalysisError(
            "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
            tableId=self.table.label,
            tableLocation=self.table.root,
            advice=advice,
        )

    def _saved(self, context: Context, frame: DataFrame) -> Snapshot:
        """Overwrite an existing table as `saveAsTable` does: it stays the table it was."""
        before = self.table.log().latest()
        metadata = before.metadata
        kept = self._kept_clustering(before)
        write = Write(
            table=self.table,
            frame=frame,
            mode=OVERWRITE,
            partition_by=self.partition_columns,
            options=self.options,
            statement=WriteStatement(
                name=_NAMES[CREATE_OR_REPLACE] + " AS SELECT",
                parameters=self._marked(self._parameters(metadata))
                | self._repartitioned()
                | {"clusterBy": kept},
            ),
        )
        settled = resolve_overwrite(write, context)
        if settled.predicate is not None or self.options.matches_data:
            settled = replace(settled, statement=None)
        return settled.run(context)

    def _kept_clustering(self, before: Snapshot) -> list[str]:
        """Return the clustering columns of a table whose rows are overwritten.

        Raises:
            DeltaAnalysisError: DELTA_CLUSTERING_COLUMNS_MISMATCH when the writer names others.
        """
        kept = logical_columns(before.domains.values(), before.schema)
        if self.cluster_by:
            chosen = chosen_columns(self.cluster_by, self.schema)
            check_clustering_stays(before, [column.logical for column in chosen])
        return [".".join(path) for path in kept]

    def _repartitioned(self) -> dict[str, object]:
        """Return what history says of the partitioning, where the overwrite changes it."""
        if not self.options.overwrite_schema:
            return {}
        return {"partitionBy": list(self.partition_columns)}

    def _commit(self, context: Context, log: TableLog, before: Snapshot | None) -> Snapshot:
        self._check_partitioning()
        metadata, protocol = new_table(
            context,
            self.schema,
            self.partition_columns,
            {**_kept(before), **self.properties},
            self.comment,
            self.cluster_by,
            _kept_features(context, before),
            None if before is None else before.metadata,
        )
        self._check_clustering(before)
        if before is not None:
            check_writable(before.protocol, before.metadata, self.table.label)
        transaction = begin(context, self.table, before)
        app = None if self.frame is None else writing_app(context, self.options)
        # An idempotent write that ran before leaves the table as it is, before any file is written.
        if before is not None and is_repeated(context, transaction, app):
            return before
        is_first = before is None and self.frame is not None
        with marked_place(context.session, self.table.root, log.store, is_new=is_first):
            return self._write(context, log, transaction, metadata, protocol, app)

    def _write(
        self,
        context: Context,
        log: TableLog,
        transaction: Transaction,
        metadata: Metadata,
        protocol: Protocol,
        app: Application | None,
    ) -> Snapshot:
        """Write the rows of the query, if there is one, and commit."""
        before = transaction.snapshot
        written = None
        if self.frame is not None:
            written = first_files(context, self.frame, self.table, log, metadata, self.options)
        replaced = [] if before is None else live_files(before)
        if before is not None and not context.settings.lower_protocol:
            protocol = _raised(before.protocol, protocol)
        if before is not None:
            # Every file is removed, so one that another writer adds meanwhile conflicts: it would
            # stay in the new table.
            transaction.read_whole_table()
        actions: list[Action] = [
            *(new_files(context, written) if written else ()),
            *(to_remove_file(file) for file in replaced),
        ]
        if self.cluster_by:
            actions.append(clustering_domain(chosen_columns(self.cluster_by, schema_of(metadata))))
        actions += app_actions(context, app)
        metrics = self._metrics(written)
        if written is not None and self.mode != CREATE:
            metrics |= removal_metrics(replaced)
        name = _NAMES[self.mode] + (" AS SELECT" if self.frame is not None else "")
        after = transaction.commit(
            actions,
            Operation(name, self._marked(self._parameters(metadata)), metrics),
            metadata=metadata,
            protocol=protocol if before is None or protocol != before.protocol else None,
            is_blind_append=before is None and not (self.mode != CREATE and written is not None),
            user_metadata=self.options.user_metadata or context.settings.user_metadata,
        ).snapshot
        if self.frame is not None:
            refresh_caches(self.frame, self.table.root)
        return after

    def _check_partitioning(self) -> None:
        """Refuse what Spark's catalogs refuse, by the names that they have for it."""
        found = [self.schema.field(name) for name in self.partition_columns]
        for column in found:
            if column is not None and not can_partition(column.data_type):
                raise DeltaAnalysisError(
                    "INVALID_PARTITION_COLUMN_DATA_TYPE", type=simple_string(column.data_type)
                )
        if found and len(found) == len(self.schema.fields):
            raise DeltaAnalysisError("ALL_PARTITION_COLUMNS_NOT_ALLOWED")

    @property
    def _clustering(self) -> list[str]:
        chosen = chosen_columns(self.cluster_by or (), self.schema)
        return [".".join(column.logical) for column in chosen]

    def _check_clustering(self, before: Snapshot | None) -> None:
        there = () if before is None else clustering_columns(before.domains.values())
        if there and self.partition_columns:
            raise DeltaAnalysisError("DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE")

    @staticmethod
    def _metrics(written: WrittenFiles | None) -> dict[str, str]:
        return {} if written is None else write_metrics(written)

    def _marked(self, parameters: dict[str, object]) -> dict[str, object]:
        if not self.saves_table or self.mode == CREATE:
            return parameters
        return {"isV1SaveAsTableOverwrite": True, **parameters}

    def _parameters(self, metadata: Metadata) -> dict[str, object]:
        return {
            "partitionBy": metadata.partition_columns,
            "clusterBy": self._clustering,
            "description": metadata.description,
            "isManaged": "true" if self.is_managed else "false",
            "properties": metadata.configuration,
        }


def _kept_features(context: Context, before: Snapshot | None) -> frozenset[str]:
    if before is None or context.settings.lower_protocol:
        return frozenset()
    return features_of(before.protocol)


def _kept(before: Snapshot | None) -> dict[str, str]:
    """Return the properties that a table keeps when it is replaced."""
    if before is None:
        return {}
    there = before.configuration
    return {key: text for key, text in _KEPT.items() if there.get(key, "").lower() == text}


def _raised(now: Protocol, wanted: Protocol) -> Protocol:
    """Return a protocol with the features of both; a replaced table never loses one."""
    return (
        now
        if features_of(wanted) <= features_of(now)
        else normal_form(features_of(now) | features_of(wanted))
    )
