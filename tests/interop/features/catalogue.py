"""All tables with features, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.interop.features import (
    generated,
    log_files,
    mapping,
    schema_features,
    table_features,
    vectors,
    widening,
)

if TYPE_CHECKING:
    from tests.interop.features.scenario import Scenario

FEATURE_TABLES: dict[str, Scenario] = {
    **mapping.SCENARIOS,
    **vectors.SCENARIOS,
    **widening.SCENARIOS,
    **log_files.SCENARIOS,
    **schema_features.SCENARIOS,
    **generated.SCENARIOS,
    **table_features.SCENARIOS,
}
READABLE = {name: one for name, one in FEATURE_TABLES.items() if one.refused is None}
