"""Plays transactions of the model against a real log in memory, interleaved as one likes."""

import json
from collections import Counter

import msgspec

from puredelta.errors import DeltaConcurrentModificationError
from puredelta.log.actions import AddFile, Format, Metadata, RemoveFile, SetTransaction
from puredelta.log.files import add_files, canonical_path
from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, STRING, StructField, StructType
from puredelta.storage.memory import MemoryStore
from puredelta.table.protocol.protocol import protocol_for_new_table
from puredelta.txn.commit_info import BACKFILL, Operation
from puredelta.txn.retry_policy import RetryPolicy
from puredelta.txn.row_id_check import files_without_ids
from puredelta.txn.transaction import Transaction
from tests.properties.serial_model import PARTITIONS, Table

SCHEMA = StructType((StructField("a", LONG), StructField("p", STRING)))
OURS = ("mine", "delta.enableDeletionVectors")
ASKED = {
    "delta.enableRowTracking": "true",
    "delta.enableInCommitTimestamps": "true",
    "delta.feature.deletionVectors": "supported",
}

LATE_IDS = {
    **ASKED,
    "delta.enableRowTracking": "false",
    "delta.feature.rowTracking": "supported",
    "delta.rowTrackingSuspended": "true",
}


class Driver:
    """A table, the transactions open on it, and what each of those that landed had seen.

    Args:
        isolation: The level that the table asks for.
        clock: Gives the time; need not go forward.
        late_ids: Do the first files get no row ids, so that a backfill has something to do?
    """

    def __init__(self, isolation, clock, *, late_ids=False):
        self.store = MemoryStore()
        self.contents = {}
        self.landed = []
        self.refused = []
        self._clock = clock
        self._open = {}
        protocol, stored = protocol_for_new_table(LATE_IDS if late_ids else ASKED, SCHEMA)
        metadata = Metadata(
            id="t", format=Format(), schema_string=schema_to_json(SCHEMA), partition_columns=["p"],
            configuration={**stored, "delta.isolationLevel": isolation},
        )  # fmt: skip
        self._begun().commit(
            self._adds("start", {p: [f"start {p}"] for p in PARTITIONS}),
            Operation("CREATE TABLE AS SELECT"),
            metadata=metadata,
            protocol=protocol,
        )
        if late_ids:
            given = {**stored, "delta.rowTrackingSuspended": "false"}
            now = msgspec.structs.replace(metadata, configuration=given)
            self._begun().commit([], Operation("SET TBLPROPERTIES"), metadata=now)

    def state(self, version=None):
        """The table at a version, as the model has it."""
        log = TableLog(self.store)
        snapshot = log.latest() if version is None else log.at_version(version)
        table = Table()
        for row in snapshot.files.to_pylist():
            partition = dict(row["partition_values"])["p"]
            table.rows[partition] += Counter(self.contents[row["path"]])
        table.properties = {k: v for k, v in snapshot.configuration.items() if k in OURS}
        apps = snapshot.transactions.values()
        table.apps = {one.app_id: f"work {one.version}" for one in apps}
        return table

    def row_ids(self):
        """The first row id of each live file."""
        files = TableLog(self.store).latest().files.to_pylist()
        return {row["path"]: row["base_row_id"] for row in files}

    def begin(self, work):
        """Start a transaction: it reads."""
        transaction = self._begun()
        if work.kind == "overwrite":
            transaction.read_whole_table()
        elif work.kind == "app append":
            transaction.read_app("q")
        elif work.reads:
            transaction.read_files(row["path"] for row in self._read(transaction, work))
            transaction.read_partitions(lambda values: values["p"] == work.source, "p = ...")
        seen = work.seen(self.state(transaction.snapshot.version))
        self._open[work.name] = (transaction, seen)

    def commit(self, work):
        """Let it land, or note that it was refused."""
        transaction, seen = self._open.pop(work.name)
        try:
            result = transaction.commit(
                self._actions(transaction, work, seen),
                Operation(BACKFILL if work.kind == "backfill" else work.kind),
                metadata=self._metadata(transaction, work),
            )
        except DeltaConcurrentModificationError as conflict:
            self.refused.append((work, conflict))
        else:
            self.landed.append((result.version, work, seen, transaction.snapshot.version))

    def lines(self, version):
        """The lines of a commit."""
        text = self.store.read(f"_delta_log/{version:020}.json").decode()
        return [json.loads(line) for line in text.splitlines()]

    def _begun(self):
        log = TableLog(self.store)
        return Transaction(
            log,
            log.latest() if log.exists() else None,
            now=self._clock,
            patience=RetryPolicy(sleep=lambda _: None),
        )

    @staticmethod
    def _read(transaction, work):
        rows = transaction.snapshot.files.to_pylist()
        return [row for row in rows if dict(row["partition_values"])["p"] in work.reads]

    def _actions(self, transaction, work, seen):
        if work.kind == "backfill":
            missing = add_files(files_without_ids(transaction.snapshot.files))
            return [msgspec.structs.replace(one, data_change=False) for one in missing]
        changes = not work.keeps_rows
        into = work.source if work.keeps_rows else work.target
        made = work.made(seen)
        adds = self._adds(work.name, {into: made} if made else {})
        removes = [
            RemoveFile(
                path=row["path"], deletion_timestamp=1, data_change=changes,
                partition_values=dict(row["partition_values"]), size=1,
            )
            for row in (self._read(transaction, work) if work.removes else ())
        ]  # fmt: skip
        actions = [*removes, *(msgspec.structs.replace(one, data_change=changes) for one in adds)]
        if work.kind == "app append":
            actions.append(SetTransaction(app_id="q", version=int(work.name.split()[1])))
        return actions

    @staticmethod
    def _metadata(transaction, work):
        wanted = {
            "set property": {"mine": work.name},
            "turn on": {"delta.enableDeletionVectors": "true"},
        }.get(work.kind)
        if wanted is None:
            return None
        now = transaction.snapshot.metadata
        return msgspec.structs.replace(now, configuration={**now.configuration, **wanted})

    def _adds(self, name, rows_by_partition):
        adds = []
        for partition, rows in rows_by_partition.items():
            path = f"{name} {partition}.parquet".replace(" ", "-")
            self.contents[canonical_path(path)] = list(rows)
            adds.append(
                AddFile(
                    path=path, partition_values={"p": partition}, size=1, modification_time=1,
                    data_change=True, stats=json.dumps({"numRecords": len(rows)}),
                )
            )  # fmt: skip
        return adds
