"""Declared lengths of texts inside columns follow the columns."""

import pytest

from puredelta.schema.datatypes import (
    INTEGER,
    STRING,
    ArrayType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    simple_string,
)
from puredelta.table.columns.char_lengths import (
    declared_column,
    declared_type,
    with_declared_length,
    with_declared_lengths,
)

KEY = "__CHAR_VARCHAR_TYPE_STRING"
ID = "delta.columnMapping.id"


def struct(*fields):
    return StructType(tuple(fields))


def field(name, data_type=STRING, number=None, declared=None):
    metadata = {} if number is None else {ID: number}
    return StructField(name, data_type, metadata=metadata | ({KEY: declared} if declared else {}))


def declared(before, after):
    found = with_declared_lengths(struct(before), struct(after)).fields[0]
    return found.metadata.get(KEY)


def column(*fields, text=None, number=1):
    return field("s", struct(*fields), number, text)


A, B = field("a", INTEGER, 2), field("b", STRING, 3)
TEXT = "struct<a:int,b:varchar(3)>"


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ((A, B), TEXT),
        ((A, field("c d", STRING, 3)), "struct<a:int,`c d`:varchar(3)>"),
        ((B,), "struct<b:varchar(3)>"),
        ((B, A), "struct<b:varchar(3),a:int>"),
        ((A,), None),
        ((A, B, field("n", STRING, 4)), "struct<a:int,b:varchar(3),n:string>"),
        (
            (A, B, field("n", STRING, 4, "char(2)")),
            "struct<a:int,b:varchar(3),n:char(2)>",
        ),
        ((A, field("b", STRING, 9)), None),
    ],
)
def test_text_follows_the_fields(after, expected):
    assert declared(column(A, B, text=TEXT), column(*after, text=TEXT)) == expected


def test_lengths_of_new_fields_move_to_the_top():
    new = column(A, field("n", STRING, 4, "varchar(2)"))

    found = with_declared_lengths(struct(column(A)), struct(new)).fields[0]

    assert found.metadata[KEY] == "struct<a:int,n:varchar(2)>"
    assert KEY not in found.data_type.field("n").metadata


def test_arrays_maps_and_decimals_are_read():
    inner = struct(field("x", STRING), field("d", DecimalType(10, 2)))
    data_type = struct(field("l", ArrayType(inner)), field("m", MapType(STRING, ArrayType(STRING))))
    text = "struct<l:array<struct<x:varchar(3),d:decimal(10,2)>>,m:map<char(1),array<varchar(5)>>>"

    assert declared(field("s", data_type, None, text), field("s", data_type, None, text)) == text


def test_names_that_spark_does_not_quote_are_read_and_quoted():
    data_type = struct(field("a b"), field("c:d<e>", INTEGER), field("f,g"), field("h`i"))
    text = "struct<a b:varchar(3),c:d<e>:int,f,g:char(2),h`i:string>"
    quoted = "struct<`a b`:varchar(3),`c:d<e>`:int,`f,g`:char(2),`h``i`:string>"

    assert declared(field("s", data_type, None, text), field("s", data_type, None, text)) == quoted
    assert (
        declared(field("s", data_type, None, quoted), field("s", data_type, None, quoted)) == quoted
    )


def test_text_that_did_not_follow_a_rename_is_read_by_order():
    stale = column(A, field("c", STRING, 3), text=TEXT)

    assert declared(stale, stale) == "struct<a:int,c:varchar(3)>"


def test_text_of_another_shape_is_left_alone():
    stale = column(B, text=TEXT)

    assert declared(stale, stale) == TEXT


def test_text_that_is_new_counts():
    new = column(A, B, text="struct<a:int,b:varchar(9)>")

    assert declared(column(A, B, text=TEXT), new) == "struct<a:int,b:varchar(9)>"
    assert declared(column(A, B, text=TEXT), column(A, B)) is None


def test_texts_at_the_top_are_left_alone():
    top = field("v", STRING, None, "varchar(3)")

    assert with_declared_lengths(struct(top), struct(top)) == struct(top)


def test_column_without_lengths_is_left_alone():
    plain = column(A, B)

    assert with_declared_lengths(struct(plain), struct(plain)) == struct(plain)


def test_blanks_and_capitals_of_others_are_read():
    text = "STRUCT<a: INT, b: VARCHAR(3)>"

    assert declared(column(A, B, text=text), column(A, B, text=text)) == TEXT


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (field("a", STRING, declared="char(3)"), "char(3)"),
        (field("a", INTEGER), "int"),
        (
            field(
                "s",
                struct(A, field("l", MapType(STRING, ArrayType(STRING)))),
                declared="struct<a:int,l:map<varchar(2),array<char(1)>>>",
            ),
            "struct<a:int,l:map<varchar(2),array<char(1)>>>",
        ),
        (field("s", struct(A, B), declared="struct<other:varchar(3)>"), "struct<a:int,b:string>"),
    ],
)
def test_type_as_it_was_declared(column, told):
    assert simple_string(declared_type(column)) == told


NESTED = StructType(
    (
        StructField(
            "m",
            MapType(STRING, ArrayType(struct(A, B))),
            metadata={KEY: "map<varchar(3),array<struct<a:int,b:char(3)>>>"},
        ),
    )
)


@pytest.mark.parametrize(
    ("path", "length", "text"),
    [
        (("m", "key"), None, "map<string,array<struct<a:int,b:char(3)>>>"),
        (("M", "value", "element", "B"), None, "map<varchar(3),array<struct<a:int,b:string>>>"),
        (
            ("m", "value", "element", "b"),
            "varchar(5)",
            "map<varchar(3),array<struct<a:int,b:varchar(5)>>>",
        ),
    ],
)
def test_one_nested_length_changes_and_the_others_stay(path, length, text):
    column = declared_column(NESTED, path)
    assert column.field.metadata[KEY] in {"varchar(3)", "char(3)"}

    changed = with_declared_length(NESTED, column, length)

    assert changed.fields[0].metadata[KEY] == text
    assert declared_column(changed, path).field.metadata.get(KEY) == length


def test_last_length_that_goes_takes_its_text_along():
    column_of_text = StructField("l", ArrayType(STRING), metadata={KEY: "array<varchar(3)>"})
    schema = StructType((column_of_text,))

    changed = with_declared_length(schema, declared_column(schema, ("l", "element")), None)

    assert changed.fields[0].metadata == {}
