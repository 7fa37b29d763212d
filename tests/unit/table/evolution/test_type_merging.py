"""The walk through two types: what a policy decides, and where."""

from dataclasses import dataclass, field

import pytest

from puredelta.schema.datatypes import (
    BYTE,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    ArrayType,
    DataType,
    MapType,
    StructType,
    simple_string,
)
from puredelta.table.evolution.type_merging import Path, merge_types, wider_small_integer
from tests.unit.table.evolution.columns import struct


@dataclass
class Recorder:
    """Takes the right side of everything, and notes where it was asked."""

    seen: list[tuple[str, str]] = field(default_factory=list)

    def merge_structs(self, left: StructType, right: StructType, path: Path) -> StructType:
        self.seen.append((simple_string(left), ".".join(path)))
        return right

    def merge_leaves(self, left: DataType, right: DataType, path: Path) -> DataType:
        self.seen.append((simple_string(left), ".".join(path)))
        return right

    def merge_nullability(self, left: bool, right: bool) -> bool:
        return left and right


@pytest.mark.parametrize(
    ("left", "right", "seen"),
    [
        (INTEGER, LONG, [("int", "c")]),
        (struct(x=LONG), struct(y=LONG), [("struct<x:bigint>", "c")]),
        (struct(x=LONG), LONG, [("struct<x:bigint>", "c")]),
        (ArrayType(LONG), struct(x=LONG), [("array<bigint>", "c")]),
        (ArrayType(LONG), ArrayType(ArrayType(LONG)), [("bigint", "c.element")]),
        (
            MapType(STRING, ArrayType(struct(x=LONG))),
            MapType(LONG, ArrayType(struct(y=LONG))),
            [("string", "c.key"), ("struct<x:bigint>", "c.value.element")],
        ),
    ],
)
def test_walk_leads_a_policy_to_all_that_differs(left, right, seen):
    policy = Recorder()

    assert merge_types(left, right, ("c",), policy) == right
    assert policy.seen == seen


def test_policy_decides_what_may_be_null():
    strict, lax = ArrayType(LONG, contains_null=False), ArrayType(LONG)
    strict_map, lax_map = MapType(LONG, strict, value_contains_null=False), MapType(LONG, lax)

    assert merge_types(strict, lax, (), Recorder()) == strict
    assert merge_types(lax_map, strict_map, (), Recorder()) == strict_map


@pytest.mark.parametrize(
    ("left", "right", "wider"),
    [
        (BYTE, BYTE, BYTE),
        (BYTE, SHORT, SHORT),
        (INTEGER, SHORT, INTEGER),
        (INTEGER, LONG, None),
        (LONG, LONG, None),
        (STRING, BYTE, None),
    ],
)
def test_small_integers_have_the_wider_one_in_common(left, right, wider):
    assert wider_small_integer(left, right) == wider
