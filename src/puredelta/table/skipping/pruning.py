"""Which files a query must read, and why the others need not be."""

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
    """What one condition, of those that must all hold, does on its own.

    Attributes:
        condition: The condition.
        files_skipped: How many files hold no row for which it is true.
        bytes_skipped: Their size.
        failure: Why it could not be judged, which keeps all files; None when it could.
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
        files: How many files were judged.
        bytes: Their size.
        files_kept: How many must be read.
        bytes_kept: Their size.
        effects: What each condition does on its own; conditions joined by AND count one by one.
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
    """Find the files that can hold rows for which some conditions are all true.

    When a condition cannot be judged it keeps all files, and a warning goes to the log.

    Args:
        snapshot: The version that the files belong to.
        files: Rows of `log.files.FILES`, of that version. What is parsed of statistics is kept by
            batches of these rows, so pass `snapshot.files`, or a slice of it, each time.
        conditions: What must hold, by the names that users have for columns.
    """
    columns = columns_of_table(snapshot)
    sizes = np.asarray(files["size"].fill_null(0)) if files.num_rows else np.zeros(0, np.int64)
    mask = np.full(files.num_rows, fill_value=True)
    effects = []
    parts = list(conjuncts(conditions))
    _parse(parts, files, columns)
    for condition in parts:
        may_be_true, failure = _judged(condition, files, columns)
        mask &= may_be_true
        gone = ~may_be_true
        skipped = int(np.count_nonzero(gone))
        effects.append(PruningEffect(condition, skipped, int(sizes[gone].sum()), failure))
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
    except Exception:  # the conditions are judged one by one, and say then what is wrong
        _logger.debug("statistics are not parsed in one go", exc_info=True)


def _judged(condition: Condition, files: pa.Table, columns: StatsColumns) -> tuple[Any, str | None]:
    try:
        return evaluate(condition, files, columns).may_be_true, None
    except Exception as reason:  # a query must not fail for what only speeds it up
        _logger.warning("no file is skipped by %s", condition_text(condition), exc_info=True)
        return np.full(files.num_rows, fill_value=True), str(reason) or type(reason).__name__
