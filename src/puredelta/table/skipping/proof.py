"""Finds the files of which the log proves that a condition is true for each of their rows.

Evaluations err towards "may be", so a condition that may be neither false nor null is true.
"""

from __future__ import annotations

import logging

import numpy as np
import pyarrow as pa

from puredelta.log.snapshot import Snapshot
from puredelta.table.skipping.columns import StatsColumns, columns_of_table
from puredelta.table.skipping.describe import condition_text
from puredelta.table.skipping.evaluate import evaluate
from puredelta.table.skipping.predicate import Condition
from puredelta.table.skipping.stats_cache import Mask

_logger = logging.getLogger(__name__)


def is_proven(snapshot: Snapshot, files: pa.Table, condition: Condition) -> Mask:
    """Return for each file whether a condition is surely true for all of its rows.

    Args:
        snapshot: The version that the files belong to.
        files: Rows of `log.files.FILES`, of that version.
        condition: By logical names. A condition that cannot be evaluated is proven for no file,
            and the reason is logged.
    """
    try:
        return surely_true(condition, files, columns_of_table(snapshot))
    except Exception:  # the caller reads the rows of files without a proof
        _logger.warning("no file is proven by %s", condition_text(condition), exc_info=True)
        return np.full(files.num_rows, fill_value=False)


def surely_true(condition: Condition, files: pa.Table, columns: StatsColumns) -> Mask:
    """Return for each file whether a condition is surely true for all of its rows.

    Args:
        condition: By logical names.
        files: Rows of `log.files.FILES`.
        columns: The columns of the table.

    Raises:
        DeltaRuntimeError: A partition value is none of the column's type.
    """
    found = evaluate(condition, files, columns, for_sure=True)
    return ~(found.may_be_false | found.may_be_null)
