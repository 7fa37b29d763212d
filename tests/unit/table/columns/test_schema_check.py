"""Which schemas and partitionings a table may have."""

import pytest

from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import (
    BINARY,
    INTEGER,
    STRING,
    TIMESTAMP_NTZ,
    VARIANT,
    VOID,
    ArrayType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    UnknownType,
)
from puredelta.table.columns.schema_check import check_new_schema


def schema(**columns):
    return StructType(tuple(StructField(name, kind) for name, kind in columns.items()))


def refused(*arguments, **options):
    with pytest.raises(DeltaAnalysisError) as raised:
        check_new_schema(*arguments, **options)
    return raised.value


def test_ordinary_schema_passes():
    check_new_schema(
        schema(a=INTEGER, b=schema(a=STRING), c=ArrayType(schema(a=INTEGER)), p=TIMESTAMP_NTZ),
        ["p"],
    )


@pytest.mark.parametrize(
    ("columns", "path"),
    [
        (schema(a=INTEGER, A=STRING), "a"),
        (schema(s=schema(x=INTEGER, X=INTEGER)), "s.x"),
        (schema(s=ArrayType(schema(x=INTEGER, X=INTEGER))), "s.element.x"),
        (schema(s=MapType(STRING, schema(x=INTEGER, X=INTEGER))), "s.value.x"),
    ],
)
def test_names_that_differ_in_case_only_are_refused(columns, path):
    error = refused(columns)

    assert error.condition == "DELTA_DUPLICATE_COLUMNS_FOUND.METADATA_UPDATE"
    assert error.parameters["duplicateCols"] == path


@pytest.mark.parametrize("name", ["a b", "a,b", "a;b", "a{b", "a(b)", "a\nb", "a\tb", "a=b"])
def test_special_characters_need_column_mapping(name):
    error = refused(schema(**{name: INTEGER}))

    assert error.condition == "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES"
    assert error.parameters["invalidColumnNames"] == name
    check_new_schema(schema(**{name: INTEGER}), mapped=True)


def test_special_characters_are_found_in_structs():
    error = refused(schema(s=schema(**{"a,b": INTEGER}), ok=STRING))

    assert error.parameters["invalidColumnNames"] == "s.a,b"


def test_special_characters_in_partition_columns_have_their_own_condition():
    error = refused(schema(**{"a": INTEGER, "p q": INTEGER}), ["p q"])

    assert error.condition == "DELTA_INVALID_PARTITION_COLUMN_NAME"


def test_unknown_partition_column_is_refused():
    assert refused(schema(a=INTEGER), ["z"]).condition == "DELTA_PARTITION_COLUMN_NOT_FOUND"


def test_partition_column_in_another_case_is_found():
    check_new_schema(schema(a=INTEGER, P=INTEGER), ["p"])


def test_repeated_partition_column_is_refused():
    error = refused(schema(a=INTEGER, b=INTEGER, c=INTEGER), ["b", "B"])

    assert error.condition == "DELTA_DUPLICATE_COLUMNS_FOUND.PARTITION_COLUMNS"


def test_not_all_columns_can_partition():
    error = refused(schema(a=INTEGER, b=INTEGER), ["a", "b"])

    assert error.condition == "DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION"


@pytest.mark.parametrize(
    "kind", [schema(x=INTEGER), ArrayType(INTEGER), MapType(STRING, STRING), VARIANT, VOID]
)
def test_type_that_cannot_partition_is_refused(kind):
    error = refused(schema(a=INTEGER, p=kind), ["p"])

    assert error.condition == "DELTA_INVALID_PARTITION_COLUMN_TYPE"
    assert error.parameters["name"] == "p"


@pytest.mark.parametrize("kind", [STRING, BINARY, DecimalType(10, 2), TIMESTAMP_NTZ])
def test_type_that_can_partition_passes(kind):
    check_new_schema(schema(a=INTEGER, p=kind), ["p"])


def test_type_that_cannot_be_stored_is_named_with_its_path():
    error = refused(schema(s=schema(i=UnknownType("interval day to second"))))

    assert error.condition == "DELTA_UNSUPPORTED_DATA_TYPES"
    assert error.parameters["dataTypeList"] == "[s.i: interval day to second]"


def test_void_column_may_be_created():
    check_new_schema(schema(a=INTEGER, v=VOID))


@pytest.mark.parametrize(
    ("wrap", "part"),
    [
        (ArrayType, "element"),
        (lambda inner: MapType(STRING, inner), "value"),
        (lambda inner: MapType(inner, STRING), "key"),
    ],
)
def test_not_null_inside_arrays_and_maps_is_refused(wrap, part):
    inner = StructType((StructField("x", INTEGER, nullable=False),))

    error = refused(schema(a=wrap(inner)))

    assert error.condition == "DELTA_NESTED_NOT_NULL_CONSTRAINT"
    assert error.parameters["nestType"] == part


def test_not_null_in_structs_passes():
    check_new_schema(StructType((StructField("s", schema(x=INTEGER), nullable=False),)))
