"""Partition columns as people write them: `p INT NOT NULL, q STRING COMMENT 'x'`, or `p: int`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from puredelta.errors import DeltaParseError
from puredelta.schema.column_path import quoted
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
    simple_string,
)

_LEXEME = re.compile(
    r"(?P<gap>(?:\s|--[^\r\n]*|/\*.*?\*/)+)|/\*.*"
    r"|(?P<name>`(?:[^`]|``)+`|\w+)|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|.",
    re.DOTALL,
)
_OPENS, _CLOSES = "(<", ")>"
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

_Lexeme = re.Match[str]


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


def written_clause(columns: StructType) -> str:
    """Write columns as the clause of a statement.

    >>> written_clause(partition_columns("p INT, `a b` DECIMAL(10, 2)"))
    'PARTITIONED BY (`p` INT, `a b` DECIMAL(10,2))'
    """
    listed = (
        f"{quoted(column.name)} {simple_string(column.data_type).upper()}" for column in columns
    )
    return f"PARTITIONED BY ({', '.join(listed)})"


def _columns(text: str, timestamp_type: DataType) -> Iterator[StructField]:
    for item in _items(text):
        column = _column(item, text, timestamp_type)
        if column is None:
            start = item[0].start() if item else len(text)
            raise DeltaParseError("DELTA_CONVERT_PARTITION_CLAUSE", clause=text, rest=text[start:])
        yield column


def _items(text: str) -> Iterator[list[_Lexeme]]:
    """Yield what is between the commas, without blanks and comments."""
    depth = 0
    item: list[_Lexeme] = []
    for lexeme in _LEXEME.finditer(text):
        if lexeme["gap"]:
            continue
        depth += (lexeme[0] in _OPENS) - (lexeme[0] in _CLOSES)
        if lexeme[0] == "," and depth == 0:
            yield item
            item = []
        else:
            item.append(lexeme)
    yield item


def _column(item: list[_Lexeme], text: str, timestamp_type: DataType) -> StructField | None:
    """Read a name, a type, and what may come after them; None where that is not what is there."""
    kind = item[2:] if len(item) > 1 and item[1][0] == ":" else item[1:]
    kind, nullable = _without_end(kind)
    if not kind or not kind[0]["name"] or not item[0]["name"]:
        return None
    name, first = item[0][0], kind[0][0].lower()
    if name.startswith("`"):
        name = name[1:-1].replace("``", "`")
    data_type, declared = _type(first, _numbers(kind[1:]))
    if data_type is None:
        if first in _TYPES and kind[1:] and kind[1][0] not in _OPENS:
            return None
        written = text[kind[0].start() : kind[-1].end()]
        raise DeltaParseError(
            "DELTA_PARSING_UNSUPPORTED_DATA_TYPE", dataType=written, columnName=name
        )
    if first == "timestamp":
        data_type = timestamp_type
    metadata = {DECLARED_TYPE_KEY: declared} if declared else {}
    return StructField(name, data_type, nullable, metadata)


def _without_end(kind: list[_Lexeme]) -> tuple[list[_Lexeme], bool]:
    """Take NOT NULL and COMMENT 'text' off, and say whether nulls are allowed."""
    if len(kind) > 2 and kind[-2][0].upper() == "COMMENT" and kind[-1][0][0] in "'\"":
        kind = kind[:-2]
    words = [lexeme[0].upper() for lexeme in kind[-2:]]
    return (kind[:-2], False) if words == ["NOT", "NULL"] else (kind, True)


def _numbers(rest: list[_Lexeme]) -> tuple[int, ...] | None:
    """Return the numbers in parentheses behind a type; None where something else is there."""
    texts = [lexeme[0] for lexeme in rest]
    if not texts:
        return ()
    inside, commas = texts[1:-1:2], texts[2:-1:2]
    if (texts[0], texts[-1]) != ("(", ")") or any(comma != "," for comma in commas):
        return None
    return tuple(map(int, inside)) if inside and all(map(str.isdecimal, inside)) else None


def _type(kind: str, numbers: tuple[int, ...] | None) -> tuple[DataType | None, str]:
    """Return a type, and how it was declared where it does not say that itself."""
    match kind, numbers:
        case "decimal" | "dec" | "numeric", (precision, scale):
            return _decimal(precision, scale), ""
        case "decimal" | "dec" | "numeric", (precision,):
            return _decimal(precision, 0), ""
        case "decimal" | "dec" | "numeric", ():
            return _decimal(10, 0), ""
        case "char" | "character" | "varchar", (length,) if length > 0:
            return STRING, f"{'varchar' if kind == 'varchar' else 'char'}({length})"
        case _, ():
            return _TYPES.get(kind), ""
    return None, ""


def _decimal(precision: int, scale: int) -> DecimalType | None:
    is_right = 0 < precision <= _MAX_PRECISION and scale <= precision
    return DecimalType(precision, scale) if is_right else None
