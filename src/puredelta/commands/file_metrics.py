"""What history says of the files that a write made and took away."""

from collections.abc import Sequence
from typing import Any

import msgspec

from puredelta.engine.write.footers import NOTHING_WRITTEN, WrittenFiles
from puredelta.log.actions import AddFile


def write_metrics(written: WrittenFiles, copied: WrittenFiles = NOTHING_WRITTEN) -> dict[str, str]:
    """Return what history says of files that were written.

    Args:
        written: the new files.
        copied: files with rows that stay, of other files that went.
    """
    return {
        "numFiles": str(len(written.files) + len(copied.files)),
        "numOutputRows": str(written.rows + copied.rows),
        "numOutputBytes": str(written.bytes + copied.bytes),
    }


def removal_metrics(replaced: Sequence[AddFile]) -> dict[str, str]:
    """Return what history says of files that were replaced."""
    return {
        "numRemovedFiles": str(len(replaced)),
        "numRemovedBytes": str(sum(file.size for file in replaced)),
    }


def row_count(files: Sequence[AddFile]) -> int:
    """Return how many rows files have, as far as their statistics say."""
    return sum(_rows_of(file) for file in files)


def _rows_of(file: AddFile) -> int:
    stats: Any = msgspec.json.decode(file.stats) if file.stats else {}
    rows: int = stats.get("numRecords", 0)
    vector = file.deletion_vector
    return rows if vector is None else max(0, rows - vector.cardinality)
