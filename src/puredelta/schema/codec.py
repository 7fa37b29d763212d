"""Between a schema and the JSON text of it that the log holds.

Protocol: Schema Serialization Format.
"""

import re
import sys
from dataclasses import replace
from typing import Any

import msgspec

from puredelta.schema.datatypes import (
    PRIMITIVES,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    UnknownType,
    UserDefinedType,
)

_DECIMAL = re.compile(r"decimal(?:\(\s*(\d{1,9})\s*,\s*(-?\d{1,9})\s*\))?")
_CLASSES = "udt"
_USER_TYPE = ("pyspark.sql.types", "UserDefinedType")
_SPARKS_OWN = tuple(
    {
        "class": f"org.apache.spark.{package}.linalg.{name}UDT",
        "pyClass": f"pyspark.{package}.linalg.{name}UDT",
    }
    for package in ("ml", "mllib")
    for name in ("Vector", "Matrix")
)
# Spark reads `decimal` without parameters as this.
_DEFAULT_DECIMAL = DecimalType(10, 0)
# Python's recursion ends at some depth, in any walk through such a type.
_MOST_NESTED = 100

_MALFORMED = (
    msgspec.DecodeError,
    KeyError,
    TypeError,
    AttributeError,
    RecursionError,
    UnicodeError,
)


class MalformedTypeError(ValueError):
    """A text that is not the JSON of a type."""

    def __init__(self, text: object) -> None:
        super().__init__(f"not the JSON of a type: {text!s:.200}")


def schema_from_json(text: str) -> StructType:
    """Read the schema of a table.

    Raises:
        MalformedTypeError: The text is not the JSON of a struct.
    """
    schema = type_from_json(text)
    if not isinstance(schema, StructType):
        raise MalformedTypeError(text)
    return schema


def stored_schema_from_json(text: str) -> StructType:
    """Read the schema that a log holds, in which no class is named that Spark would have to load.

    A user-defined type names a class of Java or Python, which a reader of the type imports. Those
    of Spark's own vectors and matrices stay, and classes that the program has loaded itself; any
    other is read as the type that is stored.

    Raises:
        MalformedTypeError: The text is not the JSON of a struct.
    """
    schema = schema_from_json(text)
    # The word `udt` may be written with escapes, which begin with a backslash.
    is_plain = _CLASSES not in text and "\\" not in text
    return schema if is_plain else _struct_without_classes(schema)


def schema_to_json(schema: StructType) -> str:
    """Write the schema of a table, compact, with keys in the order Spark gives them."""
    return type_to_json(schema)


def type_from_json(text: str) -> DataType:
    """Read any type.

    Raises:
        MalformedTypeError: The text is not the JSON of a type.
    """
    try:
        return _type(msgspec.json.decode(text), 0)
    except _MALFORMED as error:
        raise MalformedTypeError(text) from error


def type_to_json(data_type: DataType) -> str:
    """Write any type."""
    return msgspec.json.encode(_plain(data_type)).decode()


def _struct_without_classes(schema: StructType) -> StructType:
    return StructType(
        tuple(replace(field, data_type=_without_classes(field.data_type)) for field in schema)
    )


def _without_classes(data_type: DataType) -> DataType:
    match data_type:
        case StructType():
            return _struct_without_classes(data_type)
        case ArrayType(element, contains_null):
            return ArrayType(_without_classes(element), contains_null)
        case MapType(key, value, contains_null):
            return MapType(_without_classes(key), _without_classes(value), contains_null)
        case UserDefinedType(definition, sql_type):
            plain = msgspec.json.decode(definition)
            named = {key: plain[key] for key in plain if key not in {"type", "sqlType"}}
            is_known = named in _SPARKS_OWN or _is_loaded(named)
            return data_type if is_known else _without_classes(sql_type)
    return data_type


def _is_loaded(named: dict[str, Any]) -> bool:
    """Return whether the program has loaded the class already, so that no import is needed."""
    module, _, name = str(named.get("pyClass")).rpartition(".")
    found = getattr(sys.modules.get(module), name, None)
    if not isinstance(found, type) or not any(
        (base.__module__, base.__name__) == _USER_TYPE for base in found.__mro__
    ):
        return False
    try:
        # The class describes itself, since the log may pair its name with other classes.
        own = found().jsonValue()
    except TypeError:  # it needs arguments
        return False
    return {key: own[key] for key in own if key not in {"type", "sqlType"}} == named


def _type(plain: Any, depth: int) -> DataType:
    if depth > _MOST_NESTED:
        raise RecursionError
    if isinstance(plain, str):
        return _named(plain)
    match plain["type"]:
        case "struct":
            return StructType(tuple(_field(item, depth + 1) for item in plain["fields"]))
        case "array":
            return ArrayType(_type(plain["elementType"], depth + 1), plain["containsNull"])
        case "map":
            return MapType(
                _type(plain["keyType"], depth + 1),
                _type(plain["valueType"], depth + 1),
                plain["valueContainsNull"],
            )
        case "udt":
            return UserDefinedType(
                msgspec.json.encode(plain).decode(), _type(plain["sqlType"], depth + 1)
            )
        case other:
            raise MalformedTypeError(other)


def _field(plain: Any, depth: int) -> StructField:
    name, metadata = plain["name"], plain.get("metadata") or {}
    # Other walks rely on these; a type error here becomes the error of a malformed schema.
    if not isinstance(name, str) or not isinstance(metadata, dict):
        raise TypeError
    return StructField(name, _type(plain["type"], depth), plain["nullable"], metadata)


def _named(name: str) -> DataType:
    if primitive := PRIMITIVES.get(name):
        return primitive
    if decimal := _DECIMAL.fullmatch(name):
        return DecimalType(int(decimal[1]), int(decimal[2])) if decimal[1] else _DEFAULT_DECIMAL
    # The name that Spark 2 gave to void.
    return VOID if name == "null" else UnknownType(name)


def _plain(data_type: DataType) -> object:
    match data_type:
        case PrimitiveType(name):
            return name
        case DecimalType(precision, scale):
            return f"decimal({precision},{scale})"
        case StructType(fields):
            return {"type": "struct", "fields": [_plain_field(field) for field in fields]}
        case ArrayType(element, contains_null):
            return {"type": "array", "elementType": _plain(element), "containsNull": contains_null}
        case MapType(key, value, contains_null):
            return {
                "type": "map",
                "keyType": _plain(key),
                "valueType": _plain(value),
                "valueContainsNull": contains_null,
            }
        case UserDefinedType(definition):
            # As it came: the log may have keys that only the class understands.
            return msgspec.Raw(definition.encode())
        case UnknownType(text):
            return text
    raise TypeError(data_type)


def _plain_field(field: StructField) -> dict[str, object]:
    return {
        "name": field.name,
        "type": _plain(field.data_type),
        "nullable": field.nullable,
        "metadata": dict(field.metadata),
    }
