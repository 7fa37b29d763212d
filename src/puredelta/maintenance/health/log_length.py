"""Findings about the log: many commits since a checkpoint, tombstones that have expired."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pyarrow.compute as pc

from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.health.finding import HealthFinding
from puredelta.table.protocol.properties import CHECKPOINT_INTERVAL, DELETED_FILE_RETENTION

# A snapshot reads every commit since the checkpoint, one request each.
_MANY_COMMITS = 100
_MANY_TOMBSTONES = 1_000
_DEFAULT_INTERVAL = 10
_MILLISECOND = timedelta(milliseconds=1)


def log_findings(snapshot: Snapshot, table: str, now: int) -> Iterator[HealthFinding]:
    """Report a log that is longer than it has to be.

    Args:
        snapshot: The version that is looked at.
        table: How a statement names the table.
        now: The time, in milliseconds since 1970.
    """
    yield from _commits(snapshot, table)
    yield from _tombstones(snapshot, table, now)


def _commits(snapshot: Snapshot, table: str) -> Iterator[HealthFinding]:
    checkpoint = snapshot.segment.checkpoint_version
    newer = snapshot.version - (-1 if checkpoint is None else checkpoint)
    if newer <= _MANY_COMMITS:
        return
    since = "and there is no checkpoint" if checkpoint is None else f"since version {checkpoint}"
    interval = CHECKPOINT_INTERVAL.of(snapshot.configuration)
    hint = f"; the table asks for one every {interval:,} versions"
    yield HealthFinding(
        code="long-log",
        text=f"{newer:,} commits are read for each snapshot, {since}{hint}",
        statement=f"ALTER TABLE {table} SET TBLPROPERTIES "
        f"('{CHECKPOINT_INTERVAL.key}' = '{min(interval, _DEFAULT_INTERVAL)}')",
    )


def _tombstones(snapshot: Snapshot, table: str, now: int) -> Iterator[HealthFinding]:
    cut_off = now - DELETED_FILE_RETENTION.of(snapshot.configuration) // _MILLISECOND
    times = pc.fill_null(snapshot.tombstones()["deletion_timestamp"], 0)
    expired = pc.sum(pc.less(times, cut_off)).as_py() or 0
    if expired < _MANY_TOMBSTONES:
        return
    yield HealthFinding(
        code="expired-tombstones",
        text=f"{expired:,} tombstones have expired and are still read with the log; "
        "the next checkpoint leaves them out",
        statement=f"ALTER TABLE {table} SET TBLPROPERTIES "
        f"('{CHECKPOINT_INTERVAL.key}' = '{_DEFAULT_INTERVAL}')",
    )
