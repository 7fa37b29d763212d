"""Writing processes that need no Spark: rows as Parquet, commits through `txn`, killed at will."""

import io
import os
import signal
import sys
import uuid
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from puredelta.log.actions import AddFile, Format, Metadata, RemoveFile
from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, StructField, StructType
from puredelta.storage.local import LocalStore
from puredelta.table.protocol.protocol import protocol_for_new_table
from puredelta.table.statistics.file_stats import stats_from_arrow
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction

SCHEMA = StructType((StructField("id", LONG),))
ROWS = 6
FILES = 2
INTERVAL = {"delta.checkpointInterval": "2"}

STEPS = ("create", "append", "append", "overwrite", "append")
"""What a writer does, one commit each; every second version gets a checkpoint."""


@dataclass(frozen=True)
class KillAt:
    """The step at which a process ends itself.

    Attributes:
        kind: `before` or `after` a call of the store, or `os`: before a call of the system.
        number: Which one, from 0.
    """

    kind: str
    number: int


def rows_of(step):
    """The rows that a commit brings."""
    return set(range(step * ROWS, (step + 1) * ROWS))


def states():
    """The rows of the table before the first commit and after each one."""
    found = [set()]
    for number, step in enumerate(STEPS):
        if step == "create":
            found.append(set())
        elif step == "append":
            found.append(found[-1] | rows_of(number))
        else:
            found.append(rows_of(number))
    return found


def create(log, properties=None):
    """Make version 0, without rows."""
    configuration = INTERVAL if properties is None else properties
    protocol, stored = protocol_for_new_table(configuration, SCHEMA)
    metadata = Metadata(
        id=str(uuid.uuid4()),
        format=Format(),
        schema_string=schema_to_json(SCHEMA),
        partition_columns=[],
        configuration=stored,
    )
    created = Operation("CREATE TABLE")
    return Transaction(log, None).commit([], created, metadata=metadata, protocol=protocol)


def put_rows(store, ids, files=FILES):
    """Write rows into data files, and say how the log has to name them."""
    ordered = sorted(ids)
    size = -(-len(ordered) // files)
    return [
        put_file(store, ordered[start : start + size]) for start in range(0, len(ordered), size)
    ]


def put_file(store, ids):
    """Write one data file."""
    table = pa.table({"id": pa.array(ids, pa.int64())})
    out = io.BytesIO()
    pq.write_table(table, out)
    path = f"part-{uuid.uuid4()}.parquet"
    store.put(path, out.getvalue())
    return AddFile(
        path=path,
        partition_values={},
        size=len(out.getvalue()),
        modification_time=1,
        data_change=True,
        stats=stats_from_arrow(table, SCHEMA),
    )


def append(log, ids):
    """Add rows, without looking at those that are there."""
    return Transaction(log, log.latest()).commit(put_rows(log.store, ids), Operation("WRITE"))


def overwrite(log, ids):
    """Put rows in the place of all that are there."""
    snapshot = log.latest()
    transaction = Transaction(log, snapshot)
    transaction.read_whole_table()
    old = [
        RemoveFile(path=path, deletion_timestamp=1, data_change=True, partition_values={})
        for path in snapshot.files["path"].to_pylist()
    ]
    return transaction.commit([*old, *put_rows(log.store, ids)], Operation("WRITE"))


def write(path, kill_at, told):
    """Do all steps, tell after each one that it is done, and at the end how much was called."""
    counter = Counter(kill_at)
    counter.watch_system(path)
    log = TableLog(WatchedStore(LocalStore(path), counter))
    for number, step in enumerate(STEPS):
        if step == "create":
            create(log)
        elif step == "append":
            append(log, rows_of(number))
        else:
            overwrite(log, rows_of(number))
        told.send(("done", number))
    told.send(("calls", counter.calls))


def write_once(path, kill_at, told):
    """Append to a table, and tell how much was called."""
    counter = Counter(kill_at)
    append(TableLog(WatchedStore(LocalStore(path), counter)), rows_of(100))
    told.send(("done", 0))
    told.send(("calls", counter.calls))


def write_for_ever(path, writer, told):
    """Append rows of this writer until somebody kills it."""
    log = TableLog(LocalStore(path))
    number = 0
    while True:
        told.send(number)
        append(log, {writer * 1_000_000 + number * ROWS + one for one in range(ROWS)})
        number += 1


class Counter:
    """Counts calls, and ends the process at the one that was chosen."""

    def __init__(self, kill_at):
        self.calls = {"before": 0, "after": 0, "os": 0}
        self._kill_at = kill_at

    def count(self, kind):
        if self._kill_at == KillAt(kind, self.calls[kind]):
            os.kill(os.getpid(), signal.SIGKILL)
        self.calls[kind] += 1

    def watch_system(self, path):
        """Count what the process is about to do to files below a folder."""

        def hook(event, arguments):
            if event.startswith(("open", "os.")) and any(
                isinstance(one, str | os.PathLike) and os.fspath(one).startswith(path)
                for one in arguments
            ):
                self.count("os")

        sys.addaudithook(hook)


class WatchedStore:
    """A store whose calls are counted before they are carried out, and after."""

    def __init__(self, store, counter):
        self._store = store
        self._counter = counter
        self.url = store.url

    def __getattr__(self, name):
        method = getattr(self._store, name)

        def watched(*arguments):
            self._counter.count("before")
            try:
                return method(*arguments)
            finally:
                self._counter.count("after")

        return watched
