"""Between rows of Arrow and plain values, in which a map is a dictionary."""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa


def values_of(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return the values of a column; structs and maps become dictionaries."""
    return [_from_arrow(value, column.type) for value in column.to_pylist()]


def arrow_column(values: Iterable[Any], kind: pa.DataType) -> pa.Array:
    """Make a column; members that a struct lacks are null."""
    return pa.array([_to_arrow(value, kind) for value in values], kind)


def _from_arrow(value: Any, kind: pa.DataType) -> Any:
    if value is None:
        return None
    if pa.types.is_map(kind):
        return dict(value)
    if pa.types.is_struct(kind):
        return {field.name: _from_arrow(value[field.name], field.type) for field in kind}
    return value


def _to_arrow(value: Any, kind: pa.DataType) -> Any:
    if value is None:
        return None
    if pa.types.is_map(kind):
        return list(value.items())
    if pa.types.is_struct(kind):
        return {field.name: _to_arrow(value.get(field.name), field.type) for field in kind}
    return value
