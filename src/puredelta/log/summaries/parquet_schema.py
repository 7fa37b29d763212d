"""The schema of a Parquet file of the log, in the JSON that schemas have in the log.

Protocol: Schema Serialization Format.
"""

from typing import Any

import pyarrow as pa

_NAMES: dict[pa.DataType, str] = {
    pa.string(): "string",
    pa.int64(): "long",
    pa.int32(): "integer",
    pa.int16(): "short",
    pa.int8(): "byte",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.bool_(): "boolean",
    pa.binary(): "binary",
    pa.date32(): "date",
    pa.timestamp("us", "UTC"): "timestamp",
    pa.timestamp("us"): "timestamp_ntz",
}


def plain_schema(fields: pa.Schema | pa.StructType) -> dict[str, Any]:
    """Return the schema as the plain value of its JSON; every field may be null.

    >>> plain_schema(pa.schema([("a", pa.int64())]))["fields"][0]["type"]
    'long'
    """
    return {
        "type": "struct",
        "fields": [
            {"name": field.name, "type": _plain(field.type), "nullable": True, "metadata": {}}
            for field in fields
        ],
    }


def _plain(kind: pa.DataType) -> Any:
    if pa.types.is_struct(kind):
        return plain_schema(kind)
    if pa.types.is_map(kind):
        return {
            "type": "map",
            "keyType": _plain(kind.key_type),
            "valueType": _plain(kind.item_type),
            "valueContainsNull": True,
        }
    if pa.types.is_list(kind):
        return {"type": "array", "elementType": _plain(kind.value_type), "containsNull": True}
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    return _NAMES[kind]
