"""This package without Spark, as a writer."""

import io
import sys
import uuid
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from puredelta import open_table, write_table
from puredelta.errors import DeltaConcurrentModificationError
from puredelta.log.actions import AddFile, RemoveFile
from puredelta.log.table_log import open_log
from puredelta.schema.datatypes import LONG, StructField, StructType
from puredelta.storage.store import Store
from puredelta.table.statistics.file_stats import stats_from_arrow
from puredelta.txn.commit_info import Operation as CommitOperation
from puredelta.txn.transaction import Transaction
from tests.endurance.writers.operations import Chooser, Operation
from tests.endurance.writers.writing import RefusedError, Rows, write

SCHEMA = StructType((StructField("id", LONG), StructField("v", LONG)))


def arrow_rows(rows: Rows) -> pa.Table:
    """Return rows as Arrow has them."""
    columns = ([row[0] for row in rows], [row[1] for row in rows])
    return pa.table([pa.array(column, pa.int64()) for column in columns], names=["id", "v"])


class PlainEngine:
    """Appends and overwrites by `write_table`; all else rewrites the whole table."""

    def __init__(self, path: str, name: str) -> None:
        self.name = name
        self._path = path

    def run(self, operation: Operation) -> int | None:
        """Carry an operation out; see `Engine`."""
        try:
            if operation.kind in ("append", "overwrite"):
                return self._write(operation)
            return self._rewrite(operation)
        except DeltaConcurrentModificationError as error:
            raise RefusedError(str(error)) from error

    def read(self) -> tuple[int, Rows]:
        """Return the newest version, and its rows."""
        table = open_table(self._path)
        rows = table.to_arrow().select(["id", "v"])
        return table.version, list(zip(*rows.to_pydict().values(), strict=True))

    def _write(self, operation: Operation) -> int:
        rows = arrow_rows([(id_, 0) for id_ in operation.ids])
        mode = "append" if operation.kind == "append" else "overwrite"
        written = write_table(self._path, rows, mode, user_metadata=operation.token)  # type: ignore[arg-type]
        return written.version

    def _rewrite(self, operation: Operation) -> int:
        log = open_log(self._path)
        snapshot = log.latest()
        transaction = Transaction(log, snapshot)
        transaction.read_whole_table()
        changes = operation.kind != "optimize"
        rows = open_table(self._path, snapshot.version).to_arrow()
        state = Counter(zip(*rows.to_pydict().values(), strict=True))
        made = sorted(operation.apply(state).elements())
        removed = [
            RemoveFile(path=name, deletion_timestamp=1, data_change=changes, partition_values={})
            for name in snapshot.files["path"].to_pylist()
        ]
        added = put_file(log.store, arrow_rows(made), changes=changes)
        name = CommitOperation(operation.kind.upper())
        done = transaction.commit([*removed, added], name, user_metadata=operation.token)
        return done.version


def put_file(store: Store, rows: pa.Table, *, changes: bool) -> AddFile:
    """Write a data file, and say how the log has to name it."""
    out = io.BytesIO()
    pq.write_table(rows, out)
    path = f"part-{uuid.uuid4()}.parquet"
    store.put(path, out.getvalue())
    return AddFile(
        path=path,
        partition_values={},
        size=len(out.getvalue()),
        modification_time=1,
        data_change=changes,
        stats=stats_from_arrow(rows, SCHEMA),
    )


def main(path: str, writer: str, notes: str, stop: str, share: str) -> None:
    """Write; see `write`."""
    engine = PlainEngine(path, f"puredelta without Spark {writer}")
    write(engine, Chooser(int(writer)), Path(notes), Path(stop), int(share))


if __name__ == "__main__":
    main(*sys.argv[1:])
