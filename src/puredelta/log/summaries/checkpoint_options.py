"""What a checkpoint is to look like; decided where the table is known."""

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

ROWS_PER_FILE = 50_000
"""How many file actions a sidecar holds, or a row group of a classic checkpoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointForm:
    """What a checkpoint is to look like.

    Attributes:
        is_v2: Is it a V2 checkpoint, with its files in sidecars?
        top_level_format: `json` or `parquet`, for the top-level file of a V2 checkpoint.
        stats_as_json: Are statistics kept as JSON?
        stats: The type of statistics kept as columns; None to keep none.
        partitions: Makes typed columns of partition values, one row a file, named as in the log;
            returns None where values cannot be read. None to make none.
        rows_per_file: How many file actions lie together.
    """

    is_v2: bool = False
    top_level_format: str = "json"
    stats_as_json: bool = True
    stats: pa.StructType | None = None
    partitions: Callable[[pa.Table], pa.Table | None] | None = None
    rows_per_file: int = ROWS_PER_FILE


PLAIN = CheckpointForm()
"""A classic checkpoint with statistics as JSON."""
