"""Rows along a curve: the keys are those of the pure functions, and files get similar rows."""

import pytest
from pyspark.sql import functions as F  # noqa: N812  # as users import it

from puredelta.engine.curves.bounds import bounds_between
from puredelta.engine.curves.keys import key_columns
from puredelta.engine.curves.layout import Curve, along_curve
from puredelta.engine.curves.partition_numbers import hash_of_int, numbers_of_partitions
from puredelta.table.clustering.hilbert import hilbert_key
from puredelta.table.clustering.z_order import key_words, z_order_key

ROWS = 4_000


def columns(*names):
    return [F.col(name) for name in names]


@pytest.fixture(scope="module")
def rows(spark):
    return spark.range(0, ROWS, 1, 3).selectExpr(
        "id",
        "CAST(id % 90 AS INT) AS i",
        "CAST(hash(id) AS BIGINT) AS l",
        "id % 2 = 0 AS flag",
        "CAST(id % 100 AS TINYINT) AS tiny",
        "CAST(hash(id, 1) AS FLOAT) AS f",
        "IF(id % 10 = 0, double('NaN'), id - 2000) AS d",
        "date_add(DATE'2020-01-01', CAST(id % 300 AS INT)) AS day",
        "timestamp_micros(hash(id, 2)) AS at",
        "CAST(timestamp_micros(hash(id, 2)) AS TIMESTAMP_NTZ) AS ntz",
        "CAST(hash(id, 3) AS DECIMAL(12, 2)) AS small",
        "CAST(hash(id, 3) AS DECIMAL(38, 2)) AS large",
        "concat('s', hash(id, 4)) AS s",
        "CAST(concat('b', id) AS BINARY) AS b",
        "named_struct('x', id % 5, 'y', hash(id)) AS st",
        "array(id % 3, id) AS ar",
        "IF(id % 3 = 0, id, NULL) AS nu",
        "CAST(NULL AS INT) AS empty",
        "make_dt_interval(0, 0, 0, id) AS period",
        "make_ym_interval(0, CAST(id AS INT)) AS months",
    )


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("is_hilbert", [True, False])
def test_keys_are_those_of_the_curve(spark, count, is_hilbert):
    names = [f"c{place}" for place in range(count)]
    values = spark.range(1).select(
        *[F.expr("array(" + ",".join(map(str, range(0, 160, 10))) + ")").alias(n) for n in names]
    )
    bounds = bounds_between(values, 16)
    points = spark.range(200).select(
        *[(F.abs(F.hash("id", F.lit(place))) % 16).cast("int").alias(n)
          for place, n in enumerate(names)]
    )  # fmt: skip

    # The fourth of 16 values is the last one of its range.
    pairs = [(F.col(name) * 10, found) for name, found in zip(names, bounds, strict=True)]
    keys = key_columns(pairs, 16, is_hilbert=is_hilbert)

    curve = hilbert_key if is_hilbert and count > 1 else z_order_key
    for *point, key in points.select(*names, *keys).collect():
        assert key == curve(point, 5)


def test_long_keys_are_words(spark):
    names = [f"c{place}" for place in range(8)]
    bounds = bounds_between(
        spark.range(1).select(*[F.sequence(F.lit(0), F.lit(999)).alias(n) for n in names]), 1000
    )
    point = [1, 999, 17, 4, 512, 700, 3, 250]
    pairs = [(F.lit(value), found) for value, found in zip(point, bounds, strict=True)]

    [found] = spark.range(1).select(*key_columns(pairs, 1000, is_hilbert=True)).collect()

    assert list(found) == key_words(z_order_key(point, 10), 80)


def test_values_outside_of_the_bounds_and_nulls_have_ids(spark):
    [bounds] = bounds_between(spark.sql("SELECT array(1, 1, 2, 5, 9) AS v"), 5)
    values = spark.sql("SELECT explode(array(-7, 1, 2, 3, 5, 7, 9, 10, NULL)) AS v")

    found = values.select(bounds.lookup(F.col("v"), range(bounds.count + 1)))

    assert [row[0] for row in found.collect()] == [0, 0, 1, 2, 2, 3, 3, 3, 0]


def test_one_value_is_one_range(spark):
    [nothing, same] = bounds_between(
        spark.sql("SELECT CAST(array() AS ARRAY<STRING>) AS a, array('x') AS b"), 1000
    )

    assert (nothing.count, same.count) == (0, 0)


def test_numbers_of_partitions_go_there(spark):
    numbers = numbers_of_partitions(5)
    assert spark.range(1).select(F.hash(F.lit(7))).first()[0] == hash_of_int(7)
    rows = spark.range(5).select(F.element_at(F.lit(list(numbers)), F.col("id").cast("int") + 1))

    found = rows.toDF("n").repartition(5, "n").select("n", F.spark_partition_id()).collect()

    assert {row[0]: row[1] for row in found} == {n: place for place, n in enumerate(numbers)}


@pytest.mark.parametrize(
    "names",
    [
        ("i", "l"), ("flag", "tiny", "day"), ("f", "d"), ("at", "ntz"), ("small", "large"),
        ("s", "b"), ("st", "ar"), ("nu", "empty"), ("period", "months"), ("s",),
        ("i", "l", "tiny", "day", "at", "f", "d", "s"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_hilbert", [True, False])
def test_files_have_similar_sizes_and_all_rows(rows, names, is_hilbert):
    curve = Curve(columns=columns(*names), is_hilbert=is_hilbert, ranges=50)

    found = along_curve(rows, curve, 4, ROWS)

    parts = found.groupBy(F.spark_partition_id()).agg(F.count("*"), F.sum("id")).collect()
    assert found.columns == rows.columns
    assert sum(part[2] for part in parts) == ROWS * (ROWS - 1) // 2
    assert len(parts) == 4
    assert max(part[1] for part in parts) < ROWS / 4 * 1.3


@pytest.mark.parametrize("is_hilbert", [True, False])
def test_files_are_parts_of_the_square(spark, is_hilbert):
    square = spark.range(0, 64 * 64, 1, 4).selectExpr("id % 64 AS x", "id DIV 64 AS y")
    curve = Curve(columns=columns("x", "y"), is_hilbert=is_hilbert, ranges=64)

    found = along_curve(square, curve, 16, None)

    sides = found.groupBy(F.spark_partition_id()).agg(
        F.max("x") - F.min("x") + 1, F.max("y") - F.min("y") + 1
    )
    areas = [row[1] * row[2] for row in sides.collect()]
    # Cut along one column alone, each file would have all values of the other one.
    assert len(areas) == 16
    assert sum(areas) < 2 * 64 * 64


def test_sample_of_many_rows_is_enough(spark):
    many = spark.range(0, 40_000, 1, 2).selectExpr("hash(id) AS x", "hash(id, 1) AS y")
    curve = Curve(columns=columns("x", "y"), is_hilbert=True, ranges=20, samples=50)

    sizes = along_curve(many, curve, 4, 40_000).groupBy(F.spark_partition_id()).count()

    assert all(6_000 < row[1] < 14_000 for row in sizes.collect())


def test_equal_rows_are_spread_only_with_noise(spark):
    same = spark.range(0, 1_000, 1, 2).selectExpr("1 AS x", "'a' AS y")

    def parts(*, noise):
        curve = Curve(columns=columns("x", "y"), is_hilbert=True, adds_noise=noise)
        return along_curve(same, curve, 4, 1_000).select(F.spark_partition_id()).distinct().count()

    assert parts(noise=True) == 4
    assert parts(noise=False) == 1


@pytest.mark.parametrize("files", [1, 3])
def test_rows_of_a_file_are_sorted_where_wanted(rows, files):
    curve = Curve(columns=columns("id"), is_hilbert=False, ranges=ROWS, sorts=True)

    found = along_curve(rows.repartition(2), curve, files, ROWS)

    parts = found.groupBy(F.spark_partition_id()).agg(F.collect_list("id")).collect()
    assert len(parts) == files
    assert all(part[1] == sorted(part[1]) for part in parts)


def test_no_rows_make_no_bounds(spark):
    nothing = spark.range(0).selectExpr("id AS x", "id AS y")

    found = along_curve(nothing, Curve(columns=columns("x", "y"), is_hilbert=True), 4, None)

    assert found.count() == 0
