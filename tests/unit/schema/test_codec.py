"""Schema JSON: read, written back byte for byte, refused when it is none."""

import pytest

from puredelta.schema.codec import (
    MalformedTypeError,
    schema_from_json,
    schema_to_json,
    type_from_json,
    type_to_json,
)
from puredelta.schema.datatypes import (
    LONG,
    STRING,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    UnknownType,
    UserDefinedType,
)

WRITTEN_BY_SPARK = (
    '{"type":"struct","fields":['
    '{"name":"a","type":"byte","nullable":true,"metadata":{"comment":"c1 \\"é\\"","n":1.5}},'
    '{"name":"g","type":"decimal(38,10)","nullable":false,"metadata":{}},'
    '{"name":"m","type":{"type":"array","elementType":{"type":"struct","fields":['
    '{"name":"y","type":{"type":"map","keyType":"string","valueType":"integer",'
    '"valueContainsNull":true},"nullable":true,"metadata":{}}]},"containsNull":false},'
    '"nullable":true,"metadata":{"delta.identity.start":1}}]}'
)


def test_schema_of_spark_is_written_back_byte_for_byte():
    assert schema_to_json(schema_from_json(WRITTEN_BY_SPARK)) == WRITTEN_BY_SPARK


def test_fields_are_read():
    schema = schema_from_json(WRITTEN_BY_SPARK)

    assert schema.field("g") == StructField("g", DecimalType(38, 10), nullable=False)
    assert schema.field("m").data_type == ArrayType(
        StructType((StructField("y", MapType(STRING, type_from_json('"integer"'))),)),
        contains_null=False,
    )
    assert schema.field("a").metadata == {"comment": 'c1 "é"', "n": 1.5}


@pytest.mark.parametrize(
    ("text", "data_type"),
    [
        ('"decimal"', DecimalType(10, 0)),
        ('"decimal(5, -2)"', DecimalType(5, -2)),
        ('"null"', VOID),
        ('"interval day to second"', UnknownType("interval day to second")),
    ],
)
def test_unusual_names(text, data_type):
    assert type_from_json(text) == data_type


def test_missing_metadata_is_empty():
    schema = schema_from_json(
        '{"type":"struct","fields":[{"name":"a","type":"long","nullable":true}]}'
    )

    assert schema == StructType((StructField("a", LONG),))


def test_user_defined_type_is_kept_whole():
    text = '{"type":"udt","class":"Point","sqlType":{"type":"struct","fields":[]},"extra":[1]}'

    found = type_from_json(text)

    assert isinstance(found, UserDefinedType)
    assert found.sql_type == StructType()
    assert type_to_json(found) == text


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", '{"type":"tree"}', '{"type":"struct"}', '{"type":"array"}']
)
def test_what_is_no_type_is_refused(text):
    with pytest.raises(MalformedTypeError):
        type_from_json(text)


def test_schema_must_be_a_struct():
    with pytest.raises(MalformedTypeError, match="long"):
        schema_from_json('"long"')


def test_foreign_type_is_refused():
    with pytest.raises(TypeError):
        type_to_json(DataType())


def _nested(depth):
    start = '{"type":"array","containsNull":true,"elementType":'
    return _with_type(start * depth + '"long"' + "}" * depth)


def _with_type(inner, name='"a"', metadata="{}"):
    field = f'{{"name":{name},"nullable":true,"metadata":{metadata},"type":{inner}}}'
    return f'{{"type":"struct","fields":[{field}]}}'


@pytest.mark.parametrize("depth", [200, 900, 100_000])
def test_schema_nested_deeper_than_python_goes_is_malformed(depth):
    with pytest.raises(MalformedTypeError):
        schema_from_json(_nested(depth))


def test_schema_nested_deeply_is_read():
    assert schema_from_json(_nested(90)).names == ["a"]


@pytest.mark.parametrize(
    "text",
    [
        _with_type('"long"', name="5"),
        _with_type('"long"', metadata="[1]"),
        _with_type('"long"', name='"\ud800"'),
    ],
)
def test_field_that_is_none_is_malformed(text):
    with pytest.raises(MalformedTypeError):
        schema_from_json(text)


def test_decimal_of_a_thousand_digits_is_an_unknown_type():
    text = f"decimal({'9' * 5000},2)"

    assert schema_from_json(_with_type(f'"{text}"')).fields[0].data_type == UnknownType(text)
