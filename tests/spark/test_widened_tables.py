"""Tables whose columns were widened by ALTER TABLE: old files and old statistics stay right."""

from __future__ import annotations

import pytest

from puredelta import DeltaTable
from puredelta.engine.exceptions import DeltaAnalysisException

KINDS = [
    ("TINYINT", "SMALLINT", "127Y", "300S"),
    ("TINYINT", "DOUBLE", "-128Y", "0.5D"),
    ("SMALLINT", "BIGINT", "7S", "3000000000"),
    ("INT", "BIGINT", "2147483647", "2147483648"),
    ("INT", "DOUBLE", "2147483647", "2147483647.5D"),
    ("INT", "DECIMAL(14,4)", "-7", "-7.0001BD"),
    ("BIGINT", "DECIMAL(20,0)", "9223372036854775807", "9223372036854775808BD"),
    ("FLOAT", "DOUBLE", "1.1F", "1.1D"),
    ("DECIMAL(5,2)", "DECIMAL(12,4)", "123.45BD", "123.4501BD"),
    ("DATE", "TIMESTAMP_NTZ", "DATE'2020-02-29'", "TIMESTAMP_NTZ'2020-02-29 00:00:01'"),
]


@pytest.fixture(scope="module", params=KINDS, ids=[f"{old}_to_{new}" for old, new, _, _ in KINDS])
def widened(spark, tmp_path_factory, request):
    """A table with a file from before and a file from after the change, and the two values."""
    old, new, early, late = request.param
    path = str(tmp_path_factory.mktemp("widened") / "t")
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id INT, v {old}, s STRUCT<w: {old}>, l ARRAY<{old}>,"
        f" m MAP<STRING, {old}>) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true',"
        " 'delta.feature.timestampNtz' = 'supported')"
    )
    row = "SELECT {0}, {1}, named_struct('w', {1}), array({1}), map('k', {1})"
    spark.sql(f"INSERT INTO delta.`{path}` {row.format(1, early)}")
    for column in ("v", "s.w", "l.element", "m.value"):
        spark.sql(f"ALTER TABLE delta.`{path}` ALTER COLUMN {column} TYPE {new}")
    spark.sql(f"INSERT INTO delta.`{path}` {row.format(2, late)}")
    return f"delta.`{path}`", new, early, late


def ids(spark, table, condition):
    return sorted(
        row.id for row in spark.sql(f"SELECT id FROM {table} WHERE {condition}").collect()
    )


@pytest.mark.parametrize("column", ["v", "s.w", "l[0]", "m['k']"])
def test_filters_find_old_and_new_values(spark, widened, column):
    table, new, early, late = widened
    old, young = f"CAST({early} AS {new})", f"CAST({late} AS {new})"
    is_rising = spark.sql(f"SELECT {old} < {young}").first()[0]
    first, last = ([1], [2]) if is_rising else ([2], [1])

    assert ids(spark, table, f"{column} = {old}") == [1]
    assert ids(spark, table, f"{column} = {young}") == [2]
    assert ids(spark, table, f"{column} < greatest({old}, {young})") == first
    assert ids(spark, table, f"{column} > least({old}, {young})") == last
    assert ids(spark, table, f"{column} IN ({old}, {young})") == [1, 2]


def test_bounds_from_the_log_are_those_of_the_rows(spark, widened):
    table, _, _, _ = widened
    told = spark.sql(f"SELECT min(v), max(v), min(s.w), count(*) FROM {table}").first()
    values = spark.sql(f"SELECT v FROM {table} WHERE rand() >= 0").collect()

    assert told[0] == min(row.v for row in values)
    assert told[1] == max(row.v for row in values)
    assert (told[2], told[3]) == (told[0], 2)


def test_constraint_over_old_statistics_is_not_proven_too_early(spark, widened):
    table, new, early, late = widened
    middle = f"least(CAST({early} AS {new}), CAST({late} AS {new}))"
    with pytest.raises(DeltaAnalysisException) as raised:
        spark.sql(f"ALTER TABLE {table} ADD CONSTRAINT c CHECK (v <= {middle})")
    assert raised.value.getCondition() == "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"

    spark.sql(f"ALTER TABLE {table} ADD CONSTRAINT d CHECK (v >= {middle})")


def test_rows_move_to_new_files_as_they_are(spark, widened):
    table, _, _, _ = widened
    before = sorted(map(str, spark.table(table).collect()))
    path = table.removeprefix("delta.").strip("`")
    frame = spark.sql(f"SELECT * FROM {table} WHERE id = 2")
    DeltaTable.forPath(spark, path).replace_where(frame, "id = 2")
    spark.sql(f"INSERT INTO {table} REPLACE WHERE id > 5 SELECT * FROM {table} WHERE id > 5")

    assert sorted(map(str, spark.table(table).collect())) == before


def test_older_versions_have_the_older_type(spark, widened):
    table, _, early, _ = widened
    then = spark.sql(f"SELECT v, s.w FROM {table} VERSION AS OF 1")

    assert then.first()[0] == spark.sql(f"SELECT {early}").first()[0]
    assert then.schema["v"].dataType != spark.table(table).schema["v"].dataType


def test_partitions_keep_their_values(spark, tmp_path):
    table = f"delta.`{tmp_path / 'p'}`"
    spark.sql(
        f"CREATE TABLE {table} (id INT, p TINYINT, d DATE) USING delta PARTITIONED BY (p, d)"
        " TBLPROPERTIES ('delta.enableTypeWidening' = 'true',"
        " 'delta.feature.timestampNtz' = 'supported')"
    )
    spark.sql(f"INSERT INTO {table} VALUES (1, 7, DATE'2020-01-02'), (2, NULL, NULL)")
    for column, kind in [("p", "INT"), ("d", "TIMESTAMP_NTZ"), ("p", "DECIMAL(12,2)")]:
        spark.sql(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE {kind}")
    spark.sql(f"INSERT INTO {table} VALUES (3, 7, TIMESTAMP_NTZ'2020-01-02 00:00:01')")
    spark.sql(f"INSERT INTO {table} VALUES (4, 7.25, DATE'2020-01-02')")

    assert ids(spark, table, "p = 7") == [1, 3]
    assert ids(spark, table, "p > 7") == [4]
    assert ids(spark, table, "d = TIMESTAMP_NTZ'2020-01-02 00:00:00'") == [1, 4]
    assert ids(spark, table, "d > TIMESTAMP_NTZ'2020-01-02 00:00:00'") == [3]
    assert ids(spark, table, "p IS NULL") == [2]
    assert spark.sql(f"SELECT count(*), max(id) FROM {table} WHERE p = 7").first()[:] == (2, 3)
    grouped = spark.sql(f"SELECT p, count(*) FROM {table} GROUP BY p").collect()
    assert sorted((str(row[0]), row[1]) for row in grouped) == [
        ("7.00", 2),
        ("7.25", 1),
        ("None", 1),
    ]
    spark.sql(f"INSERT INTO {table} REPLACE WHERE p = 7 SELECT 9, 7, DATE'2020-01-02'")
    assert ids(spark, table, "true") == [2, 4, 9]
