"""Changing a schema at any depth: what is found, what becomes of the rest, what is refused."""

import pytest

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.changes import (
    FIRST,
    Position,
    added,
    alike,
    dropped,
    find_column_position,
    moved,
    with_column,
)
from puredelta.schema.datatypes import (
    INTEGER,
    LONG,
    STRING,
    ArrayType,
    MapType,
    StructField,
    StructType,
    simple_string,
)


def struct(**types):
    return StructType(tuple(StructField(name, one) for name, one in types.items()))


PAIR = struct(a=INTEGER, b=STRING)
SCHEMA = struct(
    id=INTEGER,
    s=PAIR,
    l=ArrayType(PAIR),
    m=MapType(PAIR, struct(v=INTEGER)),
    ll=ArrayType(ArrayType(PAIR)),
)


def shown(schema):
    return simple_string(schema)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (("ID",), ("id",)),
        (("S", "B"), ("s", "b")),
        (("l", "ELEMENT", "a"), ("l", "element", "a")),
        (("m", "key", "A"), ("m", "key", "a")),
        (("m", "value"), ("m", "value")),
        (("ll", "element", "element", "b"), ("ll", "element", "element", "b")),
    ],
)
def test_column_is_found_in_any_case_and_told_as_the_schema_spells_it(path, found):
    assert find_column_position(SCHEMA, path).path == found


def test_name_that_is_spelled_alike_is_found_before_one_in_another_case():
    schema = struct(A=INTEGER, a=STRING)

    assert find_column_position(schema, ("a",)).field.data_type == STRING


@pytest.mark.parametrize(
    "path", [("nope",), ("id", "a"), ("l", "a"), ("m", "element"), ("s", "value")]
)
def test_column_that_is_not_there_is_told(path):
    with pytest.raises(DeltaAnalysisError, match="DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"):
        find_column_position(SCHEMA, path)


def test_names_that_are_like_it_are_told():
    schema = struct(customer=INTEGER, amount=INTEGER)

    with pytest.raises(DeltaAnalysisError, match="like it: customer"):
        find_column_position(schema, ("custmer",))


def test_only_the_struct_with_the_column_changes():
    wider = with_column(
        SCHEMA, ("l", "element", "a"), lambda one: StructField(one.name, LONG, one.nullable)
    )

    assert shown(wider) == shown(SCHEMA).replace(
        "l:array<struct<a:int,b:string>>", "l:array<struct<a:bigint,b:string>>"
    )
    assert [one is two for one, two in zip(SCHEMA, wider, strict=True)] == [
        *(True, True, False, True, True)
    ]


def test_what_is_in_an_array_or_a_map_changes_its_type_and_nullability():
    schema = struct(l=ArrayType(INTEGER), m=MapType(INTEGER, INTEGER))

    schema = with_column(schema, ("l", "element"), lambda _: StructField("", LONG, nullable=False))
    schema = with_column(schema, ("m", "key"), lambda one: StructField(one.name, LONG))
    schema = with_column(schema, ("m", "value"), lambda _: StructField("", LONG, nullable=False))

    assert schema == struct(
        l=ArrayType(LONG, contains_null=False), m=MapType(LONG, LONG, value_contains_null=False)
    )


@pytest.mark.parametrize(
    ("parent", "position", "names"),
    [
        ((), None, ["id", "s", "l", "m", "ll", "z"]),
        ((), FIRST, ["z", "id", "s", "l", "m", "ll"]),
        ((), Position("ID"), ["id", "z", "s", "l", "m", "ll"]),
    ],
)
def test_column_is_added_in_its_place(parent, position, names):
    assert added(SCHEMA, parent, StructField("z", LONG), position).names == names


@pytest.mark.parametrize("parent", [("s",), ("l", "element"), ("m", "KEY"), ("m", "value")])
def test_column_is_added_below_structs_in_structs_arrays_and_maps(parent):
    grown = added(SCHEMA, parent, StructField("z", LONG), FIRST)

    assert find_column_position(grown, (*parent, "z")).field.data_type == LONG
    assert "z" not in shown(SCHEMA)


@pytest.mark.parametrize("parent", [("id",), ("l",), ("m",)])
def test_column_is_not_added_below_what_is_no_struct(parent):
    with pytest.raises(DeltaAnalysisError, match="DELTA_ADD_COLUMN_PARENT_NOT_STRUCT"):
        added(SCHEMA, parent, StructField("z", LONG))


def test_column_is_not_added_after_one_that_is_not_there():
    with pytest.raises(DeltaAnalysisError, match=r"s\.nope"):
        added(SCHEMA, ("s",), StructField("z", LONG), Position("nope"))


@pytest.mark.parametrize("path", [("ID",), ("s", "a"), ("ll", "element", "element", "B")])
def test_column_is_dropped(path):
    with pytest.raises(DeltaAnalysisError, match="DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"):
        find_column_position(dropped(SCHEMA, path), path)


@pytest.mark.parametrize(
    ("path", "condition"),
    [
        (("m", "value", "v"), "DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA"),
        (("m", "key"), "DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE"),
        (("l", "element"), "DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE"),
        (("nope",), "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"),
    ],
)
def test_column_that_cannot_be_dropped_is_refused(path, condition):
    with pytest.raises(DeltaAnalysisError, match=condition):
        dropped(SCHEMA, path)


@pytest.mark.parametrize(
    ("path", "position", "names"),
    [
        (("m",), FIRST, ["m", "id", "s", "l", "ll"]),
        (("ID",), Position("M"), ["s", "l", "m", "id", "ll"]),
        (("id",), Position("ID"), ["id", "s", "l", "m", "ll"]),
        (("l", "element"), FIRST, ["id", "s", "l", "m", "ll"]),
    ],
)
def test_column_is_moved(path, position, names):
    assert moved(SCHEMA, path, position).names == names


def test_nested_column_is_moved_among_its_siblings():
    assert shown(moved(SCHEMA, ("s", "b"), FIRST).fields[1].data_type) == "struct<b:string,a:int>"
    with pytest.raises(DeltaAnalysisError, match="DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"):
        moved(SCHEMA, ("s", "b"), Position("id"))


@pytest.mark.parametrize(
    ("other", "is_alike"),
    [
        (struct(A=INTEGER, b=STRING), True),
        (struct(a=LONG, b=STRING), False),
        (struct(a=INTEGER), False),
        (struct(a=INTEGER, c=STRING), False),
        (ArrayType(PAIR), False),
    ],
)
def test_types_are_alike_whose_fields_are(other, is_alike):
    assert alike(PAIR, other) is is_alike
    assert alike(ArrayType(PAIR), ArrayType(other)) is is_alike
    assert alike(MapType(STRING, PAIR), MapType(STRING, other)) is is_alike
