"""The types of columns, as frozen values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class DataType:
    """Any type that a column can have."""


@dataclass(frozen=True)
class PrimitiveType(DataType):
    """A type without parameters, under the name the protocol gives it."""

    name: str


@dataclass(frozen=True)
class DecimalType(DataType):
    """A decimal number of `precision` digits, `scale` of them after the point."""

    precision: int
    scale: int


@dataclass(frozen=True)
class ArrayType(DataType):
    """A list of elements of one type."""

    element_type: DataType
    contains_null: bool = True


@dataclass(frozen=True)
class MapType(DataType):
    """Keys of one type, values of another."""

    key_type: DataType
    value_type: DataType
    value_contains_null: bool = True


@dataclass(frozen=True)
class StructField:
    """A named column, or a named part of a struct.

    Attributes:
        name: As the user wrote it.
        data_type: Its type.
        nullable: False when nulls are refused.
        metadata: JSON values by key, among them comments, generation expressions, physical names.
    """

    name: str
    data_type: DataType
    nullable: bool = True
    # Metadata has lists and maps, which have no hash; equality still compares it.
    metadata: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class StructType(DataType):
    """Named fields in order: the type of a row."""

    fields: tuple[StructField, ...] = ()

    @property
    def names(self) -> list[str]:
        """The names of the fields, in order."""
        return [field.name for field in self.fields]

    def field(self, name: str, *, case_sensitive: bool = False) -> StructField | None:
        """Find a field by its name, or None when there is none."""
        if case_sensitive:
            return next((field for field in self.fields if field.name == name), None)
        return self._by_lower_name.get(name.lower())

    @cached_property
    def _by_lower_name(self) -> dict[str, StructField]:
        # Reversed, so that of two names that differ only in case the first one is found.
        return {field.name.lower(): field for field in reversed(self.fields)}

    def __iter__(self) -> Iterator[StructField]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)


@dataclass(frozen=True)
class UnknownType(DataType):
    """A type that a newer writer knows and we do not; its text stays unchanged."""

    text: str


@dataclass(frozen=True)
class UserDefinedType(DataType):
    """A class of a user that is stored as another type.

    Attributes:
        definition: The JSON object of the schema, whole.
        sql_type: What is stored.
    """

    definition: str
    sql_type: DataType


STRING = PrimitiveType("string")
LONG = PrimitiveType("long")
INTEGER = PrimitiveType("integer")
SHORT = PrimitiveType("short")
BYTE = PrimitiveType("byte")
FLOAT = PrimitiveType("float")
DOUBLE = PrimitiveType("double")
BOOLEAN = PrimitiveType("boolean")
BINARY = PrimitiveType("binary")
DATE = PrimitiveType("date")
TIMESTAMP = PrimitiveType("timestamp")
TIMESTAMP_NTZ = PrimitiveType("timestamp_ntz")
VARIANT = PrimitiveType("variant")
VOID = PrimitiveType("void")

PRIMITIVES: Mapping[str, PrimitiveType] = {
    primitive.name: primitive
    for primitive in (
        STRING, LONG, INTEGER, SHORT, BYTE, FLOAT, DOUBLE, BOOLEAN, BINARY, DATE, TIMESTAMP,
        TIMESTAMP_NTZ, VARIANT, VOID,
    )
}  # fmt: skip

_SQL_NAMES = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint"}


def simple_string(data_type: DataType) -> str:
    """Write a type as Spark does: `bigint`, `decimal(10,2)`, `struct<a:int>`.

    >>> simple_string(ArrayType(StructType((StructField("a", LONG),))))
    'array<struct<a:bigint>>'
    """
    match data_type:
        case PrimitiveType(name):
            return _SQL_NAMES.get(name, name)
        case DecimalType(precision, scale):
            return f"decimal({precision},{scale})"
        case ArrayType(element):
            return f"array<{simple_string(element)}>"
        case MapType(key, value):
            return f"map<{simple_string(key)},{simple_string(value)}>"
        case StructType(fields):
            inner = (f"{field.name}:{simple_string(field.data_type)}" for field in fields)
            return f"struct<{','.join(inner)}>"
        case UserDefinedType(_, sql_type):
            return simple_string(sql_type)
        case UnknownType(text):
            return text
    raise TypeError(data_type)


DECLARED_TYPE_KEY = "__CHAR_VARCHAR_TYPE_STRING"
"""The key in a column's metadata under which Spark stores a declared CHAR(n) or VARCHAR(n)."""
