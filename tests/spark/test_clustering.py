"""OPTIMIZE along a curve: what readers skip, what a second run rewrites, what a dry run reports."""

import json
from pathlib import Path

import pytest

from puredelta import DeltaTable
from puredelta.errors import DeltaAnalysisError
from puredelta.log import open_table

MAX_FILE_SIZE = "spark.databricks.delta.optimize.maxFileSize"
ROWS = 40_000


@pytest.fixture
def small_files(spark):
    spark.conf.set(MAX_FILE_SIZE, "20000")
    yield
    spark.conf.unset(MAX_FILE_SIZE)


def fill(spark, path, rows=ROWS, start=0):
    frame = spark.range(start, start + rows, 1, 2).selectExpr(
        "CAST(abs(hash(id) % 1000) AS INT) AS a",
        "abs(CAST(hash(id, 1) AS BIGINT)) % 1000 AS b",
        "id",
    )
    frame.write.format("delta").mode("append").save(path)


def clustered(spark, path):
    spark.sql(
        f"CREATE TABLE delta.`{path}` (a INT, b BIGINT, id BIGINT) USING delta CLUSTER BY (a, b)"
    )


def optimize(spark, path, clauses=""):
    return spark.sql(f"OPTIMIZE delta.`{path}` {clauses}").first().metrics


def files(path):
    return open_table(path).snapshot.files.to_pylist()


def content(spark, path):
    rows = spark.read.format("delta").load(path).selectExpr("count(*)", "sum(hash(a, b, id))")
    return tuple(rows.first())


def files_with(path, column, value):
    stats = [json.loads(file["stats"]) for file in files(path)]
    return sum(s["minValues"][column] <= value <= s["maxValues"][column] for s in stats)


@pytest.mark.parametrize("is_clustered", [True, False])
@pytest.mark.usefixtures("small_files")
def test_readers_skip_files_by_each_column(spark, path, is_clustered):
    if is_clustered:
        clustered(spark, path)
    fill(spark, path)
    before = content(spark, path)

    metrics = optimize(spark, path, "" if is_clustered else "ZORDER BY (a, b)")

    count = len(files(path))
    assert content(spark, path) == before
    assert metrics.numFilesAdded == count >= 8
    for column in ("a", "b"):
        read = [files_with(path, column, value) for value in range(50, 1000, 100)]
        # Ordered by one of the columns alone, a value of the other is in all files.
        assert sum(read) / len(read) < count * 0.6


@pytest.mark.usefixtures("small_files")
def test_files_of_a_run_are_one_cube(spark, path):
    clustered(spark, path)
    fill(spark, path)

    optimize(spark, path)

    tags = [dict(file["tags"]) for file in files(path)]
    assert len({found["ZCUBE_ID"] for found in tags}) == 1
    assert {found["ZCUBE_ZORDER_BY"] for found in tags} == {'["a","b"]'}
    assert {file["clustering_provider"] for file in files(path)} == {"liquid"}
    assert all(not file["data_change"] for file in files(path))


@pytest.mark.usefixtures("small_files")
def test_few_new_rows_leave_a_large_cube_alone(spark, path):
    stable = "spark.databricks.delta.optimize.clustering.mergeStrategy.minCubeSize.threshold"
    clustered(spark, path)
    fill(spark, path)
    optimize(spark, path)
    old = {file["path"] for file in files(path)}
    fill(spark, path, ROWS // 100, start=ROWS)
    before = content(spark, path)

    spark.conf.set(stable, "100000")
    try:
        metrics = optimize(spark, path)
        again = optimize(spark, path)
    finally:
        spark.conf.unset(stable)

    assert metrics.numFilesRemoved == len(files(path)) - len(old) + 1 == 2
    assert old < {file["path"] for file in files(path)}
    assert len({dict(file["tags"])["ZCUBE_ID"] for file in files(path)}) == 2
    assert again.numFilesRemoved == 0
    assert content(spark, path) == before


def test_dry_run_writes_nothing(spark, path):
    clustered(spark, path)
    fill(spark, path, 100)
    table = DeltaTable.forPath(spark, path)

    found = table.optimize().executeCompaction(dryRun=True)

    assert "2" in str(found)
    assert table.history(1).first()["operation"] == "WRITE"


def test_odd_names_of_columns_are_in_the_tags(spark, path):
    spark.sql(
        f"CREATE TABLE delta.`{path}` (`a b` INT, s STRUCT<`x.y`: INT>) USING delta"
        " CLUSTER BY (`a b`, s.`x.y`) TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, named_struct('x.y', 2))")

    optimize(spark, path)

    [file] = files(path)
    assert json.loads(dict(file["tags"])["ZCUBE_ZORDER_BY"]) == ["`a b`", "s.`x.y`"]


def test_z_order_of_a_variant_is_refused_before_anything_is_read(spark, path):
    spark.sql(f"CREATE TABLE delta.`{path}` (v VARIANT, n INT) USING delta")
    spark.sql(f"INSERT INTO delta.`{path}` SELECT parse_json('1'), 1")

    with pytest.raises(DeltaAnalysisError) as raised:
        optimize(spark, path, "ZORDER BY (n, v)")

    assert raised.value.condition == "DELTA_OPERATION_NOT_SUPPORTED_FOR_DATATYPES"
    assert not [*Path(path).glob("_delta_log/*2.json")]


@pytest.mark.usefixtures("small_files")
def test_partitions_are_ordered_by_themselves(spark, path):
    fill(spark, path)
    parted = f"{path}-parted"
    spark.sql(
        f"CREATE TABLE delta.`{parted}` USING delta PARTITIONED BY (p)"
        f" AS SELECT a, b, id, id % 2 AS p FROM delta.`{path}`"
    )
    before = content(spark, parted)

    metrics = optimize(spark, parted, "ZORDER BY (b)")

    assert metrics.zOrderStats.numOutputCubes == metrics.partitionsOptimized == 2
    assert content(spark, parted) == before
    # Each partition is cut along the only column.
    assert files_with(parted, "b", 500) <= 4 < len(files(parted))
