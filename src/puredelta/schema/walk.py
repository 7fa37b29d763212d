"""Visiting the parts of nested types."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from puredelta.schema.datatypes import ArrayType, DataType, MapType, StructField, StructType


def leaves(schema: StructType) -> Iterator[tuple[tuple[str, ...], StructField]]:
    """Visit the fields that are not structs, depth first, with the names on the way to them.

    Arrays and maps are leaves: their parts have many values in a row, or none.
    """
    for field in schema:
        if isinstance(field.data_type, StructType):
            for path, leaf in leaves(field.data_type):
                yield (field.name, *path), leaf
        else:
            yield (field.name,), field


def types_in(data_type: DataType) -> Iterator[DataType]:
    """Visit a type and all types inside it, outer ones first."""
    yield data_type
    match data_type:
        case StructType(fields):
            inner = [field.data_type for field in fields]
        case ArrayType(element):
            inner = [element]
        case MapType(key, value):
            inner = [key, value]
        case _:
            inner = []
    for found in inner:
        yield from types_in(found)


def each_field(schema: StructType, change: Callable[[StructField], StructField]) -> StructType:
    """Return a schema with every field changed, at any depth, inner ones first."""

    def inside(data_type: DataType) -> DataType:
        match data_type:
            case StructType():
                return each_field(data_type, change)
            case ArrayType(element):
                return replace(data_type, element_type=inside(element))
            case MapType(key, value):
                return replace(data_type, key_type=inside(key), value_type=inside(value))
            case _:
                return data_type

    fields = (replace(field, data_type=inside(field.data_type)) for field in schema)
    return StructType(tuple(change(field) for field in fields))
