"""The metadata domain that names the clustering columns of a table.

Protocol: Clustered Table. A writer that does not cluster must only write statistics of the
clustering columns. The domain names them by their physical names.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import DomainMetadata
from puredelta.schema.datatypes import StructType
from puredelta.schema.physical import logical_path
from puredelta.table.clustering.columns import ClusteringColumn
from puredelta.table.statistics.indexed_columns import Path

DOMAIN = "delta.clustering"
FEATURE = "clustering"


class _Clustering(msgspec.Struct, frozen=True, rename="camel"):
    # The protocol shows plain names, and delta-spark writes an array of name parts for each.
    clustering_columns: list[str | list[str]]
    domain_name: str = DOMAIN


_CLUSTERING = msgspec.json.Decoder(_Clustering)


def clustering_domain(columns: Iterable[ClusteringColumn]) -> DomainMetadata:
    """Return the metadata domain that names columns to cluster by."""
    named: list[str | list[str]] = [list(column.physical) for column in columns]
    text = msgspec.json.encode(_Clustering(clustering_columns=named)).decode()
    return DomainMetadata(domain=DOMAIN, configuration=text, removed=False)


NOT_CLUSTERED = clustering_domain(())
"""The domain of a table after CLUSTER BY NONE; the feature stays in its protocol."""


def clustering_columns(domains: Iterable[DomainMetadata]) -> list[Path]:
    """Return the physical paths of the clustering columns.

    Raises:
        DeltaIllegalStateError: The domain holds something else.
    """
    found = next(
        (domain for domain in domains if domain.domain == DOMAIN and not domain.removed), None
    )
    if found is None:
        return []
    try:
        columns = _CLUSTERING.decode(found.configuration).clustering_columns
    except msgspec.DecodeError as reason:
        raise DeltaIllegalStateError("DELTA_CLUSTERING_MALFORMED", reason=reason) from reason
    return [(column,) if isinstance(column, str) else tuple(column) for column in columns]


def logical_columns(domains: Iterable[DomainMetadata], schema: StructType) -> list[Path]:
    """Return the paths of the clustering columns in the names that users know."""
    return [logical_path(path, schema) or path for path in clustering_columns(domains)]
