"""A table's schema in PySpark's types, and how its rows lie in files."""

import json

import msgspec
from pyspark.sql.types import StructField, StructType

from puredelta.engine.footers import Layout
from puredelta.log.actions import Metadata
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_from_json, schema_to_json
from puredelta.table.indexing import indexing_of
from puredelta.table.properties import TYPE_WIDENING
from puredelta.table.schema_check import check_new_schema
from puredelta.table.widening import with_type_changes


def layout_of(metadata: Metadata) -> Layout:
    """Return how rows of a table lie in its files."""
    return Layout(
        schema=schema_from_json(metadata.schema_string),
        partition_columns=tuple(metadata.partition_columns),
        indexing=indexing_of(metadata.configuration),
    )


def spark_schema(metadata: Metadata) -> StructType:
    """Return a table's schema in PySpark's types."""
    return StructType.fromJson(json.loads(metadata.schema_string))


def partition_fields(snapshot: Snapshot) -> list[StructField]:
    """Return a version's partition columns with their PySpark types."""
    schema = spark_schema(snapshot.metadata)
    return [schema[name] for name in snapshot.partition_columns]


def with_schema(metadata: Metadata, schema: StructType) -> Metadata:
    """Return metadata with another schema; the very same when the schema is the same."""
    text = schema_to_json(schema_from_json(schema.json()))
    if text == metadata.schema_string:
        return metadata
    ours = schema_from_json(text)
    check_new_schema(ours, ())
    if TYPE_WIDENING.of(metadata.configuration):
        ours = with_type_changes(schema_from_json(metadata.schema_string), ours)
    return msgspec.structs.replace(metadata, schema_string=schema_to_json(ours))
