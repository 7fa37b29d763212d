"""Chooses the files that a query must read, and reports which condition skips the others."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from puredelta.log.snapshot import Snapshot
from puredelta.table.skipping.columns import StatsColumns, columns_of_table
from puredelta.table.skipping.describe import condition_text
from puredelta.table.skipping.evaluate import evaluate, parse_for
from puredelta.table.skipping.predicate import Condition, conjuncts
from puredelta.table.skipping.stats_cache import Mask

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PruningEffect:
    """The effect of one condition, of those that must all be true, on its own.

    Attributes:
        condition: The condition.
        files_skipped: How many files have no row for which it is true.
        bytes_skipped: Their size.
        failure: Why it could not be evaluated, which keeps all files; None when it could.
    """

    condition: Condition
    files_skipped: int
    bytes_skipped: int
    failure: str | None = None

    def __str__(self) -> str:
        text = condition_text(self.condition)
        if self.failure is not None:
            return f"{text}: not used ({self.failure})"
        if not self.files_skipped:
            return f"{text}: skips no file"
        return f"{text}: skips {self.files_skipped} files, {self.bytes_skipped} bytes"


@dataclass(frozen=True, slots=True)
class PrunedFiles:
    """The files that must be read.

    Attributes:
        mask: True for each file that may hold a row for which all conditions are true.
        files: How many files there are.
        bytes: Their size.
        files_kept: How many must be read.
        bytes_kept: Their size.
        effects: The effect of each condition on its own; each part of an AND counts as a condition.
    """

    mask: Mask
    files: int
    bytes: int
    files_kept: int
    bytes_kept: int
    effects: tuple[PruningEffect, ...]

    def __str__(self) -> str:
        head = f"{self.files_kept} of {self.files} files, {self.bytes_kept} of {self.bytes} bytes"
        return "\n".join([head, *(f"  {effect}" for effect in self.effects)])


def prune_files(
    snapshot: Snapshot, files: pa.Table, conditions: Sequence[Condition]
) -> PrunedFiles:
    """Find the files that can have rows for which some conditions are all true.

    A condition that cannot be evaluated keeps all files, and a warning is logged.

    Args:
        snapshot: The version that the files belong to.
        files: Rows of `log.files.FILES`, of that version. Parsed statistics are cached by
            batches of these rows, so pass `snapshot.files`, or a slice of it, each time.
        conditions: The conditions, by logical names.
    """
    columns = columns_of_table(snapshot)
    sizes = np.asarray(files["size"].fill_null(0)) if files.num_rows else np.zeros(0, np.int64)
    mask = np.full(files.num_rows, fill_value=True)
    effects = []
    parts = list(conjuncts(conditions))
    _parse(parts, files, columns)
    for condition in parts:
        may_be_true, failure = _evaluate(condition, files, columns)
        # Each condition is evaluated for all files, also those that an earlier one skips: effects
        # do not depend on the order of conditions.
        mask &= may_be_true
        skipped = ~may_be_true
        count, size = int(np.count_nonzero(skipped)), int(sizes[skipped].sum())
        effects.append(PruningEffect(condition, count, size, failure))
    return PrunedFiles(
        mask=mask,
        files=files.num_rows,
        bytes=int(sizes.sum()),
        files_kept=int(np.count_nonzero(mask)),
        bytes_kept=int(sizes[mask].sum()),
        effects=tuple(effects),
    )


def _parse(conditions: Sequence[Condition], files: pa.Table, columns: StatsColumns) -> None:
    try:
        parse_for(conditions, files, columns)
    except Exception:  # evaluating the conditions one by one shows which of them fails
        _logger.debug("statistics are not parsed in one go", exc_info=True)


def _evaluate(
    condition: Condition, files: pa.Table, columns: StatsColumns
) -> tuple[Any, str | None]:
    try:
        return evaluate(condition, files, columns).may_be_true, None
    except Exception as reason:  # a query must not fail over statistics that only speed it up
        _logger.warning("no file is skipped by %s", condition_text(condition), exc_info=True)
        return np.full(files.num_rows, fill_value=True), str(reason) or type(reason).__name__
