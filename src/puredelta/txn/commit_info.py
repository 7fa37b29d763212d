"""What a commit says about itself: operation, parameters, metrics, engine.

Protocol: Commit Provenance Information. The names of operations, parameters and metrics are those
that history readers know.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import msgspec

SERIALIZABLE = "Serializable"
WRITE_SERIALIZABLE = "WriteSerializable"
SNAPSHOT_ISOLATION = "SnapshotIsolation"

# Names that delta-spark gives to these operations: `WinningCommit.is_backfill` recognises its
# commits by them, too.
BACKFILL = "ROW TRACKING BACKFILL"
UNBACKFILL = "ROW TRACKING UNBACKFILL"
BACKFILLS = frozenset({BACKFILL, UNBACKFILL})
"""Operations that give row ids to files that are there, or take them; no row changes."""

RESTORE = "RESTORE"
CLONE = "CLONE"
"""The operation that brings back an older version: its files and its metadata were valid before."""

# A tag of delta-spark's: its writers, too, let a commit pass whose metadata moves high-water marks
# of identity columns alone.
IDENTITY_ONLY_TAG = "delta.identity.schemaUpdate"

_PACKAGE = "puredelta"


@dataclass(frozen=True, slots=True)
class Operation:
    """What was done to a table.

    Attributes:
        name: As history shows it: `WRITE`, `CREATE TABLE`, `SET TBLPROPERTIES`.
        parameters: Python values by name; None is written as null, so leave out what was not set.
        metrics: Counts as text, by name.
        tags: Marks for other writers.
    """

    name: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str | None] | None = None


def encoded_parameters(parameters: Mapping[str, object]) -> dict[str, Any]:
    """Turn parameters into the JSON values of `operationParameters`.

    Texts, numbers and booleans stay what they are; a list or mapping becomes a text of JSON.

    >>> encoded_parameters({"mode": "Append", "partitionBy": ["p"], "ifExists": True})
    {'mode': 'Append', 'partitionBy': '["p"]', 'ifExists': True}
    """
    return {name: _encoded(value) for name, value in parameters.items()}


def encoded_metrics(metrics: Mapping[str, object]) -> dict[str, str]:
    """Turn metrics into texts, as the log keeps them."""
    return {name: str(value) for name, value in metrics.items()}


def engine_info(spark_version: str | None = None) -> str:
    """Name the engine that commits: `Apache-Spark/4.1.1 PureDelta/0.1.0`, or us alone."""
    ours = f"PureDelta/{_own_version()}"
    return ours if spark_version is None else f"Apache-Spark/{spark_version} {ours}"


def _encoded(value: object) -> Any:
    # Spark writes lists and maps as a string that contains JSON; readers of the history parse it a
    # second time.
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (tuple, set, frozenset)):
        value = list(value)
    return msgspec.json.encode(value).decode()


@cache
def _own_version() -> str:
    try:
        return version(_PACKAGE)
    # A checkout that is on the path and not installed has no metadata.
    except PackageNotFoundError:
        return "unknown"
