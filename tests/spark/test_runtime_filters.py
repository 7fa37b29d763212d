"""Filters that Spark makes while a query runs choose partitions, and never lose rows."""

import pytest

QUERIES = [
    "SELECT count(*) AS n, sum(f.id) AS s FROM fact f JOIN dim ON p = k WHERE name = 'n3'",
    "SELECT count(id), sum(id) FROM fact WHERE p IN (SELECT k FROM dim WHERE name = 'n3')",
    "SELECT count(id) AS n, sum(id) AS s FROM fact WHERE p = (SELECT max(k) FROM dim) - 6",
    "SELECT count(id) AS n, sum(id) AS s FROM fact LEFT SEMI JOIN dim ON p = k AND name = 'n3'",
]
SETTINGS = {
    "adaptive": {},
    "not adaptive": {"spark.sql.adaptive.enabled": "false"},
    "bloom filters": {
        "spark.sql.optimizer.runtime.bloomFilter.enabled": "true",
        "spark.sql.optimizer.runtime.bloomFilter.applicationSideScanSizeThreshold": "0",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
    },
    "no broadcast": {"spark.sql.autoBroadcastJoinThreshold": "-1"},
    "no pruning": {"spark.sql.optimizer.dynamicPartitionPruning.enabled": "false"},
}


@pytest.fixture(scope="module")
def tables(spark, tmp_path_factory):
    """A table of ten partitions with a file each, and a small one; `fact` and `dim`."""
    folder = tmp_path_factory.mktemp("star")
    rows = spark.range(0, 100, 1, 1).selectExpr("id", "id % 10 AS p")
    rows.write.format("delta").partitionBy("p").save(f"{folder}/fact")
    names = spark.range(10).selectExpr("id AS k", "concat('n', id) AS name")
    names.write.format("delta").save(f"{folder}/dim")
    for name in ("fact", "dim"):
        spark.read.format("delta").load(f"{folder}/{name}").createOrReplaceTempView(name)
    yield
    for name in ("fact", "dim"):
        spark.catalog.dropTempView(name)


@pytest.fixture(params=SETTINGS)
def settings(spark, request):
    for key, value in SETTINGS[request.param].items():
        spark.conf.set(key, value)
    yield request.param
    for key in SETTINGS[request.param]:
        spark.conf.unset(key)


def files_read(frame):
    """How many files of `fact` a query has read, as the metrics of its scan tell."""
    plan = frame._jdf.queryExecution().executedPlan()
    return next(found for found in _numbers(plan) if found is not None)


def _numbers(plan):
    kind = plan.getClass().getSimpleName()
    if kind == "AdaptiveSparkPlanExec":
        yield from _numbers(plan.executedPlan())
    elif kind.endswith("QueryStageExec"):
        yield from _numbers(plan.plan())
    elif kind == "FileSourceScanExec":
        columns = [field.name() for field in plan.relation().schema().fields()]
        yield plan.metrics().apply("numFiles").value() if "p" in columns else None
    children = plan.children().iterator()
    while children.hasNext():
        yield from _numbers(children.next())


@pytest.mark.parametrize("query", QUERIES)
def test_rows_are_right_with_all_settings(spark, tables, settings, query):
    found = spark.sql(query).collect()

    assert [tuple(row) for row in found] == [(10, sum(range(3, 100, 10)))]


@pytest.mark.parametrize("query", QUERIES)
def test_one_partition_of_ten_is_read(spark, tables, query):
    frame = spark.sql(query)

    frame.collect()

    assert files_read(frame) == 1


@pytest.mark.parametrize("query", QUERIES)
def test_explain_tells_what_is_known_before_the_query_runs(spark, tables, query, capsys):
    spark.sql(query).explain()

    assert "reads 10 of 10 files" in capsys.readouterr().out


def test_all_partitions_are_read_where_no_filter_tells_more(spark, tables):
    frame = spark.sql("SELECT count(f.id) FROM fact f LEFT JOIN dim ON p = k AND name = 'n3'")

    frame.collect()

    assert files_read(frame) == 10
