"""Schema, partitioning and clustering of a statement, read from Spark's objects."""

from collections.abc import Iterable
from typing import Any

from puredelta.engine.bridge.classes import new, static_method
from puredelta.errors.classes import DeltaAnalysisError
from puredelta.schema.codec import schema_from_json
from puredelta.schema.datatypes import StructField

_COLUMNS = "org.apache.spark.sql.connector.catalog.CatalogV2Util"
_CLUSTERED = "cluster_by"
_LENGTHS = "org.apache.spark.sql.catalyst.util.CharVarcharUtils"


def declared_schema(columns: Any) -> str:
    """Return the schema of an array of Spark's columns as JSON; CHAR and VARCHAR are strings."""
    return _json(static_method(_COLUMNS, "v2ColumnsToStructType")(columns))


def declared_field(name: str, data_type: Any, *, nullable: bool) -> StructField:
    """Return a column of one of Spark's types; CHAR and VARCHAR are strings.

    Args:
        name: its name.
        data_type: the type, in the JVM.
        nullable: whether it may be null.
    """
    schema = new("org.apache.spark.sql.types.StructType").add(name, data_type, nullable)
    [field] = schema_from_json(_json(schema))
    return field


def _json(schema: Any) -> str:
    # The log has no types CHAR and VARCHAR: Spark writes them as strings and the declared type into
    # the metadata of the column.
    return str(static_method(_LENGTHS, "replaceCharVarcharWithStringInSchema")(schema).json())


def declared_clustering(transforms: Iterable[Any]) -> tuple[tuple[str, ...], ...] | None:
    """Return the paths of CLUSTER BY; None when there is none."""
    for transform in transforms:
        if transform.name() == _CLUSTERED:
            return tuple(_path(reference) for reference in transform.references())
    return None


def declared_partitioning(transforms: Iterable[Any], table: str) -> tuple[str, ...]:
    """Return the names of the partition columns, from Spark's partition transforms.

    Raises:
        DeltaAnalysisError: DELTA_OPERATION_NOT_ALLOWED for transforms other than a column.
    """
    # Spark passes CLUSTER BY as one of the partition transforms.
    plain = (transform for transform in transforms if transform.name() != _CLUSTERED)
    return tuple(_partition_column(transform, table) for transform in plain)


def _partition_column(transform: Any, table: str) -> str:
    kind = transform.name()
    if kind == "bucket":
        raise DeltaAnalysisError(
            "DELTA_OPERATION_NOT_ALLOWED_DETAIL", operation="Bucketing", tableName=table
        )
    path = _path(transform.references()[0])
    if kind != "identity" or len(path) != 1:
        raise DeltaAnalysisError(
            "DELTA_OPERATION_NOT_ALLOWED",
            operation=f"Partitioning by {kind}({'.'.join(path)})",
        )
    return path[0]


def _path(reference: Any) -> tuple[str, ...]:
    return tuple(str(part) for part in reference.fieldNames())
