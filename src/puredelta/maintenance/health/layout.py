"""Findings about how rows lie in files: too many small ones, partitions of very unequal size."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from puredelta._util.size_text import size_text
from puredelta.log.inspection.partition_values import partition_texts
from puredelta.log.snapshot import Snapshot
from puredelta.maintenance.health.finding import HealthFinding
from puredelta.table.partition_values import partition_folder

_MIB = 1 << 20
GOOD_SIZE = 128 * _MIB
"""Of this size files are large enough for scans and small enough to be rewritten."""

_SMALL = 32 * _MIB
# What OPTIMIZE takes, whether small or not: its default of `optimize.minFileSize`.
_TAKEN_BY_OPTIMIZE = 1 << 30
_FEWEST_SAVED = 10
_LEAST_SHARE = 0.1

_FEWEST_PARTITIONS = 4
_SKEW = 10


def layout_findings(snapshot: Snapshot, table: str) -> Iterator[HealthFinding]:
    """Report small files and skewed partitions.

    Args:
        snapshot: The version that is looked at.
        table: How a statement names the table.
    """
    files = snapshot.files
    if not files.num_rows:
        return
    sizes = _by_partition(snapshot, files)
    yield from _small_files(sizes, files.num_rows, table)
    if snapshot.partition_columns:
        yield from _skew(snapshot, sizes, table)


def _by_partition(snapshot: Snapshot, files: pa.Table) -> pa.Table:
    """Return a row a partition: its values, and numbers and sizes of all and of small files."""
    names = [f"p{place}" for place in range(len(snapshot.partition_columns))]
    size = files["size"].combine_chunks()
    zero = pa.scalar(0, pa.int64())
    is_small, is_taken = pc.less(size, _SMALL), pc.less(size, _TAKEN_BY_OPTIMIZE)
    columns = {
        **dict(zip(names, partition_texts(snapshot, files), strict=True)),
        "all": pa.repeat(pa.scalar(0, pa.int8()), len(size)),
        "size": size,
        "small": pc.cast(is_small, pa.int64()),
        "small_size": pc.if_else(is_small, size, zero),
        "taken": pc.cast(is_taken, pa.int64()),
        "taken_size": pc.if_else(is_taken, size, zero),
    }
    sums = [(name, "sum") for name in ("size", "small", "small_size", "taken", "taken_size")]
    return pa.table(columns).group_by([*names, "all"]).aggregate(sums)


def _small_files(sizes: pa.Table, num_files: int, table: str) -> Iterator[HealthFinding]:
    small, small_size = sizes["small_sum"], sizes["small_size_sum"]
    # Whole numbers: so many files of the good size hold the rows of the small ones.
    merged = pc.divide(pc.add(small_size, GOOD_SIZE - 1), GOOD_SIZE)
    saved = pc.sum(pc.max_element_wise(pc.subtract(small, merged), 0)).as_py()
    if saved < max(_FEWEST_SAVED, num_files * _LEAST_SHARE):
        return
    many = sizes.filter(pc.greater(sizes["taken_sum"], 1))
    count = pc.sum(small).as_py()
    yield HealthFinding(
        code="small-files",
        text=f"{count:,} of {num_files:,} files are smaller than {size_text(_SMALL)}; "
        f"merged there would be {saved:,} files less",
        statement=f"OPTIMIZE {table}",
        files_to_rewrite=pc.sum(many["taken_sum"]).as_py() or 0,
        bytes_to_rewrite=pc.sum(many["taken_size_sum"]).as_py() or 0,
    )


def _skew(snapshot: Snapshot, sizes: pa.Table, table: str) -> Iterator[HealthFinding]:
    total = sizes["size_sum"]
    if sizes.num_rows < _FEWEST_PARTITIONS:
        return
    largest, median = pc.max(total).as_py(), pc.quantile(total, 0.5)[0].as_py()
    if largest < GOOD_SIZE or largest < median * _SKEW:
        return
    row = sizes.slice(pc.index(total, largest).as_py(), 1).to_pylist()[0]
    columns = snapshot.partition_columns
    folder = partition_folder(
        {column: row[f"p{place}"] for place, column in enumerate(columns)}, columns
    )
    all_bytes = pc.sum(total).as_py()
    yield HealthFinding(
        code="skewed-partitions",
        text=f"the partition {folder} has {size_text(largest)}, "
        f"{largest / all_bytes:.0%} of the table; the median of {sizes.num_rows:,} partitions "
        f"is {size_text(int(median))}",
        statement=f"CREATE OR REPLACE TABLE {table} USING delta CLUSTER BY "
        f"({', '.join(columns)}) AS SELECT * FROM {table}",
        files_to_rewrite=snapshot.files.num_rows,
        bytes_to_rewrite=all_bytes,
    )
