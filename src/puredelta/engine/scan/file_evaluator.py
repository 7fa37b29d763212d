"""Which files a scan can pass over, by what the log says of them."""

import logging
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from puredelta.engine.catalyst.predicates import condition_of
from puredelta.engine.scan.handle import ScanQuestion
from puredelta.log.snapshot import Snapshot
from puredelta.table.skipping.predicate import Condition, Unknown, conjuncts
from puredelta.table.skipping.pruning import PruningEffect, prune_files
from puredelta.table.skipping.stats_cache import Mask

logger = logging.getLogger(__name__)


def conditions_of(question: ScanQuestion, filters: Any) -> list[Condition]:
    """Translate the filters of a scan; those that statistics do not help are left out.

    Args:
        question: what `puredelta.TableFiles` asks; it says whether the session skips anything.
        filters: a Catalyst expression, or None.
    """
    if filters is None or question.skips == "false":
        return []
    found = conjuncts([condition_of(filters)])
    return [predicate for predicate in found if not isinstance(predicate, Unknown)]


class FileEvaluator:
    """Judges the files of a version by conditions that must all hold.

    Attributes:
        effects: what each condition did, once files were judged.
    """

    def __init__(self, snapshot: Snapshot, conditions: Sequence[Condition]) -> None:
        """Take what is to be judged, and by what."""
        self.effects: tuple[PruningEffect, ...] = ()
        self._snapshot = snapshot
        self._conditions = conditions

    def prune(self, files: pa.Table) -> Mask:
        """Say of each file whether it can hold a row that all conditions are true for."""
        found = prune_files(self._snapshot, files, self._conditions)
        logger.debug("%s: %s", self._snapshot, found)
        self.effects = found.effects
        return found.mask
