"""Which ids and physical names columns get, and which they keep."""

import re

import pytest

from puredelta.schema.datatypes import (
    INTEGER,
    LONG,
    STRING,
    ArrayType,
    MapType,
    StructField,
    StructType,
)
from puredelta.table.columns.mapping_ids import (
    highest_id,
    keep_ids_of,
    present_name,
    with_mapping,
    without_ids,
)
from puredelta.table.protocol.feature_activation import all_fields

NAME = {"delta.columnMapping.mode": "name"}
ID = "delta.columnMapping.id"
PHYSICAL = "delta.columnMapping.physicalName"
MAX = "delta.columnMapping.maxColumnId"


def struct(**types):
    return StructType(tuple(StructField(name, kind) for name, kind in types.items()))


NESTED = struct(
    i=INTEGER,
    s=struct(x=LONG, y=ArrayType(struct(z=LONG))),
    m=MapType(struct(k=LONG), struct(v=LONG)),
    b=STRING,
)


def ids(schema):
    return {field.name: field.metadata[ID] for field in all_fields(schema)}


def names(schema):
    return {field.name: field.metadata[PHYSICAL] for field in all_fields(schema)}


def test_outer_fields_are_numbered_before_inner_ones_in_order():
    schema, configuration = with_mapping(NESTED, NAME)

    assert ids(schema) == {"i": 1, "s": 2, "x": 3, "y": 4, "z": 5, "m": 6, "k": 7, "v": 8, "b": 9}
    assert configuration == {**NAME, MAX: "9"}


def test_new_columns_have_names_that_nothing_ever_had():
    schema, _ = with_mapping(NESTED, NAME)

    given = list(names(schema).values())
    assert len(set(given)) == 9
    assert all(re.fullmatch(r"col-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", one) for one in given)


def test_columns_of_older_files_keep_their_names():
    schema, _ = with_mapping(NESTED, NAME, present_name)

    assert all(name == physical for name, physical in names(schema).items())


@pytest.mark.parametrize("configuration", [{}, {"delta.columnMapping.mode": "none", "a": "b"}])
def test_nothing_is_given_without_a_mode(configuration):
    assert with_mapping(NESTED, configuration) == (NESTED, configuration)


def test_what_has_a_name_keeps_it():
    once = with_mapping(NESTED, NAME)

    assert with_mapping(*once) == once


def test_ids_count_on_from_the_highest_ever_given():
    schema, _ = with_mapping(struct(a=LONG), {**NAME, MAX: "40"})

    assert ids(schema) == {"a": 41}


def test_ids_inside_arrays_and_maps_for_iceberg_are_never_given_again():
    nested = {"delta.columnMapping.nested.ids": {"col-1.element": 7}}
    known = StructField("l", ArrayType(LONG), metadata={ID: 1, PHYSICAL: "col-1", **nested})

    schema, configuration = with_mapping(StructType((known, StructField("a", LONG))), NAME)

    assert schema.fields[0] == known
    assert ids(schema)["a"] == 8
    assert configuration[MAX] == "8"


def test_replaced_columns_of_the_same_type_stay_what_they_were():
    old = with_mapping(struct(a=INTEGER, s=struct(x=LONG, y=LONG), n=LONG, gone=LONG), NAME)
    new = struct(A=INTEGER, s=struct(x=LONG, w=LONG), n=STRING)

    schema, configuration = with_mapping(*keep_ids_of(old, new, NAME))

    assert ids(schema) == {"A": 1, "s": 7, "x": 3, "w": 8, "n": 9}
    assert names(schema)["A"] == names(old[0])["a"]
    assert configuration[MAX] == "9"


def test_struct_stays_where_only_comments_and_nulls_differ():
    old = with_mapping(struct(s=struct(x=LONG)), NAME)
    inner = StructType((StructField("x", LONG, nullable=False, metadata={"comment": "c"}),))

    schema, _ = with_mapping(*keep_ids_of(old, struct(s=inner), NAME))

    assert ids(schema) == {"s": 1, "x": 2}
    assert schema.fields[0].data_type.fields[0].metadata["comment"] == "c"


def test_all_columns_are_new_where_files_are_found_otherwise():
    old = with_mapping(struct(a=LONG), NAME)
    by_id = {"delta.columnMapping.mode": "id"}

    schema, _ = with_mapping(*keep_ids_of(old, struct(a=LONG), by_id))

    assert ids(schema) == {"a": 2}
    assert names(schema) != names(old[0])


def test_replacing_a_table_without_mapping_begins_at_one():
    schema, _ = with_mapping(*keep_ids_of((struct(a=LONG), {}), struct(a=LONG), NAME))

    assert ids(schema) == {"a": 1}


def test_unmapped_table_says_nothing_of_mapping():
    schema, configuration = with_mapping(NESTED, {**NAME, "mine": "1"})

    assert without_ids(schema, configuration) == (NESTED, {"mine": "1"})
    assert highest_id(NESTED) == 0
