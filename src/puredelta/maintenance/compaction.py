"""Compaction: which files are small or have many deleted rows, and which of them become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from puredelta.log.file_stats import num_records
from puredelta.log.files import num_deleted
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.bins import bins_of
from puredelta.maintenance.partitions_asked_for import files_of_partitions, partition_texts
from puredelta.maintenance.rewrite_plan import RewritePlan
from puredelta.maintenance.rewrite_preview import OptimizePreview, preview_rewrite
from puredelta.table.skipping.predicate import Condition

PartitionsOf = Callable[[pa.Table], Sequence[str]]
"""Returns for each of some files a text that is the same for all files of its partition."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionLimits:
    """From which size on a file is large enough, and how large one may become.

    Attributes:
        min_file_size: files with fewer bytes are candidates.
        max_file_size: the files of a bin have so many bytes at most.
        max_deleted_ratio: files with more deleted rows, as a part of all, are candidates.
    """

    min_file_size: int = 1 << 30
    max_file_size: int = 1 << 30
    max_deleted_ratio: float = 0.05


def compaction_candidates(files: pa.Table, limits: CompactionLimits) -> pa.Table:
    """Return the files that compaction would rewrite, if they had company.

    Args:
        files: rows of `log.files.FILES`.
        limits: what is small, and how many deleted rows are many.
    """
    small = pc.less(files["size"], limits.min_file_size)
    return files.filter(pc.or_(small, _has_many_deleted(files, limits.max_deleted_ratio)))


def plan_compaction(
    considered: pa.Table, partitions_of: PartitionsOf, limits: CompactionLimits
) -> RewritePlan:
    """Put the small files of each partition into bins.

    A bin of one file is left out: writing it anew would make the same file again.

    Args:
        considered: the files of the partitions that were asked for, rows of `log.files.FILES`.
        partitions_of: distinguishes partitions.
        limits: what is small, and how large a bin may be.
    """
    files = compaction_candidates(considered, limits)
    bins = bins_of(partitions_of(files), files["size"].to_pylist(), limits.max_file_size)
    return RewritePlan(
        considered=considered,
        files=files,
        bins=[group for group in bins if len(group.places) > 1],
    )


def preview_compaction(
    snapshot: Snapshot, limits: CompactionLimits, *, table: str, wanted: Condition
) -> OptimizePreview:
    """Return what compaction would do to a version, in one commit.

    Args:
        snapshot: the version.
        limits: what is small, and how large a bin may be.
        table: what the table is called.
        wanted: which partitions, from `partition_predicate.parse_predicate`.

    Raises:
        DeltaAnalysisError: DELTA_NON_PARTITION_COLUMN_REFERENCE.
        DeltaRuntimeError: a constant is no value of its column's type.
    """
    considered = files_of_partitions(snapshot, wanted)
    plan = plan_compaction(considered, partial(partition_texts, snapshot), limits)
    return preview_rewrite(
        plan,
        table=table,
        version=snapshot.version,
        deleted_rows=int(pc.sum(num_deleted(plan.rewritten)).as_py() or 0),
        commits=min(1, len(plan.bins)),
    )


def _has_many_deleted(files: pa.Table, most: float) -> pa.ChunkedArray:
    """Say of each file whether too many of its rows are deleted.

    A file with a vector that does not say how many rows it has may be nothing but deleted rows.
    """
    has_vector = pc.is_valid(files["deletion_vector"])
    rows = pc.cast(num_records(files), pa.float64())
    ratio = pc.divide(pc.cast(num_deleted(files), pa.float64()), rows)
    return pc.and_(has_vector, pc.fill_null(pc.greater(ratio, most), fill_value=True))
