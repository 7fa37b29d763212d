"""Processes that vacuum a table without Spark, killed at will."""

from puredelta.log.table_log import TableLog
from puredelta.maintenance.vacuum.request import VacuumRequest
from puredelta.maintenance.vacuum.run import Vacuum
from puredelta.maintenance_settings import VacuumSettings
from puredelta.storage.local import LocalStore
from tests.faults.writer import Counter


def command(path, *, lite=False):
    """A VACUUM that keeps the newest version alone."""
    return Vacuum(
        log=TableLog(LocalStore(str(path))),
        label=str(path),
        request=VacuumRequest(lite=lite, retain_hours=0),
        settings=VacuumSettings(retention_check=False),
    )


def vacuum(path, kill_at, told):
    """Vacuum, and return how much was asked of the system."""
    counter = Counter(kill_at)
    counter.watch_system(path)
    done = command(path).run()
    told.send(("done", done.files))
    told.send(("calls", counter.calls))
