"""The schema that Spark keeps in a footer: whether it is the file's, and what of it a table takes.

Arrow, and what is built on it, reads a file's key-value metadata and writes them again, columns
changed or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from puredelta.conversion.parquet.types import UnknownColumnError, element_of, entry_of
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    UnknownType,
    UserDefinedType,
)
from puredelta.table.statistics.parquet_schema import OPTIONAL, REPEATED, SchemaNode

_PHYSICAL: dict[DataType, tuple[str, ...]] = {
    BOOLEAN: ("BOOLEAN",),
    BYTE: ("INT32",),
    SHORT: ("INT32",),
    INTEGER: ("INT32",),
    LONG: ("INT64",),
    FLOAT: ("FLOAT",),
    DOUBLE: ("DOUBLE",),
    STRING: ("BINARY",),
    BINARY: ("BINARY", "FIXED"),
    DATE: ("INT32",),
    TIMESTAMP: ("INT64", "INT96"),
    TIMESTAMP_NTZ: ("INT64",),
}
# None: no annotation, as Spark writes the type itself.
_KINDS: dict[DataType, tuple[str | None, ...]] = {
    BYTE: ("INTEGER",),
    SHORT: ("INTEGER",),
    INTEGER: (None, "INTEGER"),
    LONG: (None, "INTEGER"),
    STRING: ("STRING", "ENUM", "JSON"),
    DATE: ("DATE",),
    TIMESTAMP: ("TIMESTAMP", None),
    TIMESTAMP_NTZ: ("TIMESTAMP",),
}
_COMMENT = "comment"
_COLLATIONS = "__COLLATIONS"
_BITS: Mapping[DataType, int] = {BYTE: 8, SHORT: 16, INTEGER: 32, LONG: 64}


def fits(data_type: DataType, node: SchemaNode) -> bool:
    """Return whether a node holds values of a type; what may be null is not compared.

    Args:
        data_type: What Spark says.
        node: What the file has.
    """
    match data_type:
        case StructType(fields):
            same_names = [field.name for field in fields] == [child.name for child in node.children]
            pairs = zip(fields, node.children, strict=False)
            return (
                node.is_group
                and same_names
                and all(fits(field.data_type, pair) for field, pair in pairs)
            )
        case ArrayType(element):
            found = element_of(node) if node.is_group else None
            # In the older form of lists the repeated node itself is the element.
            return found is not None and fits(element, replace(found, repetition=OPTIONAL))
        case MapType(key, value):
            entry = entry_of(node) if node.is_group else None
            return entry is not None and fits(key, entry[0]) and fits(value, entry[1])
        case UserDefinedType(_, sql_type):
            return fits(sql_type, node)
        case UnknownType():
            # What it may lie in is not known here; that no table can have it is said elsewhere.
            return True
    return node.repetition != REPEATED and _leaf_fits(data_type, node)


def _leaf_fits(data_type: DataType, node: SchemaNode) -> bool:
    if data_type == VARIANT:
        return node.is_group and {"value", "metadata"} <= {child.name for child in node.children}
    if isinstance(data_type, DecimalType):
        said = node.annotation
        return said is not None and (said.kind, said.precision, said.scale) == (
            "DECIMAL",
            data_type.precision,
            data_type.scale,
        )
    if node.physical not in _PHYSICAL.get(data_type, ()):
        return False
    return node.kind in _KINDS.get(data_type, (None,)) and _details_fit(data_type, node)


def _details_fit(data_type: DataType, node: SchemaNode) -> bool:
    said = node.annotation
    if data_type == TIMESTAMP:
        return node.physical == "INT96" or (said is not None and said.unit != "NANOS")
    if said is not None and said.kind == "INTEGER":
        return said.is_signed and said.bits == _BITS.get(data_type)
    return True


def plain_columns(schema: StructType, above: tuple[str, ...] = ()) -> StructType:
    """Return the columns as a new table has them: all may be null, and of metadata comments stay.

    The others belong to the table that the file was written for, such as its identity columns.

    Raises:
        UnknownColumnError: A column has a type that no table can have.
    """
    return StructType(tuple(_plain_field(field, (*above, field.name)) for field in schema))


def _plain_field(field: StructField, path: tuple[str, ...]) -> StructField:
    if _COLLATIONS in field.metadata:
        raise UnknownColumnError(path, "string with a collation", is_known_to_spark=True)
    comment = field.metadata.get(_COMMENT)
    kept = {} if comment is None else {_COMMENT: comment}
    return StructField(field.name, _plain(field.data_type, path), metadata=kept)


def _plain(data_type: DataType, path: tuple[str, ...]) -> DataType:
    match data_type:
        case StructType():
            return plain_columns(data_type, path)
        case ArrayType(element):
            return ArrayType(_plain(element, (*path, "element")))
        case MapType(key, value):
            return MapType(_plain(key, (*path, "key")), _plain(value, (*path, "value")))
        case UserDefinedType(_, sql_type):
            return _plain(sql_type, path)
        case UnknownType(text):
            raise UnknownColumnError(path, text, is_known_to_spark=True)
    return data_type
