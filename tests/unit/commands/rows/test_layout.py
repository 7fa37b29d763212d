"""A table's metadata with another schema."""

from dataclasses import replace

from puredelta.commands.rows.layout import spark_schema, with_schema
from puredelta.engine.session.spark_types import from_spark
from puredelta.log.actions import Format, Metadata
from puredelta.schema.datatypes import INTEGER, LONG, StructField, StructType
from puredelta.table.protocol.protocol import schema_of

TEXT = (
    '{"type":"struct","fields":[{"name":"a","type":"integer","nullable":true,'
    '"metadata":{"z":{"y":1,"x":2},"CURRENT_DEFAULT":"1","comment":"c"}}]}'
)
WIDER = (
    '{"type":"struct","fields":[{"name":"a","type":"long","nullable":true,'
    '"metadata":{"z":{"y":1,"x":2},"CURRENT_DEFAULT":"1","comment":"c",'
    '"delta.typeChanges":[{"toType":"long","fromType":"integer"}]}}]}'
)


def metadata(**configuration: str) -> Metadata:
    return Metadata(
        id="1", format=Format(), schema_string=TEXT, partition_columns=[],
        configuration={f"delta.{key}": value for key, value in configuration.items()},
    )  # fmt: skip


def test_same_schema_gives_the_same_metadata_whatever_the_order_of_keys():
    given = metadata()

    assert with_schema(given, from_spark(spark_schema(given))) is given


def test_new_column_leaves_what_the_log_says_of_the_others():
    before = schema_of(metadata())
    after = StructType((*before, StructField("b", INTEGER)))

    added = ',{"name":"b","type":"integer","nullable":true,"metadata":{}}]}'
    assert with_schema(metadata(), after).schema_string == TEXT[:-2] + added


def test_replaced_schema_keeps_the_order_of_what_the_log_says():
    data = from_spark(spark_schema(metadata()).add("b", "integer"))

    added = ',{"name":"b","type":"integer","nullable":true,"metadata":{}}]}'
    assert with_schema(metadata(), data, replaces=True).schema_string == TEXT[:-2] + added


def test_wider_type_is_told_where_the_table_widens():
    [field] = schema_of(metadata())
    wider = StructType((replace(field, data_type=LONG),))

    assert with_schema(metadata(enableTypeWidening="true"), wider).schema_string == WIDER
    assert "typeChanges" not in with_schema(metadata(), wider).schema_string
