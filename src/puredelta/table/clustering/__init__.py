"""Clustering: its columns and their metadata domain, space-filling curves, and ZCubes of files."""

from puredelta.table.clustering.columns import (
    ClusteringColumn,
    check_statistics,
    chosen_columns,
)
from puredelta.table.clustering.domain import (
    DOMAIN,
    FEATURE,
    NOT_CLUSTERED,
    clustering_columns,
    clustering_domain,
    logical_columns,
)

__all__ = [
    "DOMAIN",
    "FEATURE",
    "NOT_CLUSTERED",
    "ClusteringColumn",
    "check_statistics",
    "chosen_columns",
    "clustering_columns",
    "clustering_domain",
    "logical_columns",
]
