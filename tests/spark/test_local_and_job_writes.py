"""Rows that are on the driver are written there, others by a job: both ways give equal tables."""

import datetime
import decimal

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql.types import (
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from puredelta.engine.session.spark_objects import frame_of_plan
from puredelta.log import open_table

SCHEMA = StructType(
    [
        StructField("id", LongType()),
        StructField("s", StringType()),
        StructField("d", DoubleType()),
        StructField("dec", DecimalType(10, 2)),
        StructField("day", DateType()),
        StructField("b", BooleanType()),
        StructField("p", StringType()),
    ]
)

ROWS = st.lists(
    st.tuples(
        st.none() | st.integers(-(2**63), 2**63 - 1),
        st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=50),
        st.none() | st.floats(),
        st.none() | st.decimals(-99_999, 99_999, places=2),
        st.none() | st.dates(datetime.date(1600, 1, 1), datetime.date(9000, 1, 1)),
        st.none() | st.booleans(),
        st.none() | st.sampled_from(["a", "b/c", "ü=1", ""]),
    ),
    min_size=1,
    max_size=12,
)


def sql(value) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        points = "".join(f"\\U{ord(character):08x}" for character in value)
        return f"'{points}'"
    if isinstance(value, float):
        return f"double('{value}')"
    if isinstance(value, datetime.date):
        return f"date'{value.isoformat()}'"
    return (
        f"CAST('{value}' AS DECIMAL(10, 2))" if isinstance(value, decimal.Decimal) else str(value)
    )


def facts(path):
    """Rows, statistics and Parquet schema of a table whose files have one partition each."""
    files = open_table(str(path)).files()
    by_partition = {}
    for name, partition, stats in zip(
        files["path"].to_pylist(),
        files["partition"].to_pylist(),
        files["stats"].to_pylist(),
        strict=True,
    ):
        schema = pq.read_schema(path / name).remove_metadata()
        by_partition[str(partition)] = (stats, schema)
    return by_partition


@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=ROWS)
def test_driver_and_job_write_equal_tables(spark, tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("ways")
    values = ", ".join(f"({', '.join(sql(value) for value in row)})" for row in rows)
    names = ", ".join(SCHEMA.names)
    query = f"SELECT * FROM VALUES {values} AS v({names})"
    for way in ("local", "job"):
        path = f"delta.`{folder}/{way}`"
        columns = ", ".join(f"{f.name} {f.dataType.simpleString()}" for f in SCHEMA)
        spark.sql(f"CREATE TABLE {path} ({columns}) USING delta PARTITIONED BY (p)")

    spark.sql(f"INSERT INTO delta.`{folder}/local` {query}")
    spark.sql(f"INSERT INTO delta.`{folder}/job` SELECT /*+ REPARTITION(1) */ * FROM ({query})")

    local, job = (spark.read.format("delta").load(f"{folder}/{way}") for way in ("local", "job"))
    order = [f"string({name})" for name in SCHEMA.names]
    as_texts = [frame.selectExpr(*order).collect() for frame in (local, job)]
    assert sorted(map(str, as_texts[0])) == sorted(map(str, as_texts[1]))
    assert facts(folder / "local") == facts(folder / "job")


def jobs_of(spark, action) -> int:
    tracker = spark.sparkContext.statusTracker()
    spark.sparkContext.setJobGroup("counted", "counted")
    before = len(tracker.getJobIdsForGroup("counted"))
    action()
    return len(tracker.getJobIdsForGroup("counted")) - before


@pytest.mark.parametrize(("query", "jobs"), [("VALUES (1), (2)", 0), ("SELECT * FROM range(9)", 1)])
def test_only_rows_that_are_elsewhere_need_a_job(spark, tmp_path, query, jobs):
    table = f"delta.`{tmp_path}/t`"
    spark.sql(f"CREATE TABLE {table} (id BIGINT) USING delta")

    seen = jobs_of(spark, lambda: spark.sql(f"INSERT INTO {table} {query}"))

    assert seen == jobs


def test_small_writes_keep_to_the_rows_of_a_file(spark, tmp_path):
    path = str(tmp_path / "t")
    rows = spark.sql("SELECT * FROM VALUES (1), (2), (3), (4), (5) AS v(id)")

    rows.write.format("delta").option("maxRecordsPerFile", 2).save(path)

    files = (tmp_path / "t").glob("*.parquet")
    assert sorted(pq.read_metadata(file).num_rows for file in files) == [1, 2, 2]


@pytest.mark.parametrize(
    "query", ["VALUES (1), (NULL)", "SELECT IF(id = 5, NULL, id) FROM range(0, 9, 1, 3)"]
)
def test_failed_write_leaves_no_version(spark, tmp_path, query):
    table = f"delta.`{tmp_path}/t`"
    spark.sql(f"CREATE TABLE {table} (id BIGINT NOT NULL) USING delta")

    with pytest.raises(Exception, match="DELTA_NOT_NULL_CONSTRAINT_VIOLATED"):
        spark.sql(f"INSERT INTO {table} {query}")

    assert open_table(str(tmp_path / "t")).version == 0
    assert spark.sql(f"SELECT * FROM {table}").collect() == []


def test_plan_of_a_command_is_not_run_twice(spark, tmp_path):
    plan = spark.range(3)._jdf.queryExecution().analyzed()

    assert frame_of_plan(spark, plan).count() == 3
