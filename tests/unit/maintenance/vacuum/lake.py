"""A table in memory whose clock the test moves, with the files that its log names."""

from __future__ import annotations

from uuid import UUID

import msgspec

from puredelta.log.actions import AddCdcFile, DeletionVector
from puredelta.log.table_log import TableLog
from puredelta.maintenance.vacuum.request import VacuumRequest
from puredelta.maintenance.vacuum.run import Vacuum
from puredelta.maintenance_settings import VacuumSettings
from puredelta.storage.memory import MemoryStore
from puredelta.table.deletion_vectors import z85
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import NO_WAIT, WRITE, add, create, info, paths, remove

HOUR = 3_600_000
DAY = 24 * HOUR
NOON = 1_800_000_000_000
UNCHECKED = VacuumSettings(retention_check=False)


class Lake:
    """A table partitioned by `p`.

    Attributes:
        now: the time in milliseconds; each commit takes one.
        store: its files.
        log: its log.
    """

    def __init__(self, store=None, **configuration):
        self.now = NOON
        self.store = store or MemoryStore(url="memory:///t", now=lambda: self.now)
        self.log = TableLog(self.store)
        create(self.log, **configuration)

    def wait(self, duration):
        self.now += duration

    def put(self, name, content=b"0123456789"):
        """Write a file that no version names."""
        self.store.put(name, content)

    def write(self, *names, vector=None):
        """Add files in one commit."""
        for name in names:
            if self.store.info(f"{name}.parquet") is None:
                self.put(f"{name}.parquet")
        return self.commit(*(add(name, vector=vector) for name in names))

    def delete(self, *names, began=None, vector=None):
        """Remove files in one commit that began at some time, by default now."""
        gone = [
            msgspec.structs.replace(
                remove(name),
                deletion_timestamp=self.now if began is None else began,
                deletion_vector=vector,
            )
            for name in names
        ]
        return self.commit(*gone)

    def change(self, name):
        """Write a change file."""
        self.put(name)
        return self.commit(
            AddCdcFile(path=name, partition_values={"p": "1"}, size=10, data_change=False)
        )

    def commit(self, *actions):
        self.now += 1
        transaction = self.begin(self.log.latest())
        return transaction.commit(list(actions), WRITE).version

    def begin(self, snapshot):
        return Transaction(self.log, snapshot, patience=NO_WAIT, now=lambda: self.now)

    def vacuum(self, *, settings=UNCHECKED, log=None, **request):
        """A VACUUM a millisecond later."""
        self.now += 1
        return Vacuum(
            log=log or self.log,
            label="t",
            request=VacuumRequest(**request),
            settings=settings,
            begin=self.begin,
            now=lambda: self.now,
        )

    def history(self):
        """What the last commits say, the newest first."""
        latest = self.log.latest().version
        return [info(self.log, version) for version in range(latest, -1, -1)]

    def names(self):
        """The files that are there, without the log."""
        found = self.store.walk("", lambda _: True)
        return sorted(one.name for one in found if not one.name.startswith("_delta_log"))

    def files(self, version):
        """The files of a version."""
        return paths(self.log.at_version(version))


def vector_in(name):
    """A vector in a file of its own, and the name of the file."""
    number = UUID(int=name)
    vector = DeletionVector(
        storage_type="u",
        path_or_inline_dv=z85.encode(number.bytes),
        offset=1,
        size_in_bytes=40,
        cardinality=1,
    )
    return vector, f"deletion_vector_{number}.bin"
