"""Partition columns as people write them: `p INT NOT NULL, q STRING COMMENT 'x'`, or `p: int`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from puredelta.errors import DeltaParseError
from puredelta.schema.datatypes import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DECLARED_TYPE_KEY,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    StructField,
    StructType,
)

_GAP = r"(?:\s|--[^\r\n]*|/\*.*?\*/)"
_COLUMN = re.compile(
    rf"{_GAP}*(?P<name>`(?:[^`]|``)+`|\w+){_GAP}*(?::{_GAP}*|(?<=`)|(?<=\s)|(?<=/))"
    rf"(?P<type>\w+){_GAP}*(?:\({_GAP}*(?P<numbers>[^()]*?){_GAP}*\))?"
    rf"(?P<not_null>{_GAP}*\bNOT{_GAP}+NULL\b)?"
    rf"(?:{_GAP}*\bCOMMENT{_GAP}*(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"))?{_GAP}*(?P<end>,|$)",
    re.IGNORECASE | re.DOTALL,
)
_NUMBERS = re.compile(rf"(\d+){_GAP}*(?:,{_GAP}*(\d+))?", re.DOTALL)
_MAX_PRECISION = 38

_TYPES = {
    "boolean": BOOLEAN,
    "tinyint": BYTE,
    "byte": BYTE,
    "smallint": SHORT,
    "short": SHORT,
    "int": INTEGER,
    "integer": INTEGER,
    "bigint": LONG,
    "long": LONG,
    "float": FLOAT,
    "real": FLOAT,
    "double": DOUBLE,
    "string": STRING,
    "binary": BINARY,
    "date": DATE,
    "timestamp": TIMESTAMP,
    "timestamp_ltz": TIMESTAMP,
    "timestamp_ntz": TIMESTAMP_NTZ,
}


def partition_columns(text: str, *, timestamp_type: DataType = TIMESTAMP) -> StructType:
    """Read a list of partition columns. Comments on columns are read over.

    >>> [column.name for column in partition_columns("p INT NOT NULL, `a b` DECIMAL(10, 2)")]
    ['p', 'a b']

    Args:
        text: What is in the parentheses of PARTITIONED BY.
        timestamp_type: What TIMESTAMP means.

    Raises:
        DeltaParseError: DELTA_PARSING_UNSUPPORTED_DATA_TYPE, a type that no partition column can
            have; DELTA_CONVERT_PARTITION_CLAUSE, the text is no list of columns.
    """
    return StructType(tuple(_columns(text, timestamp_type)))


def _columns(text: str, timestamp_type: DataType) -> Iterator[StructField]:
    place, is_last = 0, False
    while not is_last:
        found = _COLUMN.match(text, place)
        if found is None:
            raise DeltaParseError("DELTA_CONVERT_PARTITION_CLAUSE", clause=text, rest=text[place:])
        yield _column(found, timestamp_type)
        place, is_last = found.end(), found["end"] == ""


def _column(found: re.Match[str], timestamp_type: DataType) -> StructField:
    name, kind = found["name"], found["type"].lower()
    if name.startswith("`"):
        name = name[1:-1].replace("``", "`")
    numbers = _numbers(found)
    data_type, metadata = _type(kind, numbers), {}
    if kind == "timestamp":
        data_type = timestamp_type
    if kind in ("char", "character", "varchar") and data_type is not None:
        declared = "varchar" if kind == "varchar" else "char"
        metadata = {DECLARED_TYPE_KEY: f"{declared}({numbers[0]})"}
    if data_type is None:
        raise DeltaParseError(
            "DELTA_PARSING_UNSUPPORTED_DATA_TYPE", dataType=_written(found), columnName=name
        )
    return StructField(name, data_type, found["not_null"] is None, metadata)


def _numbers(found: re.Match[str]) -> tuple[int, ...]:
    """Return what is in parentheses behind a type; -1 where that is no number."""
    if found["numbers"] is None:
        return ()
    numbers = _NUMBERS.fullmatch(found["numbers"])
    return (-1,) if numbers is None else tuple(int(one) for one in numbers.groups() if one)


def _type(kind: str, numbers: tuple[int, ...]) -> DataType | None:
    match kind, numbers:
        case "decimal" | "dec" | "numeric", ():
            return DecimalType(10, 0)
        case "decimal" | "dec" | "numeric", (precision, *rest):
            scale = rest[0] if rest else 0
            is_right = 0 <= scale <= precision and 0 < precision <= _MAX_PRECISION
            return DecimalType(precision, scale) if is_right else None
        case "char" | "character" | "varchar", (length,) if length > 0:
            return STRING
        case _, ():
            return _TYPES.get(kind)
    return None


def _written(found: re.Match[str]) -> str:
    numbers = "" if found["numbers"] is None else f"({found['numbers']})"
    return found["type"] + numbers
