"""Examining a table: its log, the sizes and contents of its files, what else is in its folder."""

from __future__ import annotations

from puredelta._util.clock import now_ms
from puredelta.log.files import total_bytes
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.health.file_contents import content_findings
from puredelta.maintenance.health.layout import layout_findings
from puredelta.maintenance.health.log_length import log_findings
from puredelta.maintenance.health.report import TableHealth
from puredelta.maintenance.health.unreferenced_files import unreferenced_findings


def examine_table(snapshot: Snapshot, table: str, *, now: int | None = None) -> TableHealth:
    """Report what makes a table slow or large; nothing is written, and no data file is read.

    Args:
        snapshot: The version that is looked at.
        table: How a statement names the table.
        now: The time, in milliseconds since 1970; by default the clock's.

    Raises:
        DeltaError: The log is damaged, or the store failed.
    """
    moment = now_ms() if now is None else now
    findings = (
        *layout_findings(snapshot, table),
        *content_findings(snapshot, table),
        *log_findings(snapshot, table, moment),
        *unreferenced_findings(snapshot, table, moment),
    )
    files = snapshot.files
    return TableHealth(
        table=table,
        version=snapshot.version,
        files=files.num_rows,
        size=total_bytes(files),
        findings=findings,
    )
