"""What Spark keeps of a table is dropped by our writes, and only what they change."""

import pytest


@pytest.fixture
def path(spark, tmp_path):
    """A table of ten rows."""
    spark.range(10).write.format("delta").save(f"{tmp_path}/t")
    yield f"{tmp_path}/t"
    spark.catalog.clearCache()


@pytest.fixture
def in_memory(spark):
    """A function that counts the partitions of frames that were cached since the test began.

    Checkpoints of earlier tests stay until the JVM collects them.
    """

    def cached():
        infos = spark.sparkContext._jsc.sc().getRDDStorageInfo()
        return {info.id(): info.numCachedPartitions() for info in infos}

    spark.catalog.clearCache()
    before = set(cached())
    return lambda: sum(count for rdd, count in cached().items() if rdd not in before)


def test_cached_old_version_stays(spark, path, in_memory):
    old = spark.read.format("delta").option("versionAsOf", 0).load(path).cache()
    assert old.count() == 10
    kept = in_memory()

    spark.sql(f"INSERT INTO delta.`{path}` VALUES (99)")

    assert in_memory() == kept > 0
    assert old.where("true").count() == 10


def test_cached_newest_version_is_dropped_and_made_anew(spark, path, in_memory):
    newest = spark.read.format("delta").load(path).cache()
    assert newest.count() == 10

    spark.sql(f"INSERT INTO delta.`{path}` VALUES (99)")

    assert in_memory() == 0
    assert newest.where("true").count() == 11
    assert in_memory() > 0


def test_cached_part_of_a_table_is_dropped(spark, path):
    spark.sql(f"CREATE TABLE delta.`{path}_p` (id INT, p INT) USING delta PARTITIONED BY (p)")
    spark.sql(f"INSERT INTO delta.`{path}_p` VALUES (1, 1), (2, 2)")
    part = spark.read.format("delta").load(f"{path}_p/p=1").cache()
    assert part.count() == 1

    spark.sql(f"INSERT INTO delta.`{path}_p` VALUES (3, 1), (4, 2)")

    assert sorted(row.id for row in part.where("true").collect()) == [1, 3]


def test_rows_of_a_column_that_gets_a_type_are_forgotten(spark, tmp_path, in_memory):
    path = str(tmp_path / "void")
    spark.sql("SELECT 1 AS id, NULL AS v").write.format("delta").save(path)
    older = spark.read.format("delta").load(path).cache()
    assert older.count() == 1

    typed = spark.sql("SELECT 2 AS id, 'text' AS v")
    typed.write.format("delta").mode("append").option("mergeSchema", "true").save(path)

    assert in_memory() == 0
    assert spark.read.format("delta").load(path).where("v = 'text'").count() == 1


def test_rows_of_a_table_that_is_replaced_are_forgotten(spark, table_name):
    spark.sql(f"CREATE TABLE {table_name} USING delta AS SELECT 1 AS id, 2 AS p")
    spark.sql(f"CACHE TABLE {table_name}")

    spark.sql(f"CREATE OR REPLACE TABLE {table_name} USING delta AS SELECT 6 AS id")

    assert spark.table(table_name).collect() == [(6,)]


def test_write_from_a_new_session_drops_it(spark, path):
    frame = spark.read.format("delta").load(path).cache()
    assert frame.count() == 10

    other = spark.newSession()
    other.range(5).write.format("delta").mode("append").save(path)

    assert spark.read.format("delta").load(path).count() == 15


@pytest.mark.parametrize(
    "statement", ["INSERT INTO {} VALUES (5)", "INSERT OVERWRITE {} VALUES (5)"]
)
def test_view_of_a_frame_is_no_way_around_the_log(spark, path, statement):
    spark.read.format("delta").load(path).createOrReplaceTempView("way_around")
    try:
        spark.sql(statement.format("way_around"))
        wrote = True
    except Exception:  # noqa: BLE001  # refused is right, too
        wrote = False
    spark.catalog.dropTempView("way_around")

    count = spark.read.format("delta").load(path).count()
    assert count == (10 if not wrote else 11 if "INTO" in statement else 1)
