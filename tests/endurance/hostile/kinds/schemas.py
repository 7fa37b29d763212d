"""Schemas that are none, and such as are strange: names, types, depth, metadata."""

from typing import Any

from tests.endurance.hostile.edits import fields, raw_field, rewrite, schema, setting
from tests.endurance.hostile.kind import Change, Kinds

KINDS = Kinds("schemas")


def _text(text: str) -> Change:
    return fields("metaData", schemaString=text)


def _column(at: int, **values: Any) -> Change:
    def edit(plain: dict[str, Any]) -> None:
        plain["fields"][at].update(values)

    return schema(edit)


def _more(*names: str, kind: Any = "string", **values: Any) -> Change:
    def edit(plain: dict[str, Any]) -> None:
        for name in names:
            plain["fields"].append(
                {"name": name, "type": kind, "nullable": True, "metadata": {}, **values}
            )

    return schema(edit)


def _array(depth: int) -> str:
    return '{"containsNull":true,"type":"array","elementType":' * depth + '"long"' + "}" * depth


def _nested(depth: int) -> Change:
    return _text(
        '{"type":"struct","fields":[{"name":"id","nullable":true,"metadata":{},"type":'
        + _array(depth)
        + "}]}"
    )


_WIDE = [{"name": f"c{n}", "type": "long", "nullable": True, "metadata": {}} for n in range(300)]

KINDS.refused("schema_of_nothing", _text(""))
KINDS.refused("schema_of_garbage", _text("{garbage"))
KINDS.refused("schema_of_null", _text("null"))
KINDS.refused("schema_of_an_array", _text("[]"))
KINDS.refused("schema_of_a_type", _text('"long"'))
KINDS.refused("schema_of_an_empty_object", _text("{}"))
KINDS.refused("schema_without_fields", _text('{"type":"struct"}'))
KINDS.refused("schema_of_fields_of_null", _text('{"type":"struct","fields":null}'))
KINDS.refused("schema_of_fields_in_an_object", _text('{"type":"struct","fields":{"a":1}}'))
KINDS.refused("schema_of_fields_in_text", _text('{"type":"struct","fields":"abc"}'))
KINDS.unknown("schema_of_no_fields", _text('{"type":"struct","fields":[]}'))
KINDS.refused("schema_of_depth", _text("[" * 300_000))
KINDS.refused("schema_of_deep_types", _nested(50_000))
KINDS.refused("schema_of_a_thousand_levels", _nested(1_000))
KINDS.unknown("schema_of_ninety_levels", _nested(90))
KINDS.refused(
    "schema_of_deep_metadata",
    _text(
        '{"type":"struct","fields":[{"name":"id","nullable":true,"type":"long","metadata":{"a":'
        + "[" * 100_000
        + "]" * 100_000
        + "}}]}"
    ),
)
KINDS.unknown(
    "schema_of_some_depth_of_metadata",
    _text(
        '{"type":"struct","fields":[{"name":"id","nullable":true,"type":"long","metadata":{"a":'
        + "[" * 900
        + "]" * 900
        + "}}]}"
    ),
)
KINDS.unknown("schema_of_hundreds_of_columns", schema(lambda plain: {**plain, "fields": _WIDE}))
KINDS.refused("schema_that_is_an_object", fields("metaData", schemaString={"type": "struct"}))
KINDS.refused("field_without_name", _column(0, name=None))
KINDS.refused("field_of_a_name_of_a_number", _column(0, name=7))
KINDS.unknown("field_of_no_name", _column(0, name=""))
KINDS.refused("field_without_type", _column(0, type=None))
KINDS.either("field_of_nullable_in_text", _column(0, nullable="yes"))
KINDS.either("field_of_nullable_of_null", _column(0, nullable=None))
KINDS.either("field_of_nullable_in_a_list", _column(0, nullable=[1]))
KINDS.refused("field_of_metadata_in_a_list", _column(0, metadata=[1]))
KINDS.sound("field_of_metadata_of_null", _column(0, metadata=None))
KINDS.sound(
    "field_of_strange_metadata",
    _column(
        0,
        metadata={
            "": None,
            "comment": 7,
            "delta.columnMapping.id": "x",
            "delta.columnMapping.physicalName": [],
            "delta.invariants": 9,
            "delta.generationExpression": 3,
            "CURRENT_DEFAULT": {"a": 1},
            "__CHAR_VARCHAR_TYPE_STRING": 17,
            "delta.typeChanges": "x",
        },
    ),
)
KINDS.either(
    "field_of_strange_text_metadata",
    _column(
        1,
        metadata={
            "delta.invariants": "{",
            "delta.typeChanges": [{"fromType": 1}],
            "comment": "\0\x1b[2J",
            "__CHAR_VARCHAR_TYPE_STRING": "varchar(99999999999999999999)",
        },
    ),
)
KINDS.either("field_of_no_length", _column(1, metadata={"__CHAR_VARCHAR_TYPE_STRING": "char(-1)"}))
KINDS.either(
    "field_of_a_huge_length",
    _column(1, metadata={"__CHAR_VARCHAR_TYPE_STRING": "char(2000000000)"}),
)
KINDS.refused("type_of_another_name", _column(0, type="interval"))
KINDS.refused("type_of_a_class", _column(0, type="java.lang.Runtime"))
KINDS.refused("type_of_no_name", _column(0, type=""))
KINDS.refused("type_of_control_characters", _column(0, type="\0\n\x1b"))
KINDS.refused("type_of_a_long_name", _column(0, type="x" * 10**6))
KINDS.refused("type_of_an_object", _column(0, type={"type": {"type": "struct"}}))
KINDS.refused("type_of_a_number", _column(0, type=3))
KINDS.refused("type_of_an_unknown_object", _column(0, type={"type": "future"}))
KINDS.refused("decimal_of_many_digits", _column(2, type="decimal(999,2)"))
KINDS.refused("decimal_of_huge_digits", _column(2, type="decimal(999999999,999999999)"))
KINDS.refused("decimal_of_no_digits", _column(2, type="decimal(0,0)"))
KINDS.refused("decimal_of_negative_scale", _column(2, type="decimal(10,-5)"))
KINDS.refused("decimal_of_more_scale_than_digits", _column(2, type="decimal(5,10)"))
KINDS.either("decimal_for_a_double", _column(2, type="decimal(10,2)"))
KINDS.refused("array_without_element", _column(1, type={"type": "array"}))
KINDS.either(
    "array_of_nullable_in_text",
    _column(1, type={"type": "array", "elementType": "long", "containsNull": "yes"}),
)
KINDS.refused(
    "array_of_an_array_of_types",
    _column(1, type={"type": "array", "elementType": ["long"], "containsNull": True}),
)
KINDS.refused(
    "map_without_key",
    _column(1, type={"type": "map", "valueType": "long", "valueContainsNull": True}),
)
KINDS.refused(
    "map_of_map_keys",
    _column(
        1,
        type={
            "type": "map",
            "keyType": {
                "type": "map",
                "keyType": "long",
                "valueType": "long",
                "valueContainsNull": True,
            },
            "valueType": "long",
            "valueContainsNull": True,
        },
    ),
)
KINDS.refused(
    "struct_for_a_long",
    _column(
        0,
        type={
            "type": "struct",
            "fields": [{"name": "a", "type": "long", "nullable": True, "metadata": {}}],
        },
    ),
)
KINDS.refused("struct_without_fields_for_a_long", _column(0, type={"type": "struct", "fields": []}))
KINDS.refused("text_for_a_long", _column(0, type="string"))
KINDS.refused("binary_for_a_long", _column(0, type="binary"))
KINDS.either("date_for_a_long", _column(0, type="date"))
KINDS.either("timestamp_for_a_long", _column(0, type="timestamp"))
KINDS.either("boolean_for_a_long", _column(0, type="boolean"))
KINDS.either("byte_for_a_long", _column(0, type="byte"))
KINDS.either("float_for_a_double", _column(2, type="float"))
KINDS.either("double_for_a_long", _column(0, type="double"))
KINDS.unknown("void_for_a_long", _column(0, type="void"))
KINDS.either("long_for_text", _column(1, type="long"))
KINDS.either("variant_for_text", _column(1, type="variant"))
KINDS.refused(
    "class_for_a_long",
    _column(
        0,
        type={
            "type": "udt",
            "class": "java.lang.Runtime",
            "pyClass": "os.system",
            "sqlType": "string",
        },
    ),
)
KINDS.sound(
    "class_over_a_long",
    _column(
        0,
        type={
            "type": "udt",
            "class": "evil.Class",
            "pyClass": "antigravity.Type",
            "serializedClass": "gASVAAAA",
            "sqlType": "long",
        },
    ),
)
KINDS.refused("class_without_type", _column(0, type={"type": "udt", "pyClass": "os.system"}))
KINDS.sound(
    "class_of_other_values",
    _column(0, type={"type": "udt", "class": [1], "pyClass": {"a": 1}, "sqlType": "long"}),
)
KINDS.sound(
    "class_of_a_loaded_module",
    _column(0, type={"type": "udt", "pyClass": "subprocess.Popen", "sqlType": "long"}),
)
KINDS.sound(
    "class_in_escapes",
    raw_field(
        "metaData",
        "schemaString",
        (
            r'"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":{\"type\":\"\\u0075dt\",'
            r"\"pyClass\":\"os.system\",\"sqlType\":\"long\"},\"nullable\":true,\"metadata\":{}},"
            r"{\"name\":\"name\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},"
            r"{\"name\":\"price\",\"type\":\"double\",\"nullable\":true,\"metadata\":{}},"
            r'{\"name\":\"day\",\"type\":\"date\",\"nullable\":true,\"metadata\":{}}]}"'
        ),
    ),
)
KINDS.either("names_twice", _more("id"))
KINDS.either("names_twice_in_another_case", _more("ID", "Name"))
KINDS.unknown("names_twice_that_are_new", _more("new", "NEW"))
KINDS.unknown("names_of_quotes", _more("`", "``a", '"', "'", "a.b", ".", "..", "a`.`b"))
KINDS.unknown("names_of_controls", _more("\0", "\n", "\x1b[2J", "\r", "\x7f"))
KINDS.unknown("names_of_sql", _more("x; DROP TABLE t --", "/* a", "' OR 1=1", "*", "${spark.a}"))
KINDS.unknown("names_of_paths", _more("../../a", "/etc/passwd", "a/b", "%2e%2e", "C:\\x"))
KINDS.unknown("names_of_length", _more("x" * 100_000))
KINDS.unknown("names_of_metadata_columns", _more("_metadata", "_change_type", "_commit_version"))
KINDS.unknown("names_of_python", _more("__class__", "__dict__", "self", "None", "{0}", "%s"))
KINDS.either(
    "names_of_surrogates",
    raw_field(
        "metaData",
        "schemaString",
        (
            r'"{\"type\":\"struct\",\"fields\":[{\"name\":\"\\ud800\",\"type\":\"long\",'
            r'\"nullable\":true,\"metadata\":{}}]}"'
        ),
    ),
)
KINDS.either(
    "schema_of_raw_surrogates",
    raw_field(
        "metaData",
        "schemaString",
        (
            r'"{\"type\":\"struct\",\"fields\":[{\"name\":\"\ud800\",\"type\":\"long\",'
            r'\"nullable\":true,\"metadata\":{}}]}"'
        ),
    ),
)
KINDS.either(
    "metadata_of_surrogates",
    raw_field(
        "metaData",
        "schemaString",
        (
            r'"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",'
            r'\"nullable\":true,\"metadata\":{\"comment\":\"\\udcff\"}}]}"'
        ),
    ),
)
KINDS.unknown("columns_that_files_lack", _more("new"))
KINDS.unknown("columns_that_must_not_be_null", _more("new", nullable=False))
KINDS.unknown("columns_of_structs_of_nothing", _more("s", kind={"type": "struct", "fields": []}))

KINDS.refused("partitioned_by_nothing", fields("metaData", partitionColumns=["nothing"]))
KINDS.unknown(
    "partitioned_by_all", fields("metaData", partitionColumns=["id", "name", "price", "day"])
)
KINDS.either(
    "partitioned_twice", fields("metaData", partitionColumns=["day", "day"]), table="partitioned"
)
KINDS.either(
    "partitioned_in_another_case", fields("metaData", partitionColumns=["DAY"]), table="partitioned"
)
KINDS.refused("partitioned_by_a_number", fields("metaData", partitionColumns=[7]))
KINDS.refused("partitioned_by_null", fields("metaData", partitionColumns=None))
KINDS.unknown(
    "partitioned_by_a_struct",
    fields("metaData", partitionColumns=["s"]),
    _more("s", kind={"type": "struct", "fields": []}),
)
KINDS.unknown("partitioned_by_a_field", fields("metaData", partitionColumns=["s.a"]), _more("s.a"))
KINDS.refused("metadata_without_id", fields("metaData", id=...))
KINDS.sound("metadata_of_a_strange_id", fields("metaData", id="../../\0\x1b"))
KINDS.sound(
    "metadata_of_a_strange_name", fields("metaData", name="`;--\0", description="\x1b[2J<script>")
)
KINDS.sound("metadata_of_the_last_time", fields("metaData", createdTime=2**63 - 1))
KINDS.sound("metadata_of_the_first_time", fields("metaData", createdTime=-(2**63)))
KINDS.either("metadata_of_another_format", fields("metaData", format={"provider": "orc"}))
KINDS.either(
    "metadata_of_a_class_as_format",
    fields("metaData", format={"provider": "org.evil.Source", "options": {"path": "/etc/passwd"}}),
)
KINDS.refused("metadata_of_a_format_in_text", fields("metaData", format="parquet"))
KINDS.refused("metadata_of_settings_in_a_list", fields("metaData", configuration=[]))
KINDS.refused("metadata_of_settings_of_numbers", fields("metaData", configuration={"a": 1}))
KINDS.refused("metadata_of_settings_of_null", fields("metaData", configuration={"a": None}))
KINDS.sound("metadata_of_strange_settings", setting("\0\n\x1b'`", "\0\n\x1b'`"))
KINDS.sound(
    "metadata_of_many_settings",
    rewrite(
        "metaData",
        lambda action: {**action, "configuration": {f"k{n}": "v" * 100 for n in range(5000)}},
    ),
)
KINDS.either("mapping_of_another_mode", setting("delta.columnMapping.mode", "future"))
KINDS.either("mapping_of_ids_that_are_not_there", setting("delta.columnMapping.mode", "id"))
KINDS.either("mapping_of_names_that_are_not_there", setting("delta.columnMapping.mode", "name"))


def _mapped(**values: Any) -> Change:
    def edit(plain: dict[str, Any]) -> None:
        for field in plain["fields"]:
            field["metadata"].update({k.replace("__", "."): v for k, v in values.items()})

    return schema(edit)


KINDS.either(
    "mapping_of_one_name_for_all",
    _mapped(delta__columnMapping__physicalName="same"),
    table="mapped",
)
KINDS.either("mapping_of_one_id_for_all", _mapped(delta__columnMapping__id=1), table="mapped")
KINDS.either("mapping_of_ids_in_text", _mapped(delta__columnMapping__id="1"), table="mapped")
KINDS.unknown("mapping_of_huge_ids", _mapped(delta__columnMapping__id=2**70), table="mapped")
KINDS.unknown("mapping_of_negative_ids", _mapped(delta__columnMapping__id=-1), table="mapped")
KINDS.either(
    "mapping_of_names_of_numbers", _mapped(delta__columnMapping__physicalName=7), table="mapped"
)
KINDS.either("mapping_of_no_names", _mapped(delta__columnMapping__physicalName=""), table="mapped")
KINDS.unknown(
    "mapping_of_paths", _mapped(delta__columnMapping__physicalName="../../x"), table="mapped"
)
KINDS.either(
    "mapping_of_a_strange_maximum",
    setting("delta.columnMapping.maxColumnId", "9" * 5000),
    table="mapped",
)
KINDS.unknown(
    "type_changes_of_garbage",
    _column(
        0,
        metadata={
            "delta.typeChanges": [
                {"fromType": "decimal(999,1)", "toType": "\0", "tableVersion": "x", "fieldPath": 7},
                3,
                None,
            ]
        },
    ),
)
