"""Columns of a MERGE's target by the names that users give them."""

import pytest
from pyspark.sql.types import IntegerType, StructField, StructType

from puredelta.commands.dml.column_values import new_path, overlapping, target_path

SCHEMA = StructType(
    [
        StructField("Id", IntegerType()),
        StructField("t", StructType([StructField("Id", IntegerType())])),
        StructField("st", StructType([StructField("A", IntegerType())])),
    ]
)


@pytest.mark.parametrize(
    ("given", "alias", "found"),
    [
        (("id",), ("x",), ("Id",)),
        (("x", "ID"), ("x",), ("Id",)),
        (("X", "st", "a"), ("x",), ("st", "A")),
        (("st", "a"), (), ("st", "A")),
        (("default", "x", "id"), ("spark_catalog", "default", "x"), ("Id",)),
        (("x", "id"), ("spark_catalog", "default", "x"), ("Id",)),
        # The alias comes before a struct of its name.
        (("t", "id"), ("t",), ("Id",)),
        (("t", "id"), ("x",), ("t", "Id")),
        (("t",), ("t",), ("t",)),
        (("y", "id"), ("x",), None),
        (("id", "a"), (), None),
        (("st", "b"), (), None),
    ],
)
def test_path_is_found_with_and_without_the_alias(given, alias, found):
    assert target_path(given, alias, SCHEMA) == found


def test_new_column_loses_the_alias():
    assert new_path(("T", "extra"), ("t",)) == ("extra",)
    assert new_path(("extra", "a"), ("t",)) == ("extra", "a")


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        ([("a",), ("b",)], []),
        ([("a", "x"), ("a", "y")], []),
        ([("a",), ("A",)], [("a",), ("A",)]),
        ([("a", "x"), ("b",), ("a",)], [("a", "x"), ("a",)]),
    ],
)
def test_paths_that_hold_each_other_are_told(paths, found):
    assert overlapping(paths) == found
