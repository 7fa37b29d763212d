"""What history says of the files that a write made and took away."""

from typing import Any

import msgspec

from puredelta.engine.footers import Written
from puredelta.log.actions import AddFile


def write_metrics(written: Written) -> dict[str, str]:
    """Return what history says of files that were written."""
    return {
        "numFiles": str(len(written.files)),
        "numOutputRows": str(written.rows),
        "numOutputBytes": str(written.bytes),
    }


def removal_metrics(replaced: list[AddFile]) -> dict[str, str]:
    """Return what history says of files that were replaced."""
    return {
        "numRemovedFiles": str(len(replaced)),
        "numRemovedBytes": str(sum(file.size for file in replaced)),
    }


def row_count(files: list[AddFile]) -> int:
    """Return how many rows files have, as far as their statistics tell."""
    stats: list[Any] = [msgspec.json.decode(file.stats) for file in files if file.stats]
    return sum(one.get("numRecords", 0) for one in stats)
