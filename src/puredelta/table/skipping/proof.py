"""Files of which the log proves that a condition is true for each of their rows.

Verdicts err on the side of "may be", so what may be neither false nor null is true.
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
    """Tell for each file whether a condition is surely true for all of its rows.

    Args:
        snapshot: The version that the files belong to.
        files: Rows of `log.files.FILES`, of that version.
        condition: By the names that users have for columns. One that cannot be judged is proven
            for no file, and the reason goes to the log.
    """
    try:
        return surely_true(condition, files, columns_of_table(snapshot))
    except Exception:  # whatever is wrong with statistics, the rows themselves can be asked
        _logger.warning("no file is proven by %s", condition_text(condition), exc_info=True)
        return np.full(files.num_rows, fill_value=False)


def surely_true(condition: Condition, files: pa.Table, columns: StatsColumns) -> Mask:
    """Tell for each file whether a condition is surely true for all of its rows.

    Args:
        condition: By the names that users have for columns.
        files: Rows of `log.files.FILES`.
        columns: The columns of the table.

    Raises:
        DeltaRuntimeError: A partition value is none of the column's type.
    """
    found = evaluate(condition, files, columns, for_sure=True)
    return ~(found.may_be_false | found.may_be_null)
