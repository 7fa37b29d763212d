"""Conditions that columns carry in their metadata, which came before CHECK constraints.

Protocol: Column Invariants. Current writers create none, and must check those that exist.
"""

from collections.abc import Mapping

import msgspec

from puredelta.errors.classes import DeltaAnalysisError
from puredelta.table.protocol.feature_activation import INVARIANT_KEY


class _Expression(msgspec.Struct, frozen=True):
    expression: str


class _Persisted(msgspec.Struct, frozen=True):
    expression: _Expression


def invariant_of(metadata: Mapping[str, object], column: str) -> str | None:
    """Return the condition, in SQL, that a column carries; None for none.

    Args:
        metadata: The column's, or that of a field of a struct.
        column: Its path, for errors.

    Raises:
        DeltaAnalysisError: DELTA_INVARIANT_MALFORMED when it cannot be read: rows must not be
            written past it.
    """
    stored = metadata.get(INVARIANT_KEY)
    if stored is None:
        return None
    try:
        return msgspec.json.decode(str(stored), type=_Persisted).expression.expression
    except msgspec.DecodeError as error:
        raise DeltaAnalysisError(
            "DELTA_INVARIANT_MALFORMED", columnName=column, invariant=str(stored)
        ) from error
