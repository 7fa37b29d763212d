"""Which files a scan can pass over, by what the log says of them."""

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from puredelta.engine.catalyst import condition_of
from puredelta.engine.file_listing import Prune
from puredelta.log.snapshot import Snapshot
from puredelta.table.skipping.condition import Condition, Unknown
from puredelta.table.skipping.pruning import kept

logger = logging.getLogger(__name__)


def conditions_of(filters: Any) -> list[Condition]:
    """Translate the filters of a scan, a Scala Seq of Catalyst expressions."""
    found = (condition_of(filters.apply(place)) for place in range(filters.size()))
    return [one for one in found if not isinstance(one, Unknown)]


def pruning(snapshot: Snapshot, conditions: Sequence[Condition]) -> Prune | None:
    """Return what prunes the files of a version; None when there is no condition."""
    if not conditions:
        return None

    def prune(files: pa.Table) -> "np.ndarray[Any, np.dtype[np.bool_]]":
        found = kept(snapshot, files, conditions)
        logger.debug("%s: %s", snapshot, found)
        return found.mask

    return prune
