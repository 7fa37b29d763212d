"""CREATE TABLE, or a write, over a table that is there: what was specified must be what it is."""

from collections.abc import Iterator, Mapping, Sequence

from puredelta.errors.classes import DeltaAnalysisError
from puredelta.log.snapshot import Snapshot
from puredelta.schema.column_path import quote_path
from puredelta.schema.datatypes import StructField, StructType, simple_string
from puredelta.table.clustering import logical_columns
from puredelta.table.columns.column_mapping import unmapped_schema
from puredelta.table.expressions.generation_clauses import generation_clause
from puredelta.table.protocol.properties import MAX_COLUMN_ID, validate
from puredelta.table.protocol.protocol import requested_protocol
from puredelta.table.statistics.indexed_columns import Path


def check_same(
    found: Snapshot,
    schema: StructType,
    partition_columns: Sequence[str],
    cluster_by: Sequence[Path],
    properties: Mapping[str, str],
    path: str,
) -> None:
    """Compare what a statement specifies to the table at its location.

    Args:
        found: the table there.
        schema: the columns specified; none means: take those of the table.
        partition_columns: likewise.
        cluster_by: likewise, the paths of clustering columns.
        properties: likewise; where some are given, all must be.
        path: the location, for errors.

    Raises:
        DeltaAnalysisError: DELTA_CREATE_TABLE_SCHEME_MISMATCH,
            DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING,
            DELTA_CREATE_TABLE_WITH_DIFFERENT_CLUSTERING,
            DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY.
    """
    if schema:
        _check_schema(unmapped_schema(found.schema), schema, path)
        if [n.lower() for n in partition_columns] != [n.lower() for n in found.partition_columns]:
            raise DeltaAnalysisError(
                "DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING",
                path=path,
                specifiedColumns=partition_columns,
                existingColumns=found.partition_columns,
            )
        _check_clustering(found, cluster_by, path)
    _, stored = requested_protocol(validate(properties))
    if stored and stored != _chosen(found.configuration):
        raise DeltaAnalysisError(
            "DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY",
            path=path,
            specifiedProperties=stored,
            existingProperties=dict(found.configuration),
        )


def _chosen(configuration: Mapping[str, str]) -> dict[str, str]:
    """Return the properties that somebody chose."""
    return {key: text for key, text in configuration.items() if key != MAX_COLUMN_ID.key}


def check_clustering_stays(found: Snapshot, wanted: Sequence[Path]) -> None:
    """Refuse a write that names other clustering columns than the table has.

    Args:
        found: the table.
        wanted: the paths of the columns that the writer names, in any case.

    Raises:
        DeltaAnalysisError: DELTA_CLUSTERING_COLUMNS_MISMATCH.
    """
    there = [".".join(path) for path in logical_columns(found.domains.values(), found.schema)]
    given = [".".join(path) for path in wanted]
    if [name.lower() for name in given] != [name.lower() for name in there]:
        raise DeltaAnalysisError(
            "DELTA_CLUSTERING_COLUMNS_MISMATCH",
            providedClusteringColumns=given,
            existingClusteringColumns=there,
        )


def _check_clustering(found: Snapshot, cluster_by: Sequence[Path], path: str) -> None:
    there = [quote_path(column) for column in logical_columns(found.domains.values(), found.schema)]
    wanted = [quote_path(column) for column in cluster_by]
    if [name.lower() for name in there] != [name.lower() for name in wanted]:
        raise DeltaAnalysisError(
            "DELTA_CREATE_TABLE_WITH_DIFFERENT_CLUSTERING",
            path=path,
            specifiedColumns=wanted,
            existingColumns=there,
        )


def _check_schema(existing: StructType, specified: StructType, path: str) -> None:
    differences = list(_differences(existing, specified))
    if differences:
        raise DeltaAnalysisError(
            "DELTA_CREATE_TABLE_SCHEME_MISMATCH",
            path=path,
            specifiedSchema=simple_string(specified),
            existingSchema=simple_string(existing),
            schemaDifferences="; ".join(differences),
        )


def _differences(existing: StructType, specified: StructType) -> Iterator[str]:
    there = {field.name: field for field in existing}
    given = {field.name: field for field in specified}
    for name in there.keys() - given.keys():
        yield f"the table has a column {name} that was not specified"
    for name in given.keys() - there.keys():
        yield f"the table has no column {name}"
    for name in there.keys() & given.keys():
        if there[name].data_type != given[name].data_type:
            yield (
                f"{name} is {simple_string(there[name].data_type)} there and "
                f"{simple_string(given[name].data_type)} here"
            )
        elif there[name].nullable != given[name].nullable:
            yield f"{name} may be null in only one of the two"
        elif _generation(there[name]) != _generation(given[name]):
            yield (
                f"{name} is {_generation(there[name])} there and {_generation(given[name])} here"
            )
    if existing.names != specified.names and not there.keys() ^ given.keys():
        yield "the columns are in another order"


def _generation(field: StructField) -> str:
    """Say how a column is generated, in SQL."""
    return generation_clause(field) or "not generated"
