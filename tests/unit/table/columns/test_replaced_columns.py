"""REPLACE COLUMNS: what the old columns become, and what files could not follow."""

import pytest

from puredelta.schema.datatypes import INTEGER, STRING, ArrayType, MapType, StructField, StructType
from puredelta.table.columns.replaced_columns import merged_columns


def one(data_type):
    return StructType((StructField("a", data_type),))


@pytest.mark.parametrize(
    ("there", "wanted", "path"),
    [
        (ArrayType(INTEGER), ArrayType(INTEGER, contains_null=False), "a.element"),
        (
            MapType(STRING, INTEGER),
            MapType(STRING, INTEGER, value_contains_null=False),
            "a.value",
        ),
        (
            one(INTEGER),
            StructType((StructField("a", INTEGER, nullable=False),)),
            "a.a",
        ),
    ],
)
def test_nulls_that_files_may_hold_stay_allowed(there, wanted, path):
    _, found = merged_columns(one(there), one(wanted), widening=False)

    assert found.refused is not None
    assert found.refused.parameters["dataType"] == path
