"""Clustering columns: by what OPTIMIZE is to order the rows, kept in a metadata domain.

Protocol: Clustered Table. A writer that does not cluster owes such a table no more than statistics
of the clustering columns; the domain names them by their physical names.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from puredelta.errors import DeltaAnalysisError, DeltaIllegalStateError
from puredelta.log.actions import DomainMetadata
from puredelta.schema.datatypes import StructType, simple_string
from puredelta.schema.physical import logical_path
from puredelta.table.indexing import Indexing, Path, indexed_leaves

DOMAIN = "delta.clustering"


class _Clustering(msgspec.Struct, frozen=True, rename="camel"):
    # The protocol shows plain names, and Spark writes the parts of names.
    clustering_columns: list[str | list[str]]
    domain_name: str = DOMAIN


_CLUSTERING = msgspec.json.Decoder(_Clustering)

NOT_CLUSTERED = DomainMetadata(
    domain=DOMAIN,
    configuration=msgspec.json.encode(_Clustering(clustering_columns=[])).decode(),
    removed=False,
)
"""What a table gets that was clustered and is no longer."""


def clustering_columns(domains: Iterable[DomainMetadata]) -> list[Path]:
    """Return the physical paths of the clustering columns.

    Raises:
        DeltaIllegalStateError: The domain holds something else.
    """
    found = next((one for one in domains if one.domain == DOMAIN and not one.removed), None)
    if found is None:
        return []
    try:
        columns = _CLUSTERING.decode(found.configuration).clustering_columns
    except msgspec.DecodeError as reason:
        raise DeltaIllegalStateError("DELTA_CLUSTERING_MALFORMED", reason=reason) from reason
    return [(one,) if isinstance(one, str) else tuple(one) for one in columns]


def check_statistics(columns: Iterable[Path], schema: StructType, indexing: Indexing) -> None:
    """Make sure that the clustering columns get statistics.

    Args:
        columns: Their physical paths.
        schema: The columns of the table, which has no partition columns if it is clustered.
        indexing: Which columns get statistics.

    Raises:
        DeltaAnalysisError: One gets none.
    """
    known = {leaf.path for leaf in indexed_leaves(schema, indexing)}
    named = [(path, logical_path(path, schema)) for path in columns]
    missing = [".".join(logical or path) for path, logical in named if logical not in known]
    if missing:
        raise DeltaAnalysisError(
            "DELTA_CLUSTERING_COLUMN_MISSING_STATS",
            columns=missing,
            schema=simple_string(schema),
        )
