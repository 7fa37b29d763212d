"""The schemas of many files in one."""

import pytest

from puredelta.conversion.parquet.schema_merging import MergedSchema, merge_schemas
from puredelta.errors import DeltaAnalysisError, DeltaError
from puredelta.schema.datatypes import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    simple_string,
)


def schema(**types: DataType) -> StructType:
    return StructType(tuple(StructField(name, one) for name, one in types.items()))


def merged(*schemas: StructType) -> str:
    all_of_them = MergedSchema()
    for number, one in enumerate(schemas):
        all_of_them.add(f"f{number}", one)
    return simple_string(all_of_them.schema)


def test_columns_of_all_files_stand_in_the_order_in_which_they_came():
    assert (
        merged(schema(b=LONG), schema(a=STRING, b=LONG), schema(c=DATE))
        == "struct<b:bigint,a:string,c:date>"
    )


def test_name_in_another_case_is_the_same_column():
    assert merged(schema(Id=LONG), schema(ID=LONG)) == "struct<Id:bigint>"


def test_parts_of_structs_lists_and_maps_are_put_together():
    one = schema(s=schema(x=LONG), l=ArrayType(schema(p=LONG)), m=MapType(STRING, schema(k=LONG)))
    other = schema(
        s=schema(X=LONG, y=DATE), l=ArrayType(schema(q=LONG)), m=MapType(STRING, schema(v=LONG))
    )

    assert merged(one, other) == (
        "struct<s:struct<x:bigint,y:date>,l:array<struct<p:bigint,q:bigint>>,"
        "m:map<string,struct<k:bigint,v:bigint>>>"
    )


@pytest.mark.parametrize(
    ("left", "right", "together"),
    [
        (BYTE, SHORT, SHORT),
        (INTEGER, BYTE, INTEGER),
        (VOID, LONG, LONG),
        (DOUBLE, VOID, DOUBLE),
        (VOID, VOID, INTEGER),
        (VOID, DATE, DATE),
    ],
)
def test_types_that_one_reader_reads_are_merged(left, right, together):
    assert merged(schema(a=left), schema(a=right)) == f"struct<a:{simple_string(together)}>"


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (INTEGER, LONG),
        (FLOAT, DOUBLE),
        (DecimalType(10, 2), DecimalType(12, 2)),
        (DATE, TIMESTAMP),
        (TIMESTAMP, TIMESTAMP_NTZ),
        (STRING, VOID),
        (VOID, FLOAT),
        (LONG, ArrayType(LONG)),
        (MapType(STRING, LONG), MapType(LONG, LONG)),
        (schema(x=LONG), schema(x=STRING)),
    ],
    ids=simple_string,
)
def test_types_without_one_in_common_are_refused_from_both_sides(left, right):
    for one, other in ((left, right), (right, left)):
        files = MergedSchema()
        files.add("first", schema(a=one))
        before = files.schema
        with pytest.raises(DeltaError) as refused:
            files.add("second", schema(b=LONG, a=other))

        assert refused.value.condition == "DELTA_FAILED_MERGE_SCHEMA_FILE"
        assert refused.value.parameters["file"] == "second"
        assert refused.value.parameters["otherFile"] == "first"
        assert files.schema is before


def test_error_names_the_column_both_types_and_a_file_with_the_other_one():
    files = MergedSchema()
    files.add("none", schema(b=LONG))
    files.add("void", schema(s=schema(x=VOID)))
    files.add("first", schema(S=schema(X=LONG)))
    files.add("again", schema(s=schema(x=LONG), b=LONG))

    with pytest.raises(DeltaError) as refused:
        files.add("bad", schema(s=schema(x=STRING)))

    assert refused.value.parameters == {
        "file": "bad",
        "column": "s.x",
        "schema": "string",
        "otherSchema": "bigint",
        "otherFile": "first",
    }


def test_error_names_a_file_that_has_the_column_when_several_made_its_type():
    files = MergedSchema()
    files.add("none", schema(b=LONG))
    files.add("one", schema(s=schema(x=LONG)))
    files.add("two", schema(s=schema(y=LONG)))

    with pytest.raises(DeltaError) as refused:
        files.add("bad", schema(s=LONG))

    assert refused.value.parameters["otherFile"] == "one"


def test_file_with_a_name_twice_is_refused_and_named():
    with pytest.raises(DeltaAnalysisError) as refused:
        MergedSchema().add("bad", schema(s=schema(x=LONG, X=LONG)))

    assert refused.value.condition == "DELTA_DUPLICATE_COLUMNS_FOUND.CONVERT_TO_DELTA"
    assert refused.value.parameters["file"] == "bad"


def test_first_file_says_what_a_column_is_for():
    told = StructType((StructField("a", LONG, metadata={"comment": "one"}),))
    other = StructType((StructField("a", LONG, metadata={"comment": "two"}),))
    files = MergedSchema()
    for path, one in (("f", told), ("g", other)):
        files.add(path, one)

    assert files.schema == told


def test_schema_is_the_same_object_until_it_changes():
    files = MergedSchema()
    files.add("f", schema(a=LONG, b=VOID))
    before = files.schema
    for number in range(3):
        files.add(f"g{number}", schema(b=INTEGER) if number else schema(a=LONG))

    assert files.schema is before
    files.add("h", schema(c=LONG))
    assert files.schema is not before


def test_type_inside_a_list_that_no_file_tells_becomes_int():
    assert merged(schema(a=ArrayType(VOID), m=MapType(STRING, VOID))) == (
        "struct<a:array<int>,m:map<string,int>>"
    )


def test_case_sensitive_merge_keeps_both_columns():
    found = merge_schemas(schema(a=LONG), schema(A=LONG), case_sensitive=True)

    assert found.names == ["a", "A"]


def test_merge_of_two_schemas_names_the_column_that_clashes():
    with pytest.raises(DeltaAnalysisError, match=r"s\.x"):
        merge_schemas(schema(s=schema(x=LONG)), schema(s=schema(x=DATE)))
