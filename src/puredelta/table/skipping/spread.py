"""Whether each file of a table covers the range of a column: then no value of it excludes a file.

Protocol: Per-file Statistics.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from puredelta.schema.datatypes import BINARY, BOOLEAN, STRING
from puredelta.table.skipping.column_bounds import StatsView, required_stats
from puredelta.table.skipping.columns import StatsColumns
from puredelta.table.skipping.predicate import Column, Path
from puredelta.table.skipping.stats_cache import column_stats

# The part of the range of all files that each of them has to cover.
_COVERED = 0.9

_WITHOUT_DISTANCES = (BINARY, BOOLEAN, STRING)


def is_spread(path: Path, files: pa.Table, columns: StatsColumns) -> bool:
    """Say whether the bounds of a column are nearly the same in all files.

    Args:
        path: The column, by its logical names.
        files: Rows of `log.files.FILES`.
        columns: The columns of the table.

    Returns:
        False, too, where statistics do not say, and for types without distances, such as strings.
    """
    named = Column(path)
    view = StatsView(files, columns, column_stats(files, required_stats(columns, [named])))
    found = view.interval(named)
    if found is None or found.data_type in _WITHOUT_DISTANCES:
        return False
    minimum, maximum = _numbers(found.minimum), _numbers(found.maximum)
    if minimum is None or maximum is None:
        return False
    # No value excludes a file without bounds.
    known = ~(np.isnan(minimum) | np.isnan(maximum))
    if not known.any():
        return False
    minimum, maximum = minimum[known], maximum[known]
    covered = float(maximum.min() - minimum.max())
    return covered >= _COVERED * float(maximum.max() - minimum.min())


def _numbers(bounds: pa.Array | pa.Scalar | None) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    if not isinstance(bounds, (pa.Array, pa.ChunkedArray)) or pa.types.is_null(bounds.type):
        return None
    return np.asarray(pc.fill_null(bounds.cast(pa.float64(), safe=False), np.nan))
