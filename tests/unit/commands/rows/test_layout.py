"""A table's metadata with another schema."""

from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from puredelta.commands.rows.layout import spark_schema, with_schema
from puredelta.log.actions import Format, Metadata

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

    assert with_schema(given, spark_schema(given)) is given


def test_new_column_leaves_what_the_log_says_of_the_others():
    grown = with_schema(metadata(), spark_schema(metadata()).add("b", IntegerType()))

    added = ',{"name":"b","type":"integer","nullable":true,"metadata":{}}]}'
    assert grown.schema_string == TEXT[:-2] + added


def test_wider_type_is_told_where_the_table_widens():
    field = spark_schema(metadata())["a"]
    wider = StructType([StructField("a", LongType(), metadata=field.metadata)])

    assert with_schema(metadata(enableTypeWidening="true"), wider).schema_string == WIDER
    assert "typeChanges" not in with_schema(metadata(), wider).schema_string
