"""Clustering columns: the columns by which OPTIMIZE orders rows, and which can be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import DataType, StructType, simple_string
from puredelta.schema.physical import logical_path, name_in_files
from puredelta.table.statistics.indexed_columns import (
    Indexing,
    Path,
    indexed_leaves,
    is_ordered,
)

MAX_COLUMNS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusteringColumn:
    """A column to cluster by.

    Attributes:
        logical: its path in the names that users know, as the schema spells them.
        physical: its path in the names that files know.
        data_type: its type.
    """

    logical: Path
    physical: Path
    data_type: DataType

    @property
    def name(self) -> str:
        """Its path as text."""
        return quote_path(self.logical)


def chosen_columns(paths: Sequence[Path], schema: StructType) -> list[ClusteringColumn]:
    """Look up the columns that a user wants a table to be clustered by.

    Args:
        paths: Their names, in any case; empty for no clustering.
        schema: The columns of the table.

    Raises:
        DeltaAnalysisError: Too many, a column twice, an unknown one, or one of a type without
            bounds.
    """
    lowered = [tuple(part.lower() for part in path) for path in paths]
    repeated = sorted({".".join(path) for path in lowered if lowered.count(path) > 1})
    if repeated:
        raise DeltaAnalysisError(
            "DELTA_DUPLICATE_COLUMNS_FOUND.CLUSTER_BY", duplicateCols=", ".join(repeated)
        )
    if len(paths) > MAX_COLUMNS:
        raise DeltaAnalysisError(
            "DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS",
            numColumnsLimit=MAX_COLUMNS,
            actualNumColumns=len(paths),
        )
    found = [_found(path, schema) for path in paths]
    unordered = [column for column in found if not is_ordered(column.data_type)]
    if unordered:
        shown = [f"{column.name}: {simple_string(column.data_type)}" for column in unordered]
        raise DeltaAnalysisError(
            "DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED", columnsWithDataTypes=shown
        )
    return found


def _found(path: Path, schema: StructType) -> ClusteringColumn:
    logical: list[str] = []
    physical: list[str] = []
    inside: DataType = schema
    for part in path:
        field = inside.field(part) if isinstance(inside, StructType) else None
        if field is None:
            raise DeltaAnalysisError(
                "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA",
                columnName=quote_path(path),
                tableSchema=simple_string(schema),
            )
        logical.append(field.name)
        physical.append(name_in_files(field))
        inside = field.data_type
    return ClusteringColumn(logical=tuple(logical), physical=tuple(physical), data_type=inside)


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
