"""The type of a column for what a Parquet file has, as Spark converts it.

Parquet: Logical Types, with the rules for lists and maps of older writers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from puredelta.conversion.parquet_rules import ParquetRules
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
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.statistics.parquet_schema import REPEATED, Annotation, SchemaNode

_TEXTS = ("STRING", "ENUM", "JSON")
_SIGNED: Mapping[tuple[str, int], DataType] = {
    ("INT32", 8): BYTE, ("INT32", 16): SHORT, ("INT32", 32): INTEGER, ("INT64", 64): LONG,
}  # fmt: skip
# The next type that holds all values; those of 64 bits need 20 digits.
_UNSIGNED: Mapping[tuple[str, int], DataType] = {
    ("INT32", 8): SHORT, ("INT32", 16): INTEGER, ("INT32", 32): LONG,
    ("INT64", 64): DecimalType(20, 0),
}  # fmt: skip
_MAX_DIGITS = {"INT32": 9, "INT64": 18}


class UnknownColumnError(Exception):
    """A column of a file that no type fits.

    Attributes:
        column: The names on the way to it.
        type_text: What the file has.
        is_known_to_spark: Whether Spark reads it and only tables do not have it.
        is_nanos: Whether it is points in time in nanoseconds, which other rules read as numbers.
    """

    def __init__(
        self,
        column: tuple[str, ...],
        type_text: str,
        *,
        is_known_to_spark: bool = False,
        is_nanos: bool = False,
    ) -> None:
        super().__init__(column, type_text)
        self.column = column
        self.type_text = type_text
        self.is_known_to_spark = is_known_to_spark
        self.is_nanos = is_nanos


def struct_of(group: SchemaNode, rules: ParquetRules, above: tuple[str, ...] = ()) -> StructType:
    """Convert a group whose children are columns; all of them may be null.

    Args:
        group: The group; the root of a file for its whole schema.
        rules: How to read what Parquet leaves open.
        above: The names on the way to the group.

    Raises:
        UnknownColumnError: No type fits a column.
    """
    return StructType(
        tuple(StructField(child.name, _field_type(child, rules, above)) for child in group.children)
    )


def _field_type(node: SchemaNode, rules: ParquetRules, above: tuple[str, ...]) -> DataType:
    inner = type_of(node, rules, (*above, node.name))
    # Neither in a list nor in a map: a list without a group around it.
    return ArrayType(inner) if node.repetition == REPEATED else inner


def type_of(node: SchemaNode, rules: ParquetRules, path: tuple[str, ...]) -> DataType:
    """Convert what one node holds, its own repetition aside.

    Raises:
        UnknownColumnError: No type fits.
    """
    if not node.is_group:
        found = _leaf(node, rules)
        if found is None:
            raise UnknownColumnError(
                path, str(node), is_known_to_spark=_is_time(node), is_nanos=_is_nanos(node)
            )
        return found
    match node.kind:
        case None:
            return struct_of(node, rules, path)
        case "VARIANT":
            return VARIANT
        case "LIST":
            return _list_type(node, rules, path)
        case "MAP" | "MAP_KEY_VALUE":
            return _map_type(node, rules, path)
    raise UnknownColumnError(path, str(node))


def element_of(group: SchemaNode) -> SchemaNode | None:
    """Return the node of a list's elements, by the rules for older writers; None if it is no list.

    Parquet: Lists, Backward-compatibility rules.
    """
    if len(group.children) != 1 or group.children[0].repetition != REPEATED:
        return None
    repeated = group.children[0]
    if _is_element(repeated, group.name):
        return repeated
    return repeated.children[0] if repeated.children else None


def _is_element(repeated: SchemaNode, list_name: str) -> bool:
    """Return a list of two levels, where what is repeated is the element, from one of three."""
    return (
        not repeated.is_group
        or len(repeated.children) > 1
        or repeated.name in ("array", f"{list_name}_tuple")
    )


def entry_of(group: SchemaNode) -> tuple[SchemaNode, SchemaNode] | None:
    """Return the nodes of a map's keys and values; None if it is no map."""
    if len(group.children) != 1:
        return None
    entry = group.children[0]
    if entry.repetition != REPEATED or len(entry.children) != 2:
        return None
    return entry.children[0], entry.children[1]


def _list_type(node: SchemaNode, rules: ParquetRules, path: tuple[str, ...]) -> DataType:
    element = element_of(node)
    if element is None:
        raise UnknownColumnError(path, str(node))
    return ArrayType(type_of(element, rules, (*path, "element")))


def _map_type(node: SchemaNode, rules: ParquetRules, path: tuple[str, ...]) -> DataType:
    entry = entry_of(node)
    if entry is None:
        raise UnknownColumnError(path, str(node))
    key, value = entry
    return MapType(
        type_of(key, rules, (*path, "key")),
        type_of(value, rules, (*path, "value")),
    )


def _is_time(node: SchemaNode) -> bool:
    """Return a time of day that Spark 4.1 and later read."""
    said = node.annotation
    return said is not None and said.kind == "TIME" and said.unit == "MICROS" and not said.is_utc


def _is_nanos(node: SchemaNode) -> bool:
    said = node.annotation
    return said is not None and said.kind == "TIMESTAMP" and said.unit == "NANOS"


def _leaf(node: SchemaNode, rules: ParquetRules) -> DataType | None:
    if node.kind == "UNKNOWN":
        # All values are null. Arrow has a type for that, and all that write by Arrow take INT32.
        return VOID if node.physical == "INT32" else _leaf(replace(node, annotation=None), rules)
    convert = _CONVERTERS.get(node.physical or "")
    return None if convert is None else convert(node, rules)


def _integer(node: SchemaNode, rules: ParquetRules) -> DataType | None:
    physical = node.physical or ""
    said = node.annotation
    if said is None:
        return INTEGER if physical == "INT32" else LONG
    match said.kind:
        case "INTEGER":
            return (_SIGNED if said.is_signed else _UNSIGNED).get((physical, said.bits))
        case "DECIMAL":
            return _decimal(said, _MAX_DIGITS[physical])
        case "DATE" if physical == "INT32":
            return DATE
        case "TIMESTAMP" if physical == "INT64":
            return _timestamp(said, rules)
    return None


def _timestamp(said: Annotation, rules: ParquetRules) -> DataType | None:
    if said.unit == "NANOS":
        return LONG if rules.nanos_as_long else None
    return TIMESTAMP_NTZ if rules.infer_timestamp_ntz and not said.is_utc else TIMESTAMP


def _int96(node: SchemaNode, rules: ParquetRules) -> DataType | None:
    return TIMESTAMP if rules.int96_as_timestamp and node.annotation is None else None


def _bytes(node: SchemaNode, rules: ParquetRules) -> DataType | None:
    said = node.annotation
    if said is None:
        return STRING if rules.binary_as_string else BINARY
    if said.kind == "DECIMAL":
        return _decimal(said, 38)
    if said.kind == "BSON":
        return BINARY
    return STRING if said.kind in _TEXTS else None


def _fixed(node: SchemaNode, rules: ParquetRules) -> DataType | None:
    del rules
    said = node.annotation
    if said is None:
        return BINARY
    if said.kind == "DECIMAL":
        return _decimal(said, len(str(2 ** (8 * node.length - 1) - 1)) - 1)
    return None


def _decimal(said: Annotation, max_digits: int) -> DataType | None:
    fits = 1 <= said.precision <= min(max_digits, 38) and said.scale <= said.precision
    return DecimalType(said.precision, said.scale) if fits else None


def _just(found: DataType) -> Callable[[SchemaNode, ParquetRules], DataType | None]:
    return lambda node, _rules: found if node.annotation is None else None


_CONVERTERS: Mapping[str, Callable[[SchemaNode, ParquetRules], DataType | None]] = {
    "BOOLEAN": _just(BOOLEAN),
    "FLOAT": _just(FLOAT),
    "DOUBLE": _just(DOUBLE),
    "INT32": _integer,
    "INT64": _integer,
    "INT96": _int96,
    "BINARY": _bytes,
    "FIXED": _fixed,
}
