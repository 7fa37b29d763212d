"""Visiting nested types."""

from puredelta.schema.datatypes import LONG, STRING, ArrayType, MapType, StructField, StructType
from puredelta.schema.walk import leaves, types_in

INNER = StructType((StructField("x", LONG), StructField("y", ArrayType(STRING))))
SCHEMA = StructType((StructField("s", INNER), StructField("m", MapType(STRING, INNER))))


def test_leaves_are_found_depth_first():
    assert [(path, leaf.name) for path, leaf in leaves(SCHEMA)] == [
        (("s", "x"), "x"),
        (("s", "y"), "y"),
        (("m",), "m"),
    ]


def test_types_are_found_inside_arrays_and_maps():
    found = list(types_in(SCHEMA))

    assert found[0] is SCHEMA
    assert found.count(INNER) == 2
    assert found.count(LONG) == 2
    assert found.count(STRING) == 3
