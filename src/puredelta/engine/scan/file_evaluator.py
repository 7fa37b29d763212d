"""Evaluates the filters of a scan for files, by partition values and statistics."""

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
        question: of `puredelta.TableFiles`; it says whether data skipping is enabled.
        filters: a Catalyst expression, or None.
    """
    if filters is None or question.skips == "false":
        return []
    found = conjuncts([condition_of(filters, question.filters)])
    return [predicate for predicate in found if not isinstance(predicate, Unknown)]


class FileEvaluator:
    """Evaluates conditions, all of which must hold, for the files of a version.

    Attributes:
        effects: the effect of each condition, once files were evaluated.
    """

    def __init__(self, snapshot: Snapshot, conditions: Sequence[Condition]) -> None:
        """Take the version and the conditions."""
        self.effects: tuple[PruningEffect, ...] = ()
        self._snapshot = snapshot
        self._conditions = conditions

    def prune(self, files: pa.Table) -> Mask:
        """Return for each file whether it can contain a row for which all conditions are true."""
        found = prune_files(self._snapshot, files, self._conditions)
        logger.debug("%s: %s", self._snapshot, found)
        self.effects = found.effects
        return found.mask
