"""Filters on base columns read only the partitions that can have their rows, and lose none."""

import re

import pytest
from msgspec import to_builtins
from pyroaring import BitMap64

from puredelta import DeltaTable
from puredelta.engine.catalyst.partition_expressions import partition_expression
from puredelta.schema.codec import schema_from_json
from puredelta.schema.datatypes import DATE, LONG, TIMESTAMP
from puredelta.table.deletion_vectors.vectors import inline
from puredelta.table.generated_filters.expressions import Call, Cast
from puredelta.table.skipping.predicate import Column
from tests.spark.hand_made import adds_of, allow, commit

DERIVES = "spark.databricks.delta.generatePartitionFilters"
ZONE = "spark.sql.session.timeZone"


@pytest.fixture(autouse=True)
def restored(spark):
    """Leave the session as it was."""
    before = spark.conf.get(ZONE)
    yield
    spark.conf.set(ZONE, before)
    spark.conf.unset(DERIVES)


def filters_of(spark, table, condition):
    """The partition filters in a plan, as EXPLAIN FORMATTED shows them; '' when there are none."""
    text = spark.sql(f"EXPLAIN FORMATTED SELECT * FROM {table} WHERE {condition}").first()[0]
    found = re.search(r"^PartitionFilters: \[(.*)\]$", text, re.MULTILINE)
    return re.sub(r"#\d+L?", "", found[1]) if found else ""


def rows(spark, table, condition):
    found = spark.table(table).where(condition).collect()
    return sorted(map(str, found))


def same_rows(spark, table, condition):
    """Return the rows of a query, the same with derived filters and without."""
    spark.conf.set(DERIVES, "false")
    assert "isnull(p_" not in filters_of(spark, table, condition)
    expected = rows(spark, table, condition)
    spark.conf.set(DERIVES, "true")
    assert rows(spark, table, condition) == expected
    return expected


# ------------------------------------------------------------------------------ points in time

INSTANTS = (
    "2024-03-10 06:59:59.999999Z",
    "2024-03-10 07:00:00Z",
    "2024-11-03 05:30:00Z",
    "2024-11-03 06:30:00Z",
    "2024-11-04 04:59:59Z",
    "2024-11-04 05:00:00Z",
    "2023-12-31 23:30:00Z",
    "2024-01-01 00:30:00Z",
    "2024-02-29 12:00:00Z",
    "2011-12-30 09:59:59Z",
    "2011-12-30 10:00:00Z",
    "1969-12-31 23:59:59.999999Z",
    "1500-01-01 00:00:00Z",
)
TIME_FORMS = {
    "p_date DATE": "CAST(ts AS DATE)",
    "p_y INT": "YEAR(ts)",
    "p_m INT": "MONTH(ts)",
    "p_d INT": "DAY(ts)",
    "p_h INT": "HOUR(ts)",
    "p_month STRING": "DATE_FORMAT(ts, 'yyyy-MM')",
    "p_hour STRING": "DATE_FORMAT(ts, 'yyyy-MM-dd-HH')",
    "p_week TIMESTAMP": "DATE_TRUNC('WEEK', ts)",
    "p_quarter DATE": "TRUNC(ts, 'QUARTER')",
    "p_same TIMESTAMP": "s.ts",
}


@pytest.fixture(scope="module")
def times(spark, tmp_path_factory) -> str:
    """Each instant, written in three time zones: a partition by all forms at once."""
    table = f"delta.`{tmp_path_factory.mktemp('times')}/t`"
    before = spark.conf.get(ZONE)
    columns = ", ".join(f"{name} GENERATED ALWAYS AS ({text})" for name, text in TIME_FORMS.items())
    names = ", ".join(name.split()[0] for name in TIME_FORMS)
    spark.sql(
        f"CREATE TABLE {table} (id STRING, ts TIMESTAMP, s STRUCT<ts: TIMESTAMP>, {columns})"
        f" USING delta PARTITIONED BY ({names})"
    )
    values = ", ".join(f"(TIMESTAMP '{one}')" for one in INSTANTS)
    for zone in ("UTC", "America/St_Johns", "Pacific/Apia"):
        spark.conf.set(ZONE, zone)
        spark.sql(
            f"INSERT INTO {table} (id, ts, s) SELECT '{zone}', ts, struct(ts)"
            f" FROM VALUES {values}, (NULL) AS v(ts)"
        )
    spark.conf.set(ZONE, before)
    return table


# How many of the instants are read, each of which is there three times.
TIME_FILTERS = [
    ("ts >= '2024-03-10 03:00:00' AND ts < '2024-03-10 04:00:00'", 1),
    ("ts < '2024-03-10 03:00:00' AND ts >= '2024-03-10'", 1),
    ("ts BETWEEN '2024-11-03 01:00:00' AND '2024-11-03 01:59:59'", 1),
    ("ts >= '2024-11-03' AND ts < '2024-11-04'", 3),
    ("'2024-11-04' <= ts", 1),
    ("ts = TIMESTAMP '2024-01-01 00:30:00Z'", 1),
    ("ts <=> TIMESTAMP '2023-12-31 23:30:00Z'", 1),
    ("ts IN (TIMESTAMP '2024-02-29 12:00:00Z', TIMESTAMP '1969-12-31 23:59:59.999999Z')", 2),
    ("ts < '1600-01-01'", 1),
    ("ts < '1600-01-01' OR ts >= '2024-11-04'", 2),
    ("CAST(ts AS DATE) = DATE '2024-11-03'", 3),
    ("YEAR(ts) = 2023", 2),
    ("ts = DATE '2024-02-29'", 0),
    ("ts IS NULL", 1),
    ("s.ts = TIMESTAMP '2011-12-30 10:00:00Z'", 1),
    ("NOT (ts > '1970-01-01')", 2),
]


@pytest.mark.parametrize(("condition", "count"), TIME_FILTERS)
def test_rows_of_three_writers_read_in_new_york(spark, times, condition, count):
    spark.conf.set(ZONE, "America/New_York")

    assert len(same_rows(spark, times, condition)) == 3 * count


@pytest.mark.parametrize("zone", ["Asia/Kathmandu", "Pacific/Apia", "-18:00"])
def test_rows_read_in_other_zones(spark, times, zone):
    spark.conf.set(ZONE, zone)

    for instant in INSTANTS[6:11:4]:
        assert len(same_rows(spark, times, f"ts = TIMESTAMP '{instant}'")) == 3


def test_all_forms_are_in_the_plan(spark, times):
    found = filters_of(spark, times, "ts >= TIMESTAMP '2024-05-01 00:00:00Z'")

    for name in ("p_date", "p_y", "p_m", "p_d", "p_h", "p_month", "p_hour", "p_week", "p_quarter"):
        assert f"isnull({name})" in found
    assert "p_same" not in found
    assert "p_date > 2024-04-30" in found
    assert "isnull(p_same)" in filters_of(spark, times, "s.ts = TIMESTAMP '2024-05-01 00:00:00Z'")


def test_null_base_reads_null_partitions(spark, times):
    table = DeltaTable.forPath(spark, times.split("`")[1])

    assert "isnull(p_month)" in filters_of(spark, times, "ts IS NULL")
    assert filters_of(spark, times, "ts IS NOT NULL") == ""
    assert table.explain_files("ts IS NULL").files == 3


# -------------------------------------------------------------------------- texts and numbers

OTHER_FORMS = {
    "p_text STRING": "SUBSTRING(s, 1, 2)",
    "p_inner STRING": "SUBSTRING(s, 2, 2)",
    "p_same STRING": "S",
    "p_long BIGINT": "CAST(i AS BIGINT)",
    "p_small SMALLINT": "TRY_CAST(i AS SMALLINT)",
    "p_day DATE": "`d d`",
    "p_first DATE": "TRUNC(`d d`, 'MM')",
    "p_year INT": "YEAR(`d d`)",
    "p_text_of_day STRING": "DATE_FORMAT(`d d`, 'yyyy-MM')",
}


@pytest.fixture(scope="module")
def others(spark, tmp_path_factory) -> str:
    table = f"delta.`{tmp_path_factory.mktemp('others')}/t`"
    forms = {name: text for name, text in OTHER_FORMS.items() if "TRY_CAST" not in text}
    columns = ", ".join(f"{name} GENERATED ALWAYS AS ({text})" for name, text in forms.items())
    names = ", ".join(name.split()[0] for name in forms)
    spark.sql(
        f"CREATE TABLE {table} (s STRING, i INT, `d d` DATE, {columns})"
        f" USING delta PARTITIONED BY ({names})"
        " TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    spark.sql(
        f"INSERT INTO {table} (s, i, `d d`) VALUES ('abc', 1, DATE '2024-02-29'),"
        " ('', -1, DATE '2024-03-01'), ('a', 40000, DATE '1582-10-10'), (NULL, NULL, NULL),"
        " ('é€𝄞x', 2147483647, DATE '0001-01-01'), ('it''s \\\\ $' || '{x}', 0, DATE '9999-12-31')"
    )
    return table


OTHER_FILTERS = [
    ("s = 'abc'", 1, "p_text = ab"),
    ("'abc' = s", 1, "p_inner = bc"),
    ("s > 'a' AND s < 'b'", 1, "p_text"),
    ("s = ''", 1, "p_same = "),
    ("s <= 'a'", 2, "p_same <= a"),
    ("s LIKE 'é€%'", 1, "p_text >= é€"),
    ("s = 'it''s \\\\ $' || '{x}'", 1, "p_text = it"),
    ("s IN ('abc', 'a', 'zz')", 2, "p_text IN"),
    ("s IS NULL", 1, "isnull(p_inner)"),
    ("i < 0", 1, "p_long <= -1"),
    ("i = 40000L", 1, "p_long = 40000"),
    ("i >= 40000", 2, "p_long >= 40000"),
    ("`d d` = '2024-02-29'", 1, "p_text_of_day"),
    ("`d d` < DATE '1600-01-01'", 2, "p_first <= 1599-12-01"),
    ("`D D` > DATE '2024-02-29'", 2, "p_day >= 2024-03-01"),
    ("`d d` > TIMESTAMP '2024-02-29 12:00:00'", 2, "p_day >="),
    ("YEAR(`d d`) = 2024", 2, "p_day >= 2024-01-01"),
]


@pytest.mark.parametrize(("condition", "count", "shown"), OTHER_FILTERS)
def test_rows_and_filters_of_texts_numbers_and_dates(spark, others, condition, count, shown):
    assert len(same_rows(spark, others, condition)) == count
    assert shown in filters_of(spark, others, condition)


# ------------------------------------------------------------------------------ files that are read


def test_one_day_of_a_thousand_reads_the_files_of_that_day(spark, tmp_path):
    spark.conf.set(ZONE, "America/New_York")
    spark.sql(
        f"CREATE TABLE delta.`{tmp_path}/t` (ts TIMESTAMP, d DATE GENERATED ALWAYS AS"
        " (CAST(ts AS DATE))) USING delta PARTITIONED BY (d)"
    )
    hours = spark.range(0, 2000, numPartitions=1).selectExpr(
        "TIMESTAMP '2023-01-01 06:00:00' + make_dt_interval(0, id * 12) AS ts"
    )
    hours.write.format("delta").mode("append").save(f"{tmp_path}/t")
    table = DeltaTable.forPath(spark, f"{tmp_path}/t")
    assert table.explain_files().all_files >= 1000

    for day in ("2023-03-12", "2023-11-05", "2024-02-29"):
        told = table.explain_files(f"ts BETWEEN '{day} 00:00:00' AND '{day} 23:59:59.999999'")
        assert [f"d={day}" in path for path in told.paths()] == [True]


# ------------------------------------------------------------------------------ what Spark reads

TS, A = Column(("ts",)), Column(("a",))
READ = [
    ("to_date(ts)", Cast(TS, DATE)),
    ("date(TS)", Cast(Column(("TS",)), DATE)),
    ("extract(YEAR FROM ts)", Call("year", Cast(TS, DATE))),
    ("left(a, 3)", Call("substring", A, (1, 3))),
    ("a[0]", None),
    ("substr(a, 2)", Call("substring", A, (2, 2147483647))),
    ("st.`x.y`.Z", Column(("st", "x.y", "z"))),
    ("date_trunc('DD', ts)", Call("date_trunc", TS, ("DD",))),
    ("CAST(i AS BIGINT)", Cast(Column(("i",)), LONG)),
    ("timestamp(to_date(ts))", Cast(Cast(TS, DATE), TIMESTAMP)),
    ("to_date(a, 'yyyy')", None),
    ("date_trunc(a, ts)", None),
    ("substring(a, i, 2)", None),
    ("substring(a, NULL, 2)", None),
    ("upper(a)", None),
    ("year(a) + 1", None),
    ("nowhere", None),
    ("1 +", None),
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_generation_expression_as_a_tree(spark, text, expected):
    found = spark.sql(
        "SELECT TIMESTAMP '2024-01-01' AS ts, 'x' AS a, 1 AS i,"
        " named_struct('x.y', named_struct('z', 1)) AS st"
    ).schema

    assert partition_expression(text, schema_from_json(found.json())) == expected


def test_deleted_rows_stay_away_beside_derived_filters(spark, tmp_path):
    root = tmp_path / "t"
    table = f"delta.`{root}`"
    spark.sql(
        f"CREATE TABLE {table} (ts TIMESTAMP, d DATE GENERATED ALWAYS AS (CAST(ts AS DATE))) "
        "USING delta PARTITIONED BY (d)"
    )
    spark.sql(
        f"INSERT INTO {table} (ts) VALUES (TIMESTAMP'2024-01-01 12:00:00Z'), "
        "(TIMESTAMP'2024-01-05 12:00:00Z'), (TIMESTAMP'2024-01-05 12:00:00Z')"
    )
    [add] = [one for one in adds_of(root, 1) if "2024-01-05" in one["path"]]
    vector = to_builtins(inline(BitMap64([0])))
    commit(
        root,
        allow("deletionVectors", also=["generatedColumns"]),
        {"remove": {"path": add["path"], "dataChange": True}},
        {"add": {**add, "deletionVector": vector}},
    )
    day = "ts BETWEEN '2024-01-05' AND '2024-01-06'"

    assert len(same_rows(spark, table, day)) == 1
    assert "isnull(d)" in filters_of(spark, table, day)
