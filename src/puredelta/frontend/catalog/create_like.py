"""What CREATE TABLE LIKE takes over from its source."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pyspark.sql import SparkSession

from puredelta.errors.classes import DeltaTableNotFoundError
from puredelta.frontend.catalog.lookup import ResolvedName, find_by_name, is_path_name
from puredelta.frontend.sql_text import dotted
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_from_json
from puredelta.schema.datatypes import StructField, StructType
from puredelta.schema.walk import each_field
from puredelta.table.clustering import FEATURE as CLUSTERING
from puredelta.table.clustering import logical_columns
from puredelta.table.columns.column_mapping import unmapped_schema
from puredelta.table.protocol.feature_activation import TYPE_CHANGES_KEY
from puredelta.table.protocol.features import FEATURE_PREFIX
from puredelta.table.protocol.protocol import features_of

# These describe the files and versions of one table, so that its copy gets values of its own. Each
# is a prefix: row tracking has two properties with names of materialized columns.
_OF_ONE_TABLE = (
    "delta.columnMapping.maxColumnId",
    "delta.rowTracking.materialized",
    "delta.inCommitTimestampEnablement",
    "delta.requireCheckpointProtectionBeforeVersion",
)
_OF_ONE_COLUMN = (TYPE_CHANGES_KEY, "delta.identity.highWaterMark")


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A table to be like; the attributes are those of `Create`."""

    schema: StructType
    partition_columns: tuple[str, ...] = ()
    cluster_by: tuple[tuple[str, ...], ...] | None = None
    properties: Mapping[str, str]
    comment: str | None = None


def template_of(session: SparkSession, name: Sequence[str]) -> Template:
    """Read the definition of a table or view.

    Args:
        session: where it is looked up.
        name: the parts of its name.

    Raises:
        AnalysisException: Spark's TABLE_OR_VIEW_NOT_FOUND.
        DeltaAnalysisError: DELTA_MISSING_DELTA_TABLE for a path without a table.
    """
    found = find_by_name(session, name)
    if found.table is not None:
        return _of_delta(found.table.log().latest())
    if is_path_name(name):
        raise DeltaTableNotFoundError("DELTA_MISSING_DELTA_TABLE", tableName=found.name)
    return _of_other(session, name, found)


def _of_delta(snapshot: Snapshot) -> Template:
    features = features_of(snapshot.protocol)
    clustering = logical_columns(snapshot.domains.values(), snapshot.schema)
    # CLUSTER BY brings the feature of clustering, which no property may ask for.
    named = {f"{FEATURE_PREFIX}{name}": "supported" for name in features - {CLUSTERING}}
    return Template(
        # The column ids and physical names are those of the source's files, which stay there.
        schema=each_field(unmapped_schema(snapshot.schema), _fresh),
        partition_columns=tuple(snapshot.partition_columns),
        cluster_by=tuple(clustering) if CLUSTERING in features else None,
        properties={
            **named,
            **of_the_definition(snapshot.configuration),
        },
        comment=snapshot.metadata.description,
    )


def of_the_definition(configuration: Mapping[str, str]) -> dict[str, str]:
    """Return the properties that another table like this one has too."""
    return {k: v for k, v in configuration.items() if not k.startswith(_OF_ONE_TABLE)}


def _of_other(session: SparkSession, name: Sequence[str], found: ResolvedName) -> Template:
    schema = session.table(dotted(name)).schema
    return Template(
        schema=schema_from_json(schema.json()),
        partition_columns=found.partition_columns,
        properties=found.properties,
        comment=found.comment,
    )


def _fresh(field: StructField) -> StructField:
    kept = {k: v for k, v in field.metadata.items() if not k.startswith(_OF_ONE_COLUMN)}
    return field if len(kept) == len(field.metadata) else replace(field, metadata=kept)
