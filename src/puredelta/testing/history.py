"""What the history of a table says: which operations were committed, with which counts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias

from puredelta.log.reader import TableReader
from puredelta.testing.table_logs import log_of

if TYPE_CHECKING:
    from puredelta.api.delta_table import DeltaTable

ExpectedCommit: TypeAlias = str | tuple[str, Mapping[str, Any]]
"""The name of an operation, or its name and some of its metrics and parameters."""


@dataclass(frozen=True, slots=True)
class CommitSummary:
    """What a commit did, as far as it is the same in each run: no times, no bytes, no paths.

    Attributes:
        version: the version that it made.
        operation: the name of the operation, as `DESCRIBE HISTORY` shows it.
        metrics: counts of rows and files, by the names of `DESCRIBE HISTORY`.
        parameters: what the operation was asked for, as text.
    """

    version: int
    operation: str
    metrics: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict, repr=False, compare=False)


def history_of(
    table: DeltaTable | TableReader | str | os.PathLike[str], after: int | None = None
) -> list[CommitSummary]:
    """Return what was committed, oldest first.

    The summaries compare equal from run to run, and so can be stored as a snapshot.

    Args:
        table: the table, or its path.
        after: only commits after this version; by default all that the log still has.
    """
    return [
        CommitSummary(
            version=record.version,
            operation=(record.info and record.info.operation) or "",
            metrics=_stable_metrics((record.info and record.info.operation_metrics) or {}),
            parameters=_texts((record.info and record.info.operation_parameters) or {}),
        )
        for record in reversed(log_of(table).history())
        if after is None or record.version > after
    ]


def assert_history(
    table: DeltaTable | TableReader | str | os.PathLike[str],
    expected: Sequence[ExpectedCommit],
    *,
    after: int | None = None,
) -> None:
    """Fail unless these operations were committed, in this order and no others.

    >>> assert_history("/data/flights", ["WRITE", "OPTIMIZE"])  # doctest: +SKIP
    >>> assert_history(
    ...     table, [("MERGE", {"numTargetRowsInserted": 2})], after=3
    ... )  # doctest: +SKIP

    Args:
        table: the table, or its path.
        expected: the operations, oldest first: each its name, or its name together with those of
            its metrics (`numOutputRows`) and parameters (`mode`) that matter.
        after: only commits after this version count; by default all.

    Raises:
        AssertionError: The history is another; the message shows both, side by side.
    """
    __tracebackhide__ = True
    found = history_of(table, after)
    wanted = [(one, {}) if isinstance(one, str) else (one[0], dict(one[1])) for one in expected]
    pairs = list(zip_longest(found, wanted))
    if all(_matches(commit, want) for commit, want in pairs):
        return
    rows = [("", "version", "expected", "found")]
    for commit, want in pairs:
        mark = " " if _matches(commit, want) else ">"
        version = "" if commit is None else str(commit.version)
        rows.append((mark, version, _shown_expected(want), _shown_found(commit, want)))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = ["  ".join([*map(str.ljust, row[:3], widths), row[3]]).rstrip() for row in rows]
    raise AssertionError("\n".join([f"The history of {log_of(table).store.url} differs.", *lines]))


_Wanted: TypeAlias = tuple[str, dict[str, Any]]


def _matches(commit: CommitSummary | None, wanted: _Wanted | None) -> bool:
    if commit is None or wanted is None:
        return False
    name, details = wanted
    return commit.operation == name and all(
        _is_same(_detail(commit, key), value) for key, value in details.items()
    )


def _detail(commit: CommitSummary, key: str) -> int | str | None:
    return commit.metrics.get(key, commit.parameters.get(key))


def _is_same(found: int | str | None, wanted: Any) -> bool:
    return found == wanted or (found is not None and str(found) == str(wanted))


def _shown_expected(wanted: _Wanted | None) -> str:
    if wanted is None:
        return "-"
    name, details = wanted
    return " ".join([name, *(f"{key}={value}" for key, value in details.items())])


def _shown_found(commit: CommitSummary | None, wanted: _Wanted | None) -> str:
    if commit is None:
        return "-"
    asked = {} if wanted is None else wanted[1]
    return " ".join([commit.operation, *(f"{key}={_detail(commit, key)}" for key in asked)])


def _stable_metrics(metrics: Mapping[str, Any]) -> dict[str, int]:
    """Return counts; times and sizes differ between machines and releases of Spark."""
    return {
        name: int(value)
        for name, value in sorted(metrics.items())
        if str(value).isdigit() and not any(word in name for word in ("Time", "Bytes", "Size"))
    }


def _texts(parameters: Mapping[str, Any]) -> dict[str, str]:
    return {name: _text(value) for name, value in parameters.items()}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)
