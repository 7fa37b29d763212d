"""Filters of real plans as conditions: what an expression's JSON does not tell is asked for."""

import pytest

from puredelta.engine.catalyst.predicates import condition_of
from puredelta.table.skipping.describe import condition_text

SCHEMA = "i INT, f FLOAT, st STRING, bi BINARY, da DATE, ts TIMESTAMP, de DECIMAL(10,2), ch CHAR(4)"
MANY_TIMES = ", ".join(f"TIMESTAMP '2020-01-{day:02} 00:00:00Z'" for day in range(1, 12))


@pytest.fixture(scope="module")
def table(spark):
    name = "filters_as_conditions"
    spark.sql(f"CREATE TABLE {name} ({SCHEMA}) USING parquet")
    yield name
    spark.sql(f"DROP TABLE {name}")


@pytest.fixture
def berlin(spark):
    spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    yield
    spark.conf.set("spark.sql.session.timeZone", "UTC")


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("i IN (1,2,3,4,5,6,7,8,9,10,11)", {"i IN", "... 6 more"}),
        (f"st IN ({', '.join(repr(str(n)) for n in range(12))})", {"st IN", "... 7 more)"}),
        ("bi = X'00FF'", {"bi = X'00FF'"}),
        ("f = 0.1F", {"f = 0.10000000149011612"}),
        ("st LIKE 'a#%b%' ESCAPE '#'", {"startswith(st, 'a%b')"}),
        ("da > DATE '2020-01-02'", {"da > DATE '2020-01-02'"}),
        (f"ts IN ({MANY_TIMES})", {"ts IN", "... 6 more"}),
    ],
)
def test_optimised_filter(spark, table, sql, wanted):
    text = optimised(spark, table, sql)

    assert all(part in text for part in wanted)


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("i = 1 + 2", "i = 3"),
        ("de > 10", "de > 10.00"),
        ("da = '2020-01-02'", "da = DATE '2020-01-02'"),
        ("ch = 'ab'", "ch = 'ab  '"),
        ("i > rand(5)", "greaterthan(cast(i), rand(5))"),
        ("ts > current_timestamp()", "greaterthan(ts, currenttimestamp())"),
    ],
)
def test_resolved_filter(spark, table, sql, wanted):
    assert resolved(spark, table, sql) == wanted


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize("utc", ["00:30:00", "01:30:00"])
def test_hour_that_the_clock_shows_twice(spark, table, utc):
    text = optimised(spark, table, f"ts = TIMESTAMP '2020-10-25 {utc}Z'")

    assert f"ts = TIMESTAMP '2020-10-25 {utc}Z'" in text


def test_null_in_a_long_list_is_told_from_its_text(spark, table):
    listed = ", ".join(repr(str(n)) for n in range(11))

    assert "... 7 more, NULL)" in optimised(spark, table, f"st IN ({listed}, 'null', NULL)")


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("_metadata.file_size > 100", 3),
        ("_metadata.file_name LIKE '%.parquet'", 3),
        ("_metadata.row_index = 2", 1),
        ("file_size > 100", 0),
        ("file_name = 'x' AND file_size = 1", 1),
    ],
)
def test_columns_with_the_names_of_file_metadata(spark, tmp_path, sql, rows):
    frame = spark.range(3).selectExpr("id AS file_size", "'x' AS file_name", "-1 AS row_index")
    frame.coalesce(1).write.format("delta").save(str(tmp_path))

    assert spark.read.format("delta").load(str(tmp_path)).where(sql).count() == rows


def optimised(spark, table, sql):
    return text_of(spark.table(table).where(sql)._jdf.queryExecution().optimizedPlan())


def resolved(spark, table, sql):
    return text_of(spark.table(table).where(sql)._jdf.queryExecution().analyzed())


def text_of(plan):
    while plan.getClass().getSimpleName() != "Filter":
        plan = plan.children().apply(0)
    return condition_text(condition_of(plan.condition()))
