"""The types as values."""

import pytest

from puredelta.schema.datatypes import (
    BYTE,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    UnknownType,
    UserDefinedType,
    simple_string,
)


@pytest.mark.parametrize(
    ("data_type", "text"),
    [
        (LONG, "bigint"),
        (INTEGER, "int"),
        (SHORT, "smallint"),
        (BYTE, "tinyint"),
        (TIMESTAMP_NTZ, "timestamp_ntz"),
        (DecimalType(10, 2), "decimal(10,2)"),
        (MapType(STRING, ArrayType(LONG)), "map<string,array<bigint>>"),
        (StructType((StructField("b c", LONG),)), "struct<b c:bigint>"),
        (UnknownType("geometry(4326)"), "geometry(4326)"),
        (UserDefinedType("{}", LONG), "bigint"),
    ],
)
def test_simple_string_is_that_of_spark(data_type, text):
    assert simple_string(data_type) == text


def test_simple_string_of_a_foreign_type_is_refused():
    with pytest.raises(TypeError):
        simple_string(DataType())


def test_fields_are_found_whatever_their_case():
    schema = StructType((StructField("Ab", LONG), StructField("aB", STRING)))

    assert schema.field("AB").data_type == LONG
    assert schema.field("aB", case_sensitive=True).data_type == STRING
    assert schema.field("ab", case_sensitive=True) is None
    assert schema.field("c") is None
    assert (schema.names, len(schema)) == (["Ab", "aB"], 2)
    assert list(schema) == list(schema.fields)


def test_metadata_counts_for_equality_and_types_can_be_keys():
    plain = StructField("a", LONG)

    assert plain != StructField("a", LONG, metadata={"comment": "x"})
    assert len({StructType((plain,)), StructType((StructField("a", LONG),))}) == 1
