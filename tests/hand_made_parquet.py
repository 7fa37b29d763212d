"""Parquet files without rows, with any schema: also those that writers of today no longer write."""

import struct
from collections.abc import Iterator, Mapping
from typing import Any

from puredelta.table.statistics.parquet_schema import (
    OPTIONAL,
    REPEATED,
    REQUIRED,
    Annotation,
    SchemaNode,
)

_PHYSICAL = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BINARY", "FIXED")
_REPETITIONS = (REQUIRED, OPTIONAL, REPEATED)
_LOGICAL = {
    "STRING": 1, "MAP": 2, "LIST": 3, "ENUM": 4, "DECIMAL": 5, "DATE": 6, "TIME": 7, "TIMESTAMP": 8,
    "INTEGER": 10, "UNKNOWN": 11, "JSON": 12, "BSON": 13, "UUID": 14, "FLOAT16": 15, "VARIANT": 16,
}  # fmt: skip
_UNITS = {"MILLIS": 1, "MICROS": 2, "NANOS": 3}
_CONVERTED = {
    "STRING": 0, "MAP": 1, "MAP_KEY_VALUE": 2, "LIST": 3, "ENUM": 4, "DECIMAL": 5, "DATE": 6,
    "JSON": 19, "BSON": 20, "INTERVAL": 21,
}  # fmt: skip
_TIMES = {("TIME", "MILLIS"): 7, ("TIME", "MICROS"): 8}
_TIMES |= {("TIMESTAMP", "MILLIS"): 9, ("TIMESTAMP", "MICROS"): 10}


def leaf(
    name: str,
    physical: str,
    kind: str | None = None,
    *,
    repetition: str = OPTIONAL,
    length: int = 0,
    **details: Any,
) -> SchemaNode:
    """A column: `leaf("a", "INT32", "INTEGER", bits=8)`."""
    said = None if kind is None else Annotation(kind, **details)
    return SchemaNode(name, repetition, physical, said, length)


def group(
    name: str, *children: SchemaNode, kind: str | None = None, repetition: str = OPTIONAL
) -> SchemaNode:
    """A group of columns."""
    return SchemaNode(
        name, repetition, None, None if kind is None else Annotation(kind), 0, children
    )


def repeated(name: str, *children: SchemaNode, kind: str | None = None) -> SchemaNode:
    """The group in the middle of a list or map."""
    return group(name, *children, kind=kind, repetition=REPEATED)


def parquet_file(
    *columns: SchemaNode,
    old: bool = True,
    new: bool = True,
    keys: Mapping[str, str] | None = None,
    created_by: str = "hand",
) -> bytes:
    """A file without rows.

    Args:
        columns: What it would have.
        old: With the annotations that Parquet had first.
        new: With those that it has now.
        keys: The key-value metadata.
        created_by: Who is to have written it.
    """
    elements = [_element(node, old=old, new=new) for node in _depth_first(group("root", *columns))]
    elements[0].pop(3)
    footer: dict[int, Any] = {1: _Int(1), 2: elements, 3: _Long(0), 4: []}
    if keys:
        footer[5] = [{1: key, 2: value} for key, value in keys.items()]
    footer[6] = created_by
    written = _struct(footer)
    return b"PAR1" + written + struct.pack("<I", len(written)) + b"PAR1"


class _Int(int):
    kind = 5


class _Long(int):
    kind = 6


class _Byte(int):
    kind = 3


def _depth_first(node: SchemaNode) -> Iterator[SchemaNode]:
    yield node
    for child in node.children:
        yield from _depth_first(child)


def _element(node: SchemaNode, *, old: bool, new: bool) -> dict[int, Any]:
    found: dict[int, Any] = {}
    if node.physical is not None:
        found[1] = _Int(_PHYSICAL.index(node.physical))
    if node.length:
        found[2] = _Int(node.length)
    found[3] = _Int(_REPETITIONS.index(node.repetition))
    found[4] = node.name
    if node.physical is None:
        found[5] = _Int(len(node.children))
    said = node.annotation
    number = None if said is None or not old else _converted(said)
    if number is not None:
        found[6] = _Int(number)
    if said is not None and said.kind == "DECIMAL":
        found[7], found[8] = _Int(said.scale), _Int(said.precision)
    if node.field_id is not None:
        found[9] = _Int(node.field_id)
    if said is not None and new and said.kind in _LOGICAL:
        found[10] = {_LOGICAL[said.kind]: _details(said)}
    return found


def _converted(said: Annotation) -> int | None:
    if said.kind == "INTEGER":
        place = {8: 0, 16: 1, 32: 2, 64: 3}[said.bits]
        return (15 if said.is_signed else 11) + place
    if said.unit:
        return _TIMES.get((said.kind, said.unit)) if said.is_utc else None
    return _CONVERTED.get(said.kind)


def _details(said: Annotation) -> dict[int, Any]:
    match said.kind:
        case "DECIMAL":
            return {1: _Int(said.scale), 2: _Int(said.precision)}
        case "TIME" | "TIMESTAMP":
            return {1: said.is_utc, 2: {_UNITS[said.unit]: {}}}
        case "INTEGER":
            return {1: _Byte(said.bits), 2: said.is_signed}
        case "VARIANT":
            return {1: _Byte(1)}
    return {}


def _struct(fields: dict[int, Any]) -> bytes:
    """Write a struct in Thrift's compact protocol; the fields come in order."""
    written = b""
    last = 0
    for number, value in fields.items():
        kind = _kind(value)
        step = number - last
        written += bytes([step << 4 | kind]) if step < 16 else bytes([kind]) + _varint(number << 1)
        written += b"" if isinstance(value, bool) else _value(value)
        last = number
    return written + b"\0"


def _kind(value: Any) -> int:
    if isinstance(value, bool):
        return 1 if value else 2
    if isinstance(value, (_Int, _Long, _Byte)):
        return value.kind
    return {str: 8, list: 9, dict: 12}[type(value)]


def _value(value: Any) -> bytes:
    match value:
        case _Byte():
            return bytes([value])
        case int():
            return _varint(value << 1 if value >= 0 else ~(value << 1))
        case str():
            return _varint(len(value.encode())) + value.encode()
        case list():
            head = bytes([len(value) << 4]) if len(value) < 15 else b"\xf0" + _varint(len(value))
            kind = _kind(value[0]) if value else 12
            return bytes([head[0] | kind]) + head[1:] + b"".join(map(_value, value))
        case dict():
            return _struct(value)
    raise TypeError(value)


def _varint(number: int) -> bytes:
    written = b""
    while number > 0x7F:
        written += bytes([number & 0x7F | 0x80])
        number >>= 7
    return written + bytes([number])
