"""The schema of the table that files become."""

from puredelta.conversion.table_schema import construct_table_schema
from puredelta.schema.datatypes import DATE, LONG, STRING, DataType, StructField, StructType


def schema(**types: DataType) -> StructType:
    return StructType(tuple(StructField(name, one) for name, one in types.items()))


def test_partition_columns_come_after_those_of_the_files():
    assert construct_table_schema(schema(a=LONG), schema(p=DATE, q=STRING)) == schema(
        a=LONG, p=DATE, q=STRING
    )


def test_partition_column_that_is_in_the_files_keeps_its_place_and_gets_the_partitions_type():
    partitions = StructType((StructField("P", DATE, nullable=False),))
    found = construct_table_schema(schema(p=STRING, a=LONG), partitions)

    assert found.fields == (partitions.fields[0], StructField("a", LONG))


def test_columns_of_the_catalog_stand_in_for_those_of_the_files():
    found = construct_table_schema(schema(a=STRING, z=LONG), schema(p=DATE), schema(a=LONG))

    assert found == schema(a=LONG, p=DATE)
