"""Does a table's metadata ask for a feature, or use one? The conditions that `features` names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from puredelta.schema.datatypes import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
)

Configuration = Mapping[str, str]
Uses = Callable[[Configuration, StructType], bool]

CONSTRAINT_PREFIX = "delta.constraints."
INVARIANT_KEY = "delta.invariants"
GENERATION_KEY = "delta.generationExpression"
IDENTITY_PREFIX = "delta.identity."
DEFAULT_KEY = "CURRENT_DEFAULT"
TYPE_CHANGES_KEY = "delta.typeChanges"


def never(configuration: Configuration, schema: StructType) -> bool:
    """Ask for nothing: such a feature is turned on by name only."""
    del configuration, schema
    return False


def always(configuration: Configuration, schema: StructType) -> bool:
    """Count as used as soon as the protocol lists the feature."""
    del configuration, schema
    return True


def is_true(*keys: str) -> Uses:
    """Ask when the first of the keys that is set says true."""

    def uses(configuration: Configuration, schema: StructType) -> bool:
        del schema
        # The first key is the current name of a property; an older name counts only without it.
        value = next((configuration[key] for key in keys if key in configuration), "false")
        return value.strip().lower() == "true"

    return uses


def is_set(key: str) -> Uses:
    """Ask when the key is set, to whatever value."""
    return lambda configuration, _: key in configuration


def equals(key: str, wanted: str) -> Uses:
    """Ask when the key has the value `wanted`, in any case of letters."""
    return lambda configuration, _: configuration.get(key, "").strip().lower() == wanted


def has_field_metadata(prefix: str) -> Uses:
    """Ask when a field, at any depth, carries metadata whose key starts with `prefix`."""
    return lambda _, schema: any(
        key.startswith(prefix) for field in all_fields(schema) for key in field.metadata
    )


def has_type(wanted: DataType) -> Uses:
    """Ask when a column, at any depth, has the type."""
    return lambda _, schema: any(found == wanted for found in all_types(schema))


def has_invariants(configuration: Configuration, schema: StructType) -> bool:
    """Ask when a field is NOT NULL or carries an expression."""
    del configuration
    return any(
        # NOT NULL needs the feature as well: delta-spark enforces it as an invariant.
        INVARIANT_KEY in field.metadata or not field.nullable
        for field in all_fields(schema)
    )


def has_constraints(configuration: Configuration, schema: StructType) -> bool:
    """Ask when a CHECK constraint is stored."""
    del schema
    return any(key.lower().startswith(CONSTRAINT_PREFIX) for key in configuration)


def maps_columns(configuration: Configuration, schema: StructType) -> bool:
    """Ask when columns have physical names or ids of their own."""
    del schema
    return configuration.get("delta.columnMapping.mode", "none").strip().lower() != "none"


def all_fields(schema: StructType) -> Iterator[StructField]:
    """Every field of a schema at every depth, also below arrays and maps."""
    for found in all_types(schema):
        if isinstance(found, StructType):
            yield from found.fields


def all_types(data_type: DataType) -> Iterator[DataType]:
    """A type and every type below it, depth first."""
    yield data_type
    if isinstance(data_type, StructType):
        for field in data_type.fields:
            yield from all_types(field.data_type)
    elif isinstance(data_type, ArrayType):
        yield from all_types(data_type.element_type)
    elif isinstance(data_type, MapType):
        yield from all_types(data_type.key_type)
        yield from all_types(data_type.value_type)
