"""The columns that a footer gives a table."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.conversion.parquet.footer_schema import FooterSchemas, schema_of_footer
from puredelta.conversion.parquet_rules import ParquetRules
from puredelta.errors import DeltaAnalysisError
from puredelta.schema.datatypes import StructType, simple_string
from puredelta.table.statistics.parquet_schema import (
    REPEATED,
    REQUIRED,
    SchemaNode,
    root_of,
)
from tests.hand_made_parquet import group, leaf, parquet_file, repeated

READ_BY_ARROW_26 = pytest.mark.skipif(
    int(pa.__version__.partition(".")[0]) < 26,
    reason="Arrow before 26 refuses the footer for such a column",
)
SPARK_KEY = "org.apache.spark.sql.parquet.row.metadata"


def footer_of(file: bytes) -> pq.FileMetaData:
    return pq.read_metadata(io.BytesIO(file))


def type_of(*columns: SchemaNode, rules: ParquetRules | None = None, **how) -> str:
    footer = footer_of(parquet_file(*columns, **how))
    return simple_string(schema_of_footer(footer, rules or ParquetRules()).fields[0].data_type)


def own(*fields: dict) -> dict[str, str]:
    return {SPARK_KEY: json.dumps({"type": "struct", "fields": fields})}


def field(name: str, data_type: object, *, nullable: bool = True, **metadata: object) -> dict:
    return {"name": name, "type": data_type, "nullable": nullable, "metadata": metadata}


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (leaf("a", "BOOLEAN"), "boolean"),
        (leaf("a", "INT32"), "int"),
        (leaf("a", "INT64"), "bigint"),
        (leaf("a", "INT96"), "timestamp"),
        (leaf("a", "FLOAT"), "float"),
        (leaf("a", "DOUBLE"), "double"),
        (leaf("a", "BINARY"), "binary"),
        (leaf("a", "FIXED", length=5), "binary"),
        (leaf("a", "BINARY", "STRING"), "string"),
        (leaf("a", "BINARY", "ENUM"), "string"),
        (leaf("a", "BINARY", "JSON"), "string"),
        (leaf("a", "BINARY", "BSON"), "binary"),
        (leaf("a", "INT32", "DATE"), "date"),
        (leaf("a", "INT32", "INTEGER", bits=8), "tinyint"),
        (leaf("a", "INT32", "INTEGER", bits=16), "smallint"),
        (leaf("a", "INT32", "INTEGER", bits=8, is_signed=False), "smallint"),
        (leaf("a", "INT32", "INTEGER", bits=16, is_signed=False), "int"),
        (leaf("a", "INT32", "INTEGER", bits=32, is_signed=False), "bigint"),
        (leaf("a", "INT64", "INTEGER", bits=64, is_signed=False), "decimal(20,0)"),
        (leaf("a", "INT32", "DECIMAL", precision=9, scale=2), "decimal(9,2)"),
        (leaf("a", "INT64", "DECIMAL", precision=18, scale=0), "decimal(18,0)"),
        (leaf("a", "BINARY", "DECIMAL", precision=38, scale=38), "decimal(38,38)"),
        (leaf("a", "FIXED", "DECIMAL", precision=20, scale=3, length=9), "decimal(20,3)"),
        (leaf("a", "INT64", "TIMESTAMP", unit="MICROS", is_utc=True), "timestamp"),
        (leaf("a", "INT64", "TIMESTAMP", unit="MILLIS", is_utc=True), "timestamp"),
        (leaf("a", "INT64", "TIMESTAMP", unit="MICROS"), "timestamp_ntz"),
        (leaf("a", "INT32", "UNKNOWN"), "void"),
        (leaf("a", "BINARY", "UNKNOWN"), "binary"),
    ],
    ids=lambda value: str(value).replace(" ", "_"),
)
def test_column_has_the_type_that_spark_gives_it(column, expected):
    assert type_of(column) == expected


@pytest.mark.parametrize(
    "column",
    [
        leaf("a", "FIXED", "UUID", length=16),
        leaf("a", "FIXED", "FLOAT16", length=2),
        leaf("a", "FIXED", "INTERVAL", length=12),
        leaf("a", "INT32", "TIME", unit="MILLIS"),
        leaf("a", "INT64", "TIME", unit="NANOS"),
        pytest.param(leaf("a", "INT32", "DECIMAL", precision=10, scale=2), marks=READ_BY_ARROW_26),
        pytest.param(
            leaf("a", "FIXED", "DECIMAL", precision=20, scale=3, length=8), marks=READ_BY_ARROW_26
        ),
        leaf("a", "BINARY", "DECIMAL", precision=39, scale=0),
    ],
    ids=str,
)
def test_column_that_spark_does_not_read_is_refused_by_name(column):
    with pytest.raises(DeltaAnalysisError) as refused:
        schema_of_footer(
            footer_of(parquet_file(group("s", column))), ParquetRules(), path="d/f.parquet"
        )

    assert refused.value.condition == "PARQUET_TYPE_ILLEGAL"
    assert refused.value.parameters["column"] == "s.a"
    assert refused.value.parameters["file"] == "d/f.parquet"
    assert refused.value.parameters["parquetType"] == str(column)
    assert "nanosAsLong" not in refused.value.message


def test_nanoseconds_are_refused_with_what_reads_them():
    with pytest.raises(DeltaAnalysisError, match=r"The column a is INT64.*nanosAsLong") as refused:
        type_of(leaf("a", "INT64", "TIMESTAMP", unit="NANOS"))

    assert refused.value.condition == "PARQUET_TYPE_ILLEGAL.NANOS"


def test_time_of_day_is_a_type_that_tables_do_not_have():
    with pytest.raises(DeltaAnalysisError) as refused:
        type_of(leaf("a", "INT64", "TIME", unit="MICROS"))

    assert refused.value.condition == "DELTA_UNSUPPORTED_DATA_TYPES"


@pytest.mark.parametrize("how", [{"new": False}, {"old": False}])
def test_annotations_of_old_and_of_today_mean_the_same(how):
    element = leaf("element", "INT32", "INTEGER", bits=8)

    assert type_of(leaf("a", "BINARY", "STRING"), **how) == "string"
    assert type_of(group("a", repeated("list", element), kind="LIST"), **how) == "array<tinyint>"


def test_rules_read_what_parquet_leaves_open():
    clock = leaf("a", "INT64", "TIMESTAMP", unit="MICROS")
    nanos = leaf("a", "INT64", "TIMESTAMP", unit="NANOS", is_utc=True)

    assert type_of(leaf("a", "BINARY"), rules=ParquetRules(binary_as_string=True)) == "string"
    assert type_of(clock, rules=ParquetRules(infer_timestamp_ntz=False)) == "timestamp"
    assert type_of(nanos, rules=ParquetRules(nanos_as_long=True)) == "bigint"
    with pytest.raises(DeltaAnalysisError):
        type_of(leaf("a", "INT96"), rules=ParquetRules(int96_as_timestamp=False))


INT = leaf("x", "INT32")
KEY = leaf("key", "BINARY", "STRING", repetition=REQUIRED)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (group("a", repeated("list", INT), kind="LIST"), "array<int>"),
        (group("a", repeated("bag", leaf("array", "INT32")), kind="LIST"), "array<int>"),
        (group("a", leaf("array", "INT32", repetition=REPEATED), kind="LIST"), "array<int>"),
        (group("a", repeated("array", INT), kind="LIST"), "array<struct<x:int>>"),
        (group("a", repeated("a_tuple", INT), kind="LIST"), "array<struct<x:int>>"),
        (group("a", repeated("b_tuple", INT), kind="LIST"), "array<int>"),
        (
            group("a", repeated("element", INT, leaf("y", "INT64")), kind="LIST"),
            "array<struct<x:int,y:bigint>>",
        ),
        (repeated("a", INT), "array<struct<x:int>>"),
        (leaf("a", "INT32", repetition=REPEATED), "array<int>"),
        (group("a", repeated("list", INT)), "struct<list:array<struct<x:int>>>"),
        (group("a", repeated("key_value", KEY, INT), kind="MAP"), "map<string,int>"),
        (group("a", repeated("map", KEY, INT), kind="MAP_KEY_VALUE"), "map<string,int>"),
        (group("a", INT, group("b", INT)), "struct<x:int,b:struct<x:int>>"),
    ],
    ids=[
        "three levels", "hive", "two levels", "avro", "thrift", "not thrift", "two fields",
        "repeated group", "repeated column", "no annotation", "map", "old map", "struct",
    ],
)  # fmt: skip
def test_lists_and_maps_of_older_writers_are_found(column, expected):
    assert type_of(column) == expected


def test_variant_is_one_column():
    parts = [leaf(name, "BINARY", repetition=REQUIRED) for name in ("metadata", "value")]

    assert type_of(group("a", *parts, kind="VARIANT")) == "variant"
    assert type_of(group("a", *parts)) == "struct<metadata:binary,value:binary>"
    assert type_of(group("a", *parts), keys=own(field("a", "variant"))) == "variant"


def test_all_columns_may_be_null_at_every_depth():
    inner = leaf("x", "INT32", repetition=REQUIRED)
    lists = group("l", repeated("list", inner), kind="LIST", repetition=REQUIRED)
    converted = schema_of_footer(footer_of(parquet_file(lists)))
    said = {"type": "array", "elementType": "integer", "containsNull": False}
    told = footer_of(parquet_file(lists, keys=own(field("l", said, nullable=False))))

    assert converted.fields[0].nullable
    assert converted.fields[0].data_type.contains_null
    assert schema_of_footer(told) == converted


def test_schema_of_spark_is_believed_where_the_columns_fit():
    file = parquet_file(
        leaf("a", "INT96"),
        leaf("b", "BINARY", "STRING"),
        keys=own(field("a", "timestamp", comment="when"), field("b", "string")),
    )

    assert schema_of_footer(footer_of(file)).fields[0].metadata == {"comment": "when"}


def test_schema_of_spark_is_believed_beside_lists_of_the_older_form():
    old = leaf("array", "BINARY", "STRING", repetition=REPEATED)
    columns = (
        group("l", old, kind="LIST"),
        group("v", leaf("value", "BINARY"), leaf("metadata", "BINARY")),
    )
    texts = {"type": "array", "elementType": "string", "containsNull": False}
    keys = own(field("l", texts), field("v", "variant"))

    schema = schema_of_footer(footer_of(parquet_file(*columns, keys=keys)))

    assert simple_string(schema) == "struct<l:array<string>,v:variant>"


@pytest.mark.parametrize(
    "said",
    [
        [field("a", "integer")],
        [field("a", "integer"), field("b", "string"), field("c", "string")],
        [field("a", "integer"), field("b", "long")],
        [field("a", "long"), field("b", "string")],
        [field("b", "string"), field("a", "integer")],
        [field("a", {"type": "array", "elementType": "integer", "containsNull": True}),
         field("b", "string")],
    ],
    ids=["one more", "one less", "other type", "other width", "other order", "list"],
)  # fmt: skip
def test_schema_of_spark_that_other_programs_copied_is_not_believed(said):
    columns = leaf("a", "INT32"), leaf("b", "BINARY", "STRING")
    found = schema_of_footer(footer_of(parquet_file(*columns, keys=own(*said))))

    assert simple_string(found) == "struct<a:int,b:string>"


def test_broken_schema_of_spark_is_passed_over():
    found = schema_of_footer(footer_of(parquet_file(leaf("a", "INT32"), keys={SPARK_KEY: "{"})))

    assert simple_string(found) == "struct<a:int>"


def test_definitions_of_the_table_that_a_file_was_written_for_stay_behind():
    said = field(
        "a",
        "long",
        comment="kept",
        CURRENT_DEFAULT="1",
        **{"delta.identity.start": 1, "delta.columnMapping.id": 3},
    )
    found = schema_of_footer(footer_of(parquet_file(leaf("a", "INT64"), keys=own(said))))

    assert found.fields[0].metadata == {"comment": "kept"}


def test_user_defined_type_becomes_what_is_stored():
    sql_type = {"type": "struct", "fields": [field("x", "double")]}
    udt = {"type": "udt", "class": "org.example.Point", "pyClass": None, "sqlType": sql_type}
    file = parquet_file(group("a", leaf("x", "DOUBLE")), keys=own(field("a", udt)))

    assert simple_string(schema_of_footer(footer_of(file))) == "struct<a:struct<x:double>>"


@pytest.mark.parametrize(
    "said",
    [
        field("a", "interval day to second"),
        field("a", {"type": "array", "elementType": "time(6)", "containsNull": True}),
        field("a", "long", __COLLATIONS={"a": "icu.UNICODE_CI"}),
    ],
    ids=["interval", "in a list", "collation"],
)
def test_type_of_spark_that_tables_do_not_have_is_refused(said):
    stored = leaf("a", "INT64")
    if isinstance(said["type"], dict):
        stored = group("a", repeated("list", leaf("element", "INT64")), kind="LIST")

    with pytest.raises(DeltaAnalysisError) as refused:
        schema_of_footer(footer_of(parquet_file(stored, keys=own(said))))

    assert refused.value.condition == "DELTA_UNSUPPORTED_DATA_TYPES"


def test_field_ids_are_in_the_tree():
    table = pa.schema([pa.field("a", pa.int64(), metadata={"PARQUET:field_id": "7"})])
    sink = io.BytesIO()
    pq.write_table(table.empty_table(), sink)

    assert root_of(footer_of(sink.getvalue())).children[0].field_id == 7


def test_tree_holds_more_columns_than_a_short_list_can():
    columns = [leaf(f"c{number}", "INT32") for number in range(300)]

    assert len(root_of(footer_of(parquet_file(*columns))).children) == 300


def test_file_without_columns_gives_none():
    assert schema_of_footer(footer_of(parquet_file())) == StructType()


def test_equal_footers_give_the_same_object():
    schemas = FooterSchemas()
    first, second = (footer_of(parquet_file(leaf("a", "INT32"))) for _ in range(2))

    assert schemas.of(first) is schemas.of(second)


def test_footers_that_differ_in_a_group_or_in_sparks_words_are_told_apart():
    schemas = FooterSchemas()
    files = [
        parquet_file(group("s", INT)),
        parquet_file(group("t", INT)),
        parquet_file(group("l", repeated("list", INT), kind="LIST")),
        parquet_file(group("l", repeated("list", INT))),
        parquet_file(leaf("a", "INT32")),
        parquet_file(leaf("a", "INT32"), keys=own(field("a", "integer", comment="said"))),
    ]
    found = [schemas.of(footer_of(file)) for file in files]

    assert [schema_of_footer(footer_of(file)) for file in files] == found
    assert len({id(one) for one in found}) == len(files)
