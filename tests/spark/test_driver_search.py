"""Rows that the driver finds for a condition: the very ones that Spark finds."""

import pytest
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta.commands.dml.dml_target import dml_target_of
from puredelta.commands.dml.driver_search import find_on_driver
from puredelta.commands.dml.row_condition import row_condition
from puredelta.commands.table_ref import TableRef
from puredelta.engine.dml.affected_rows import find_affected_rows, with_row_positions
from puredelta.engine.session.context import context_of
from puredelta.settings import SEARCH_ON_DRIVER

ROWS = """SELECT if(id % 7 = 0, null, cast(id AS INT)) AS i, id AS l, cast(id % 5 AS TINYINT) AS b,
    cast(id / 4 AS DECIMAL(8,2)) AS c, if(id = 3, float('NaN'), float(id / 8)) AS f,
    if(id = 4, double('NaN'), if(id % 3 = 0, null, -0.0D)) AS d, id % 2 = 0 AS flag,
    if(id % 4 = 0, null, concat(char(96 + id % 9), 'ä', id % 3)) AS s,
    cast(cast(id % 4 AS STRING) AS BINARY) AS bytes, date '2026-01-01' + cast(id AS INT) AS day,
    timestamp '2026-03-29 01:00:00' + make_interval(0, 0, 0, 0, cast(id AS INT)) AS at,
    timestamp_ntz '2026-01-01 00:00:00' + make_interval(0, 0, 0, cast(id AS INT)) AS ntz,
    named_struct('x', id) AS inner, cast(id % 3 AS STRING) AS p FROM range(0, 60, 1, 2)"""

BY_DRIVER = [
    "i = 5",
    "i <> 5",
    "NOT (i > 20)",
    "i <=> null",
    "NOT (i <=> 5)",
    "i IS NULL OR b = 2",
    "l BETWEEN 10 AND 20",
    "l IN (1, 2, 999, null)",
    "l NOT IN (1, 2, 3)",
    "i IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)",
    "b = 3L",
    "i > 5.5",
    "c = 2",
    "c > 3.25BD",
    "f > 6.9F",
    "d > -1.5",
    "flag",
    "NOT flag AND b < 2",
    "s = 'bä2'",
    "s > 'c'",
    "s LIKE 'd%'",
    "s IS NOT NULL AND NOT s LIKE 'd%'",
    "bytes = cast('2' AS BINARY)",
    "day = '2026-01-09'",
    "day > date '2026-02-01' AND day < date '2026-02-10'",
    "at >= '2026-03-29 03:30:00'",
    "ntz = timestamp_ntz '2026-01-04 00:00:00'",
    "p = '1' AND i < 30",
    "p = '1' OR i < 10",
    "p IN ('0', '2') AND s IS NULL",
    "coalesce(i = 5, false)",
    "if(i = 5, true, false)",
    "(i = 5) IS NULL",
]
BY_SPARK = [
    "i % 2 = 0",
    "i = b",
    "upper(s) = 'BÄ1'",
    "s LIKE '%1'",
    "inner.x = 5",
    "year(day) = 2026 AND i = 4",
    "_metadata.row_index = 3",
    "f = float('NaN')",
    "d = 0.0",
    "d >= 0",
    "p || s = '1bä2'",
    "i IN (SELECT 5)",
    "i = 4 OR true",
]


@pytest.fixture(scope="module", params=["plain", "partitioned"])
def table(spark, tmp_path_factory, request):
    path = str(tmp_path_factory.mktemp("found") / "t")
    by = "PARTITIONED BY (p)" if request.param == "partitioned" else ""
    spark.sql(f"""CREATE TABLE delta.`{path}` USING delta {by}
        TBLPROPERTIES ('delta.enableDeletionVectors' = 'true') AS {ROWS}""")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE l IN (6, 9, 22)")
    return TableRef(root=f"file:{path}")


def searched(spark, table, text):
    """Return what the search in the driver is given, and what Spark finds."""
    rows = spark.read.format("delta").load(table.root)
    subject = dml_target_of(context_of(spark), table, rows)
    files = subject.before.files
    condition = row_condition(subject, F.expr(text))
    filtered = subject.named(files).where(condition.column)
    found = find_affected_rows(with_row_positions(filtered), files, table.root)
    return (subject, filtered, files), found


@pytest.mark.parametrize("text", BY_DRIVER)
def test_driver_finds_what_spark_finds(spark, table, text):
    given, by_spark = searched(spark, table, text)
    by_driver = find_on_driver(*given)
    assert by_driver is not None
    assert by_driver.rows == by_spark.rows
    assert by_driver.files["path"].to_pylist() == by_spark.files["path"].to_pylist()
    assert by_driver.count


@pytest.mark.parametrize("text", BY_SPARK)
def test_other_conditions_are_left_to_spark(spark, table, text):
    given, by_spark = searched(spark, table, text)
    by_driver = find_on_driver(*given)
    assert by_driver is None or by_driver.rows == by_spark.rows
    if not text.startswith("year"):
        assert by_driver is None


def test_search_is_bounded_by_a_setting(spark, table):
    spark.conf.set(SEARCH_ON_DRIVER, "59")
    try:
        given, _ = searched(spark, table, "i = 4")
        assert find_on_driver(*given) is None
    finally:
        spark.conf.unset(SEARCH_ON_DRIVER)
    given, _ = searched(spark, table, "i = 4")
    assert find_on_driver(*given) is not None


def test_a_view_names_columns_otherwise(spark, tmp_path):
    spark.sql(f"CREATE TABLE delta.`{tmp_path}/t` (a INT, b INT) USING delta")
    spark.sql(f"INSERT INTO delta.`{tmp_path}/t` VALUES (1, 2), (2, 1), (3, 3)")
    spark.sql(f"CREATE TEMP VIEW turned AS SELECT b AS a, a AS b FROM delta.`{tmp_path}/t`")

    spark.sql("DELETE FROM turned WHERE a = 2")

    left = spark.read.format("delta").load(f"{tmp_path}/t").collect()
    assert sorted(map(tuple, left)) == [(2, 1), (3, 3)]
