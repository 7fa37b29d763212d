"""The schema of a Parquet file as its footer has it: a tree of groups and columns.

pyarrow shows the columns and hides the groups, whose annotations distinguish a list from a struct.
So the part of the footer with the schema is decoded here. Parquet: `SchemaElement` of its Thrift
definition; Thrift: compact protocol.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow.parquet as pq

REQUIRED, OPTIONAL, REPEATED = "REQUIRED", "OPTIONAL", "REPEATED"

_PHYSICAL = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BINARY", "FIXED")
_REPETITIONS = (REQUIRED, OPTIONAL, REPEATED)
_UNITS = {1: "MILLIS", 2: "MICROS", 3: "NANOS"}
_LOGICAL = {
    1: "STRING", 2: "MAP", 3: "LIST", 4: "ENUM", 5: "DECIMAL", 6: "DATE", 7: "TIME", 8: "TIMESTAMP",
    10: "INTEGER", 11: "UNKNOWN", 12: "JSON", 13: "BSON", 14: "UUID", 15: "FLOAT16", 16: "VARIANT",
    17: "GEOMETRY", 18: "GEOGRAPHY",
}  # fmt: skip
_MAGIC_LENGTH = 4


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a column's or group's bytes mean.

    Attributes:
        kind: As Parquet names logical types, and `INTERVAL` and `MAP_KEY_VALUE` of the older ones.
        precision: Of a decimal.
        scale: Of a decimal.
        unit: MILLIS, MICROS or NANOS of times and points in time.
        is_utc: Whether those are instants, rather than what a clock shows.
        bits: Of an integer.
        is_signed: Of an integer.
    """

    kind: str
    precision: int = 0
    scale: int = 0
    unit: str = ""
    is_utc: bool = False
    bits: int = 0
    is_signed: bool = True

    def __str__(self) -> str:
        match self.kind:
            case "DECIMAL":
                return f"DECIMAL({self.precision},{self.scale})"
            case "INTEGER":
                return f"INTEGER({self.bits},{str(self.is_signed).lower()})"
            case "TIME" | "TIMESTAMP":
                return f"{self.kind}({self.unit},{str(self.is_utc).lower()})"
        return self.kind


@dataclass(frozen=True, slots=True)
class SchemaNode:
    """A column, or a group of them.

    Attributes:
        name: As the file has it.
        repetition: REQUIRED, OPTIONAL or REPEATED.
        physical: How values lie in the file; None for a group.
        annotation: What they mean, if the file says so.
        length: In bytes, of FIXED values.
        children: Of a group.
        field_id: The column's number, where the writer gave it one.
    """

    name: str
    repetition: str
    physical: str | None
    annotation: Annotation | None = None
    length: int = 0
    children: tuple[SchemaNode, ...] = ()
    field_id: int | None = None

    @property
    def kind(self) -> str | None:
        """The kind of its annotation."""
        return None if self.annotation is None else self.annotation.kind

    @property
    def is_group(self) -> bool:
        """Whether it has no values of its own."""
        return self.physical is None

    def __str__(self) -> str:
        name = {None: "group", "FIXED": f"FIXED_LEN_BYTE_ARRAY({self.length})"}.get(
            self.physical, self.physical
        )
        return f"{name}" if self.annotation is None else f"{name} ({self.annotation})"


def root_of(footer: pq.FileMetaData) -> SchemaNode:
    """Return the schema of a file; the root is the group that stands for a row."""
    whole = io.BytesIO()
    # pyarrow does not expose the bytes of the footer, so it writes them again.
    footer.write_metadata_file(whole)
    elements = iter(_Decoder(whole.getvalue(), _MAGIC_LENGTH).field(2))
    return _node(elements)


def _node(elements: Iterator[dict[int, Any]]) -> SchemaNode:
    """Build a tree from its elements, which come depth first."""
    element = next(elements)
    # Field 5 is the number of children. A group without any has neither this nor a type.
    is_group = 5 in element or 1 not in element
    children = tuple(_node(elements) for _ in range(element.get(5, 0)))
    return SchemaNode(
        name=element[4].decode("utf-8", "replace"),
        repetition=_REPETITIONS[element.get(3, 0)],
        physical=None if is_group else _PHYSICAL[element[1]],
        annotation=_annotation(element),
        length=element.get(2, 0),
        children=children,
        field_id=element.get(9),
    )


def _annotation(element: dict[int, Any]) -> Annotation | None:
    """Choose between the two annotations that an element may have, as Spark's reader does.

    Mostly they agree, and the newer one has more detail; where they differ, the older one counts.
    """
    newer = _logical(element.get(10) or {})
    older = _converted(element)
    if older is None:
        return newer
    return newer if newer is not None and _in_short(newer) == _in_short(older) else older


def _in_short(annotation: Annotation) -> tuple[object, ...]:
    """Return what the older annotations can express."""
    return annotation.kind, annotation.unit, annotation.bits, annotation.is_signed


def _logical(union: dict[int, Any]) -> Annotation | None:
    for number, value in union.items():
        kind = _LOGICAL.get(number)
        match kind:
            case None:
                return None
            case "DECIMAL":
                return Annotation(kind, precision=value[2], scale=value.get(1, 0))
            case "TIME" | "TIMESTAMP":
                unit = _UNITS.get(next(iter(value[2]), 0), "")
                return Annotation(kind, is_utc=value[1], unit=unit)
            case "INTEGER":
                return Annotation(kind, bits=value[1], is_signed=value[2])
            case _:
                return Annotation(kind)
    return None


def _converted(element: dict[int, Any]) -> Annotation | None:
    number = element.get(6)
    if number is None:
        return None
    if number == _DECIMAL:
        return Annotation("DECIMAL", precision=element.get(8, 0), scale=element.get(7, 0))
    return _CONVERTED.get(number)


_DECIMAL = 5
_CONVERTED = {
    0: Annotation("STRING"),
    1: Annotation("MAP"),
    2: Annotation("MAP_KEY_VALUE"),
    3: Annotation("LIST"),
    4: Annotation("ENUM"),
    6: Annotation("DATE"),
    7: Annotation("TIME", unit="MILLIS", is_utc=True),
    8: Annotation("TIME", unit="MICROS", is_utc=True),
    9: Annotation("TIMESTAMP", unit="MILLIS", is_utc=True),
    10: Annotation("TIMESTAMP", unit="MICROS", is_utc=True),
    **{11 + n: Annotation("INTEGER", bits=8 << n, is_signed=False) for n in range(4)},
    **{15 + n: Annotation("INTEGER", bits=8 << n) for n in range(4)},
    19: Annotation("JSON"),
    20: Annotation("BSON"),
    21: Annotation("INTERVAL"),
}


class _Decoder:
    """Reads values of Thrift's compact protocol; a struct is a dict by its fields' numbers."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at

    def field(self, wanted: int) -> Any:
        """Read the struct that begins here up to a field, and return the field."""
        for number, kind in self._fields():
            value = self._value(kind)
            if number == wanted:
                return value
        raise ValueError(wanted)

    def _fields(self) -> Iterator[tuple[int, int]]:
        number = 0
        while kind_and_step := self._byte():
            step, kind = divmod(kind_and_step, 16)
            number = number + step if step else self._zigzag()
            yield number, kind

    def _value(self, kind: int) -> Any:
        match kind:
            case 1 | 2:
                return kind == 1
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._zigzag()
            case 7:
                return struct.unpack("<d", self._bytes(8))[0]
            case 8:
                return self._bytes(self._varint())
            case 9 | 10:
                return self._list()
            case 12:
                return {number: self._value(field) for number, field in self._fields()}
        raise ValueError(kind)

    def _list(self) -> list[Any]:
        size, kind = divmod(self._byte(), 16)
        count = self._varint() if size == 15 else size
        # In a list a boolean is a byte of its own; in a struct the type of the field has its value.
        return [self._byte() == 1 if kind in (1, 2) else self._value(kind) for _ in range(count)]

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _bytes(self, count: int) -> bytes:
        self._at += count
        return self._data[self._at - count : self._at]

    def _varint(self) -> int:
        found = shift = 0
        while (byte := self._byte()) & 0x80:
            found |= (byte & 0x7F) << shift
            shift += 7
        return found | byte << shift

    def _zigzag(self) -> int:
        found = self._varint()
        return (found >> 1) ^ -(found & 1)
