"""A table's schema in PySpark's types, and how its rows lie in files."""

from dataclasses import replace

import msgspec
from pyspark.sql.types import StructField
from pyspark.sql.types import StructType as SparkStruct

from puredelta.engine.catalyst.expression_columns import columns_of
from puredelta.engine.session.spark_types import to_spark
from puredelta.engine.write.footers import Layout
from puredelta.log.actions import Metadata
from puredelta.log.snapshot import Snapshot
from puredelta.schema.codec import schema_to_json, stored_schema_from_json
from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructType
from puredelta.table.columns.char_lengths import with_declared_lengths
from puredelta.table.columns.column_mapping import mapping_mode, physical_names
from puredelta.table.columns.mapping_ids import keep_ids_of, with_mapping
from puredelta.table.columns.schema_check import check_new_schema
from puredelta.table.columns.type_widening import with_type_changes
from puredelta.table.columns.visible_schema import visible_schema
from puredelta.table.expressions.dependent_types import check_evolved
from puredelta.table.protocol.feature_activation import maps_columns
from puredelta.table.protocol.properties import TYPE_WIDENING, VARIANT_SHREDDING
from puredelta.table.protocol.protocol import schema_of
from puredelta.table.statistics.indexed_columns import as_in_files, indexing_of


def layout_of(metadata: Metadata) -> Layout:
    """Return how rows of a table lie in its files."""
    schema = stored_schema_from_json(metadata.schema_string)
    mode = mapping_mode(metadata.configuration)
    return Layout(
        table=schema,
        mode=mode,
        partition_columns=tuple(physical_names(schema, metadata.partition_columns, mode)),
        indexing=as_in_files(indexing_of(metadata.configuration), schema),
        shreds_variants=VARIANT_SHREDDING.of(metadata.configuration),
    )


def spark_schema(metadata: Metadata) -> SparkStruct:
    """Return a table's schema in PySpark's types."""
    return to_spark(stored_schema_from_json(metadata.schema_string))


def partition_fields(snapshot: Snapshot) -> list[StructField]:
    """Return a version's partition columns with their PySpark types."""
    schema = to_spark(visible_schema(snapshot.schema))
    return [schema[name] for name in snapshot.partition_columns]


def with_schema(metadata: Metadata, schema: StructType, *, replaces: bool = False) -> Metadata:
    """Return metadata with another schema; the very same when the schema is the same.

    Args:
        metadata: of the table.
        schema: the new one; fields that stay say what they said.
        replaces: the fields are of the data, and only columns of the same type stay.
    """
    before = stored_schema_from_json(metadata.schema_string)
    after = schema
    if replaces:
        there = before, metadata.configuration
        after, _ = keep_ids_of(there, after, metadata.configuration)
    # The caller compares by identity: for the same object it checks no dependents.
    if after == before:
        return metadata
    check_new_schema(after, (), mapped=maps_columns(metadata.configuration, after))
    if replaces:
        after = _in_known_order(before, after)
    after = with_declared_lengths(after if replaces else before, after)
    # Protocol: Type Widening. A writer records each change of type in the metadata of the field.
    if not replaces and TYPE_WIDENING.of(metadata.configuration):
        after = with_type_changes(before, after)
    after, configuration = with_mapping(after, metadata.configuration)
    return msgspec.structs.replace(
        metadata, schema_string=schema_to_json(after), configuration=configuration
    )


def evolved_layout(metadata: Metadata, schema: StructType) -> Metadata:
    """Return metadata with the schema that a write lets a table grow to.

    Raises:
        DeltaAnalysisError: a column would be retyped that an expression of the table names.
    """
    after = with_schema(metadata, schema)
    if after is not metadata:
        check_evolved(schema_of(metadata), schema_of(after), metadata.configuration, columns_of)
    return after


def _in_known_order(before: StructType, after: StructType) -> StructType:
    """Return a schema with the metadata of fields in the order in which the log has it.

    PySpark sorts the keys of what data says.
    """
    fields = []
    for field in after:
        known = before.field(field.name)
        if known is None:
            fields.append(field)
            continue
        inner = _inside(known.data_type, field.data_type)
        metadata = known.metadata if known.metadata == field.metadata else field.metadata
        fields.append(replace(field, data_type=inner, metadata=metadata))
    return StructType(tuple(fields))


def _inside(before: DataType, after: DataType) -> DataType:
    match before, after:
        case StructType(), StructType():
            return _in_known_order(before, after)
        case ArrayType(old), ArrayType(new):
            return replace(after, element_type=_inside(old, new))
        case MapType(old_key, old_value), MapType(key, value):
            keys, values = _inside(old_key, key), _inside(old_value, value)
            return replace(after, key_type=keys, value_type=values)
        case _:
            return after
