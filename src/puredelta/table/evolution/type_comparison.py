"""When two types have the same values, and when their structs have the same fields."""

from collections.abc import Mapping
from dataclasses import replace

import msgspec

from puredelta.schema.datatypes import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    UnknownType,
    UserDefinedType,
)
from puredelta.table.columns.schema_check import COLLATIONS


def is_same_type(left: DataType, right: DataType) -> bool:
    """Return whether two types have the same values under the same names; nullability may differ.

    Plain values may go into a column of a class that stores them, but not the other way round.
    """
    match left, right:
        case StructType(), StructType():
            return left.names == right.names and all(
                is_same_type(collated_type(ours), collated_type(theirs))
                for ours, theirs in zip(left, right, strict=True)
            )
        case ArrayType(), ArrayType():
            return is_same_type(left.element_type, right.element_type)
        case MapType(), MapType():
            return is_same_type(left.key_type, right.key_type) and is_same_type(
                left.value_type, right.value_type
            )
        case UserDefinedType(), UserDefinedType():
            return class_name(left) == class_name(right)
        case UserDefinedType(_, sql_type), _:
            return is_same_type(sql_type, right)
    return left == right


def class_name(data_type: UserDefinedType) -> str | None:
    """Return the name of the Python class of a user-defined type, with its module."""
    name = msgspec.json.decode(data_type.definition).get("pyClass")
    return None if name is None else str(name)


def lacks_fields(source: DataType, target: DataType) -> bool:
    """Say whether a struct lacks, at any depth of structs, a field that the target's has."""
    if not isinstance(source, StructType) or not isinstance(target, StructType):
        return False
    known = {field.name.lower(): field.data_type for field in source}
    return any(
        field.name.lower() not in known or lacks_fields(known[field.name.lower()], field.data_type)
        for field in target
    )


def has_same_fields(source: DataType, target: DataType) -> bool:
    """Say whether the structs in two types have the same fields, at any depth."""
    match source, target:
        case StructType(), StructType():
            known = {field.name.lower(): field.data_type for field in source}
            return len(source) == len(target) and all(
                field.name.lower() in known
                and has_same_fields(known[field.name.lower()], field.data_type)
                for field in target
            )
        case ArrayType(), ArrayType():
            return has_same_fields(source.element_type, target.element_type)
        case MapType(), MapType():
            has_same_keys = has_same_fields(source.key_type, target.key_type)
            return has_same_keys and has_same_fields(source.value_type, target.value_type)
    return True


def collated_type(field: StructField) -> DataType:
    """Return the type of a field, in which strings with a collation are another type.

    Spark records collations beside the type, which is `string` for all of them.
    """
    recorded = field.metadata.get(COLLATIONS)
    if not isinstance(recorded, Mapping):
        return field.data_type
    return _collated(field.data_type, field.name, recorded)


def _collated(data_type: DataType, path: str, recorded: Mapping[str, object]) -> DataType:
    match data_type:
        case ArrayType(element):
            return replace(data_type, element_type=_collated(element, f"{path}.element", recorded))
        case MapType(key, value):
            return replace(
                data_type,
                key_type=_collated(key, f"{path}.key", recorded),
                value_type=_collated(value, f"{path}.value", recorded),
            )
    if path not in recorded:
        return data_type
    _, _, collation = str(recorded[path]).partition(".")
    return UnknownType(f"string collate {collation}")
