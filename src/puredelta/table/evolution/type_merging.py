"""The walk through two types that are merged, which all merges have in common.

A policy says what a merge does where the types differ; the walk leads it to those parts.
"""

from typing import Protocol

from puredelta.schema.changes import ELEMENT, KEY, VALUE, Path
from puredelta.schema.datatypes import (
    BYTE,
    INTEGER,
    SHORT,
    ArrayType,
    DataType,
    MapType,
    StructType,
)

# Parquet stores all three in the same way, so a reader of the widest reads each of them.
SMALL_INTEGERS = (BYTE, SHORT, INTEGER)


class MergePolicy(Protocol):
    """What a merge does with the parts of two types."""

    def merge_structs(self, left: StructType, right: StructType, path: Path) -> StructType:
        """Return the struct that two structs become."""

    def merge_leaves(self, left: DataType, right: DataType, path: Path) -> DataType:
        """Return the type that two types become that are not nested in the same way."""

    def merge_nullability(self, left: bool, right: bool) -> bool:  # noqa: FBT001  # a pair of values
        """Say whether what is in an array or a map may be null."""


def merge_types(left: DataType, right: DataType, path: Path, policy: MergePolicy) -> DataType:
    """Return the type that two others become.

    Args:
        left: a type.
        right: another one.
        path: the names on the way to them.
        policy: what becomes of structs, and of types that are not nested in the same way.
    """
    match left, right:
        case StructType(), StructType():
            return policy.merge_structs(left, right, path)
        case ArrayType(), ArrayType():
            element = merge_types(left.element_type, right.element_type, (*path, ELEMENT), policy)
            return ArrayType(
                element, policy.merge_nullability(left.contains_null, right.contains_null)
            )
        case MapType(), MapType():
            return MapType(
                merge_types(left.key_type, right.key_type, (*path, KEY), policy),
                merge_types(left.value_type, right.value_type, (*path, VALUE), policy),
                policy.merge_nullability(left.value_contains_null, right.value_contains_null),
            )
    return policy.merge_leaves(left, right, path)


def wider_small_integer(left: DataType, right: DataType) -> DataType | None:
    """Return the wider of two integers of at most four bytes; None for other types."""
    if left in SMALL_INTEGERS and right in SMALL_INTEGERS:
        return max(left, right, key=SMALL_INTEGERS.index)
    return None
