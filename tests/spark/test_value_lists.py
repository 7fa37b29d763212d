"""Conditions on many values that Spark gets at once."""

import pytest
from pyspark.sql.types import DateType, IntegerType, LongType, StringType

from puredelta.engine.catalyst.in_lists import is_in_list
from puredelta.engine.catalyst.plan_rebinding import resolved_condition


def expression(rows, name):
    return resolved_condition(rows, rows[name].isNotNull()).child()


@pytest.mark.parametrize(
    ("kind", "values", "found"),
    [
        (LongType(), [3, -(2**63), 2**63 - 1], ["3"]),
        (IntegerType(), [-(2**31), 4, 2**31 - 1], ["4"]),
        (StringType(), ["5", 'a"b', "ä;--", ""], ["5"]),
    ],
)
def test_rows_with_one_of_the_values_are_found(spark, kind, values, found):
    rows = spark.range(10).selectExpr(f"cast(id AS {kind.simpleString()}) AS k")

    condition = is_in_list(spark, expression(rows, "k"), kind, values)

    assert [str(row.k) for row in rows.where(condition).collect()] == found


@pytest.mark.parametrize(
    ("kind", "value"),
    [(StringType(), "it's"), (StringType(), "a\\b"), (StringType(), "${x}"), (DateType(), 3)],
)
def test_what_has_no_plain_text_is_told_in_another_way(spark, kind, value):
    assert is_in_list(spark, None, kind, [value]) is None
