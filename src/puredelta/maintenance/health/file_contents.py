"""Findings about what files hold: rows that are deleted, and statistics that are missing."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.log.file_stats import num_records
from puredelta.log.files import num_deleted, total_bytes
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.health.finding import HealthFinding

# As OPTIMIZE has it: from this share of deleted rows on a file is worth a rewrite.
_DELETED_SHARE = 0.05


def content_findings(snapshot: Snapshot, table: str) -> Iterator[HealthFinding]:
    """Report deleted rows that scans still read, and files that no scan can skip.

    Args:
        snapshot: The version that is looked at.
        table: How a statement names the table.
    """
    files = snapshot.files
    if files.num_rows:
        rows = num_records(files)
        yield from _deleted_rows(files, rows, table)
        yield from _missing_statistics(files, rows, table)


def _deleted_rows(files: pa.Table, rows: pa.ChunkedArray, table: str) -> Iterator[HealthFinding]:
    deleted = num_deleted(files)
    share = pc.divide(pc.cast(deleted, pa.float64()), pc.cast(rows, pa.float64()))
    # A file that does not say how many rows it has is taken for one that is worth it.
    is_many = pc.or_kleene(pc.is_null(share), pc.greater(share, _DELETED_SHARE))
    is_worth = pc.and_(pc.greater(deleted, 0), is_many)
    if not pc.any(is_worth).as_py():
        return
    purged = files.filter(pc.is_valid(files["deletion_vector"]))
    yield HealthFinding(
        code="deleted-rows",
        text=f"{pc.sum(deleted).as_py():,} deleted rows are still in {purged.num_rows:,} files; "
        f"in {pc.sum(is_worth).as_py():,} of them they are more than {_DELETED_SHARE:.0%}",
        statement=f"REORG TABLE {table} APPLY (PURGE)",
        files_to_rewrite=purged.num_rows,
        bytes_to_rewrite=total_bytes(purged),
    )


def _missing_statistics(
    files: pa.Table, rows: pa.ChunkedArray, table: str
) -> Iterator[HealthFinding]:
    without = files.filter(pc.is_null(rows))
    if not without.num_rows:
        return
    yield HealthFinding(
        code="missing-statistics",
        text=f"{without.num_rows:,} of {files.num_rows:,} files have no statistics, "
        "so queries read them whatever they look for",
        statement=f"spark.table({table!r}).write.format('delta').mode('overwrite')"
        f".option('dataChange', 'false').saveAsTable({table!r})",
        files_to_rewrite=files.num_rows,
        bytes_to_rewrite=total_bytes(files),
    )
