"""Statements that need no Spark, each with a table as it is before and the rows that it has."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from puredelta import open_table, write_table
from puredelta._util.clock import now_ms
from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.request import ConvertRequest
from puredelta.conversion.source_table import ConvertTarget
from puredelta.log.table_log import open_log
from puredelta.maintenance.clone.clone import Clone
from puredelta.maintenance.clone.source import delta_source
from puredelta.maintenance.manifest import ManifestNames, write_manifests
from puredelta.maintenance.restore import check_files_exist, commit_restore, plan_restore
from puredelta.maintenance.vacuum.request import VacuumRequest
from puredelta.maintenance.vacuum.run import Vacuum
from puredelta.maintenance_settings import VacuumSettings
from puredelta.txn.post_commit import checkpoint_version
from puredelta.txn.transaction import Transaction
from tests.endurance.kills.places import LocalPlace, Place

Options = Mapping[str, str]
Rows = tuple[tuple[int, str], ...]

PARTS = ("a", "b")
SOURCE = "source"
"""The name of a table that is cloned, beside the table."""

V2 = {"delta.checkpointPolicy": "v2"}


def rows_of(*steps: int) -> Rows:
    """Return the rows that some steps bring, in order."""
    return tuple(sorted((10 * step + n, PARTS[n % 2]) for step in steps for n in range(4)))


def arrow_rows(rows: Rows) -> pa.Table:
    """Return rows as Arrow has them."""
    ids, parts = [row[0] for row in rows], [row[1] for row in rows]
    return pa.table({"id": pa.array(ids, pa.int64()), "p": pa.array(parts, pa.string())})


@dataclass(frozen=True)
class Case:
    """A statement, and the rows of its table.

    Attributes:
        make: makes what is there before.
        run: the statement, with the table's URL and what it takes to get in.
        before: the rows before it; None where there is no table.
        after: the rows after it.
        is_local: whether it is tried on folders alone.
    """

    make: Callable[[Place], None]
    run: Callable[[str, Options], object]
    before: Rows | None
    after: Rows
    is_local: bool = False


# ----------------------------------------------------------------------------- what is there before


def _no_table(_: Place) -> None:
    pass


def _history(interval: int = 100, **more: str) -> Callable[[Place], None]:
    def make(place: Place) -> None:
        properties = {"delta.checkpointInterval": str(interval), **more}
        _write(place, 0, partition_by="p", properties=properties)
        _write(place, 1)
        _write(place, 2, mode="overwrite")
        _write(place, 3)

    return make


def _write(place: Place, step: int, **more: object) -> None:
    options = {"storage_options": place.options}
    write_table(place.url, arrow_rows(rows_of(step)), **options, **more)  # type: ignore[arg-type]


def _old_history(place: Place) -> None:
    """Make versions 0 to 9 long ago; version 10 has a checkpoint and cleans the log up."""
    kinds = ("logRetentionDuration", "deletedFileRetentionDuration")
    _history(interval=5, **{f"delta.{kind}": "interval 1 days" for kind in kinds})(place)
    for step in range(4, 10):
        _write(place, step)
    assert isinstance(place, LocalPlace)
    long_ago = time.time() - 100 * 86400
    for file in (place.folder / "_delta_log").iterdir():
        os.utime(file, (long_ago, long_ago))


def _with_waste(place: Place) -> None:
    """Make files that no version names, beside a history."""
    _history()(place)
    assert isinstance(place, LocalPlace)
    for number in range(6):
        pq.write_table(arrow_rows(rows_of(50)), place.folder / f"p=a/waste-{number}.parquet")


def _with_source(place: Place) -> None:
    source = place.copy(SOURCE)
    if not source.names():
        _history()(source)


def _plain_files(place: Place) -> None:
    assert isinstance(place, LocalPlace)
    for part in PARTS:
        folder = place.folder / f"p={part}"
        folder.mkdir(parents=True)
        for step in (1, 2):
            ids = [id_ for id_, p in rows_of(step) if p == part]
            pq.write_table(pa.table({"id": pa.array(ids, pa.int64())}), folder / f"{step}.parquet")


def _listed(place: Place) -> None:
    _history()(place)
    write_manifests(open_log(place.url, place.options).latest(), ManifestNames())


# ----------------------------------------------------------------------------------- what is killed


def _append(step: int, **more: object) -> Callable[[str, Options], object]:
    def run(url: str, options: Options) -> object:
        rows = arrow_rows(rows_of(step))
        return write_table(url, rows, storage_options=options, **more)  # type: ignore[arg-type]

    return run


def _restore(url: str, options: Options) -> None:
    log = open_log(url, options)
    plan = plan_restore(url, log.latest(), log.at_version(1))
    check_files_exist(plan, options)
    commit_restore(Transaction(log, plan.before), plan, {"version": 1})


def _clone(url: str, options: Options) -> None:
    beside = url.rpartition("/")[0] + "/" + SOURCE
    source = delta_source(SOURCE, open_log(beside, options).latest())
    Clone(Transaction(open_log(url, options), None), source).run()


def _convert(url: str, options: Options) -> None:
    target = ConvertTarget(provider="parquet", location=url, label=url, options=options)
    request = ConvertRequest(infer_partitions=True)
    ConvertToDeltaCommandBase(target=target, request=request).run()


def vacuum(url: str, options: Options) -> None:
    """Delete all that the newest version does not need."""
    Vacuum(
        log=open_log(url, options),
        label=url,
        request=VacuumRequest(retain_hours=0),
        settings=VacuumSettings(retention_check=False, vacuum_logging=True),
    ).run()


def _checkpoint(url: str, options: Options) -> None:
    checkpoint_version(open_log(url, options).latest(), now_ms())


def _generate(url: str, options: Options) -> None:
    write_manifests(open_table(url, storage_options=dict(options)).snapshot, ManifestNames())


_HISTORY = rows_of(2, 3)

CASES = {
    "create": Case(_no_table, _append(0, partition_by="p"), None, rows_of(0)),
    "append": Case(_history(), _append(4), _HISTORY, rows_of(2, 3, 4)),
    "append with checkpoint": Case(_history(interval=4), _append(4), _HISTORY, rows_of(2, 3, 4)),
    "append with V2 checkpoint": Case(
        _history(interval=4, **V2), _append(4), _HISTORY, rows_of(2, 3, 4)
    ),
    "overwrite": Case(_history(), _append(4, mode="overwrite"), _HISTORY, rows_of(4)),
    "restore": Case(_history(), _restore, _HISTORY, rows_of(0, 1)),
    "vacuum": Case(_with_waste, vacuum, _HISTORY, _HISTORY, is_local=True),
    "vacuum in a store": Case(_history(), vacuum, _HISTORY, _HISTORY),
    "checkpoint": Case(_history(), _checkpoint, _HISTORY, _HISTORY),
    "V2 checkpoint": Case(_history(**V2), _checkpoint, _HISTORY, _HISTORY),
    "log cleanup": Case(
        _old_history, _append(10), rows_of(*range(2, 10)), rows_of(*range(2, 11)), is_local=True
    ),
    "clone": Case(_with_source, _clone, None, _HISTORY),
    "convert": Case(_plain_files, _convert, None, rows_of(1, 2), is_local=True),
    "generate": Case(_listed, _generate, _HISTORY, _HISTORY, is_local=True),
}
