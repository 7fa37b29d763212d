"""Transactions that mark rows by deletion vectors, interleaved as one likes, on a log in memory."""

import json
from collections import Counter
from dataclasses import dataclass

from pyroaring import BitMap64

from puredelta.errors import DeltaConcurrentModificationError
from puredelta.log.actions import AddFile, Format, Metadata, RemoveFile
from puredelta.log.files import add_files, canonical_path, file_key
from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, StructField, StructType
from puredelta.storage.memory import MemoryStore
from puredelta.table.deletion_vectors.writing import TableVectors
from puredelta.table.protocol.protocol import protocol_for_new_table
from puredelta.table.protocol.row_tracking import row_count
from puredelta.txn.commit_info import Operation
from puredelta.txn.retry_policy import RetryPolicy
from puredelta.txn.transaction import Transaction

SCHEMA = StructType((StructField("key", LONG), StructField("value", LONG)))
ASKED = {"delta.enableDeletionVectors": "true", "delta.enableRowTracking": "true"}


GONE = 100
"""The key of rows that are deleted before anything begins."""


@dataclass(frozen=True)
class Work:
    """One statement: `kind` over the rows with one of `keys`.

    delete; update, which gives the rows another value; shift, which gives them another key, so
    that they may match what others look for; rewrite, which deletes by writing files anew; append,
    which adds one row for each key; restore, which brings back what there was in the beginning.
    """

    name: str
    kind: str
    keys: frozenset

    def made(self, row):
        """What becomes of a row that matches; nothing where it is deleted."""
        key, value = row
        number = int(self.name.split()[1])
        return {"update": [(key, value * 10 + number)], "shift": [(key + 1, value)]}.get(
            self.kind, []
        )

    def run(self, rows, first):
        """Do it in the model, all at once; `first` is what there was in the beginning."""
        if self.kind == "restore":
            rows.clear()
            rows.update(first)
            return
        if self.kind == "append":
            rows.update(self.appended())
            return
        taken = {row: rows.pop(row) for row in list(rows) if row[0] in self.keys}
        for row, count in taken.items():
            rows.update(dict.fromkeys(self.made(row), count))

    def appended(self):
        return [(key, 7) for key in sorted(self.keys)]


class Driver:
    """A table of some files, the transactions open on it, and those that landed.

    Args:
        files: The rows of each file to begin with.
        isolation: The level that the table asks for.
        tells_bounds: Do files have statistics of their keys?
    """

    def __init__(self, files, isolation="Serializable", *, tells_bounds=True):
        self.store = MemoryStore()
        self.contents = {}
        self.landed = []
        self.refused = []
        self._open = {}
        self._tells_bounds = tells_bounds
        protocol, stored = protocol_for_new_table(ASKED, SCHEMA)
        metadata = Metadata(
            id="t", format=Format(), schema_string=schema_to_json(SCHEMA), partition_columns=[],
            configuration={**stored, "delta.isolationLevel": isolation},
        )  # fmt: skip
        adds = [
            self._add(f"file-{number}", [*rows, (GONE, GONE)]) for number, rows in enumerate(files)
        ]
        self._begun().commit(
            adds, Operation("CREATE TABLE AS SELECT"), metadata=metadata, protocol=protocol
        )
        # Every file has a vector to begin with.
        gone = Work("work 99", "delete", frozenset({GONE}))
        self.begin(gone)
        self.commit(gone)
        self.landed.clear()

    def rows(self, version=None):
        """The rows of a version."""
        log = TableLog(self.store)
        snapshot = log.latest() if version is None else log.at_version(version)
        found = Counter()
        for file in add_files(snapshot.files):
            found.update(row for _, row in self._live(file))
        return found

    def begin(self, work):
        """Start a transaction, which reads and writes its files at once."""
        transaction = self._begun()
        actions = [self._add(work.name.replace(" ", "-"), work.appended())]
        if work.kind == "restore":
            actions = self._restored(transaction)
        elif work.kind != "append":
            actions = self._changes(transaction, work)
        self._open[work.name] = (transaction, actions)

    def commit(self, work):
        """Let it land, or note that it was refused; without a match there is nothing to do."""
        transaction, actions = self._open.pop(work.name)
        if not actions:
            # It has seen no match when it began, and is put there in the order.
            self.landed.append((transaction.snapshot.version + 0.5, work))
            return
        try:
            result = transaction.commit(actions, Operation(work.kind.upper()))
        except DeltaConcurrentModificationError as conflict:
            self.refused.append((work, conflict))
        else:
            self.landed.append((result.version, work))

    def _changes(self, transaction, work):
        def may_hold(files):
            return [one for one in files if self._may_hold(one, work.keys)]

        candidates = may_hold(add_files(transaction.snapshot.files))
        transaction.read_files(canonical_path(one.path) for one in candidates)
        transaction.read_partitions(lambda _: True, "key IN (...)")
        transaction.read_rows_alone(may_hold)
        matches = {
            one.path: [(place, row) for place, row in self._live(one) if row[0] in work.keys]
            for one in candidates
        }
        touched = [one for one in candidates if matches[one.path]]
        new = [row for one in touched for _, old in matches[one.path] for row in work.made(old)]
        if work.kind == "rewrite":
            after, new = [], self._others(touched, matches)
        else:
            after = self._marked(touched, matches)
        removes = [_removal(one) for one in touched]
        adds = [self._add(work.name.replace(" ", "-"), new)] if new else []
        return [*removes, *after, *adds]

    def _restored(self, transaction):
        transaction.read_whole_table()
        then = {file_key(one): one for one in add_files(TableLog(self.store).at_version(1).files)}
        now = {file_key(one): one for one in add_files(transaction.snapshot.files)}
        removes = [_removal(one) for key, one in now.items() if key not in then]
        return [*removes, *(one for key, one in then.items() if key not in now)]

    def _marked(self, touched, matches):
        marks = [BitMap64([place for place, _ in matches[one.path]]) for one in touched]
        counts = [len(self.contents[one.path]) for one in touched]
        return TableVectors(self.store).mark(touched, marks, counts).after

    def _others(self, touched, matches):
        return [
            row for one in touched for place, row in self._live(one)
            if (place, row) not in matches[one.path]
        ]  # fmt: skip

    def _live(self, file):
        gone = TableVectors(self.store).deleted(file)
        assert file.deletion_vector is None or len(gone) < row_count(file)
        rows = enumerate(self.contents[file.path])
        return [(place, row) for place, row in rows if place not in gone]

    def _may_hold(self, file, keys):
        told = json.loads(file.stats)
        if "minValues" not in told:
            return True
        least, greatest = told["minValues"]["key"], told["maxValues"]["key"]
        return any(least <= key <= greatest for key in keys)

    def _begun(self):
        log = TableLog(self.store)
        latest = log.latest() if log.exists() else None
        return Transaction(log, latest, now=lambda: 5, patience=RetryPolicy(sleep=lambda _: None))

    def _add(self, path, rows):
        self.contents[path] = list(rows)
        stats = {"numRecords": len(rows)}
        if self._tells_bounds:
            keys = [key for key, _ in rows]
            stats |= {"minValues": {"key": min(keys)}, "maxValues": {"key": max(keys)}}
        return AddFile(
            path=path, partition_values={}, size=1, modification_time=1, data_change=True,
            stats=json.dumps(stats),
        )  # fmt: skip


def _removal(file):
    told = {
        name: getattr(file, name)
        for name in ("path", "deletion_vector", "base_row_id", "default_row_commit_version")
    }
    return RemoveFile(
        **told, deletion_timestamp=1, data_change=True, partition_values={}, size=file.size
    )
