"""Processes that restore, clone and list tables without Spark, killed at will."""

from dataclasses import dataclass
from typing import Any

from puredelta.log.actions import RemoveFile
from puredelta.log.table_log import TableLog
from puredelta.maintenance.clone.clone import Clone
from puredelta.maintenance.clone.source import delta_source
from puredelta.maintenance.manifest import ManifestNames, write_manifests
from puredelta.maintenance.restore import check_files_exist, commit_restore, plan_restore
from puredelta.storage.local import LocalStore
from puredelta.txn.commit_info import Operation
from puredelta.txn.transaction import Transaction
from tests.faults.writer import Counter, append, create, overwrite, rows_of

RESTORED = 2
"""The version that RESTORE goes back to."""

SOURCE, TABLE = "source", "t"
"""The folders of a case: the table that is cloned, and the one that the statement writes."""


def log_of(path):
    return TableLog(LocalStore(str(path)))


def snapshot_of(path):
    return log_of(path).latest()


# ----------------------------------------------------------------------------- what is there before


def make_history(folder):
    """Make versions 0 to 5, an overwrite among them; the next version gets a checkpoint."""
    log = log_of(folder / TABLE)
    create(log)
    append(log, rows_of(1))
    append(log, rows_of(2))
    overwrite(log, rows_of(3))
    append(log, rows_of(4))
    append(log, rows_of(5))


def make_source(folder):
    """Make a table that is cloned."""
    log = log_of(folder / SOURCE)
    create(log)
    append(log, rows_of(1))
    overwrite(log, rows_of(2))
    append(log, rows_of(3))


def make_source_and_emptied(folder):
    """Make a table that is cloned, and one without rows; its next version gets a checkpoint."""
    make_source(folder)
    log = log_of(folder / TABLE)
    create(log)
    append(log, rows_of(7))
    append(log, rows_of(8))
    snapshot = log.latest()
    transaction = Transaction(log, snapshot)
    transaction.read_whole_table()
    transaction.commit(
        [
            RemoveFile(path=name, deletion_timestamp=1, data_change=True, partition_values={})
            for name in snapshot.files["path"].to_pylist()
        ],
        Operation("DELETE"),
    )


def make_listed(folder):
    """Make a table whose manifest lists files that have left it."""
    log = log_of(folder / TABLE)
    create(log)
    append(log, rows_of(1))
    write_manifests(log.latest(), ManifestNames())
    overwrite(log, rows_of(2))


# ----------------------------------------------------------------------------------- what is killed


def restore(folder):
    """Go back to an older version."""
    log = log_of(folder / TABLE)
    plan = plan_restore(TABLE, log.latest(), log.at_version(RESTORED))
    check_files_exist(plan)
    commit_restore(Transaction(log, plan.before), plan, {"version": RESTORED})


def clone(folder):
    """Make a clone, of a new table or of one without rows."""
    log = log_of(folder / TABLE)
    before = log.latest() if log.exists() else None
    Clone(Transaction(log, before), delta_source(SOURCE, snapshot_of(folder / SOURCE))).run()


def generate(folder):
    """Write the manifest anew."""
    write_manifests(snapshot_of(folder / TABLE), ManifestNames())


@dataclass(frozen=True)
class Case:
    """A statement, and the rows that its table has.

    Attributes:
        make: makes what is there before.
        run: the statement.
        before: the rows of the table before it.
        after: the rows of the table after it.
    """

    make: Any
    run: Any
    before: tuple[int, ...]
    after: tuple[int, ...]


def _rows(*steps):
    return tuple(sorted(row for step in steps for row in rows_of(step)))


CASES = {
    "restore": Case(make_history, restore, _rows(3, 4, 5), _rows(1, 2)),
    "clone": Case(make_source, clone, (), _rows(2, 3)),
    "clone that replaces": Case(make_source_and_emptied, clone, (), _rows(2, 3)),
    "generate": Case(make_listed, generate, _rows(2), _rows(2)),
}


def maintain(folder, kill_at, told, *, name):
    """Run the statement of a case, and tell how much was asked of the system."""
    counter = Counter(kill_at)
    counter.watch_system(str(folder / TABLE))
    CASES[name].run(folder)
    told.send(("done", None))
    told.send(("calls", counter.calls))
