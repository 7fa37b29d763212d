"""The source of a MERGE while it runs: computed once, and not at all where the driver knows it."""

import pytest
from pyspark.sql import Observation
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta import DeltaTable
from puredelta.commands.merge.source import SOURCE_ROW, cached_source


@pytest.fixture
def table(spark, table_name):
    """Ids 1 to 4 in two files."""
    spark.sql(f"CREATE TABLE {table_name} (id INT, v STRING) USING delta")
    for values in ("(1, 'a'), (2, 'b')", "(3, 'c'), (4, 'd')"):
        spark.sql(f"INSERT INTO {table_name} SELECT /*+ COALESCE(1) */ * FROM VALUES {values}")
    return table_name


def rows(spark, table):
    return sorted(map(tuple, spark.table(table).collect()))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 5L AS id, concat('a', 'b') AS v",
        "SELECT * FROM VALUES (5L, 'ab') AS r(id, v)",
        "SELECT id, concat(v, 'b') AS v FROM (SELECT 5L AS id, 'a' AS v)",
    ],
)
def test_values_are_known_without_a_job(spark, query):
    tracker = spark.sparkContext.statusTracker()
    # The group stays the thread's: in another order of tests it has jobs already.
    spark.sparkContext.setJobGroup("values", query)
    before = len(tracker.getJobIdsForGroup("values"))
    with cached_source(spark.sql(query)) as source:
        assert source.count == 1
        assert len(tracker.getJobIdsForGroup("values")) == before
        assert [tuple(row) for row in source.frame.drop(SOURCE_ROW).collect()] == [(5, "ab")]


def test_random_value_is_the_same_each_time(spark):
    with cached_source(spark.sql("SELECT rand() AS v, uuid() AS w")) as source:
        first, second = source.frame.collect(), source.frame.collect()

    assert first == second


def test_columns_keep_their_ids(spark):
    frame = spark.sql("SELECT 5L AS id")

    with cached_source(frame) as source:
        assert source.frame.select(frame["id"] + 1).first()[0] == 6


@pytest.mark.parametrize("given", [None, "true", "false"])
def test_settings_for_what_users_keep_stay(spark, given):
    name = "spark.sql.inMemoryColumnarStorage.compressed"
    if given is not None:
        spark.conf.set(name, given)

    with cached_source(spark.range(10)) as source:
        assert source.count == 10

    conf = spark._jsparkSession.sessionState().conf()
    assert conf.contains(name) == (given is not None)
    assert spark.conf.get(name) == (given or "true")


def test_rows_without_some_numbers_are_left(spark):
    with cached_source(spark.range(5).coalesce(1)) as source:
        rows = {row.id: row[SOURCE_ROW] for row in source.frame.collect()}
        left = source.without({rows[1], rows[3]}).select(F.col("id")).collect()
        everything = source.without(()).count()

    assert sorted(row.id for row in left) == [0, 2, 4]
    assert everything == 5


def test_source_used_twice_is_read_twice(spark, table, tmp_path):
    path = f"{tmp_path}/s"
    spark.sql("SELECT 2 AS id, 'B' AS v").write.format("delta").save(path)
    source = spark.read.format("delta").load(path)
    target = DeltaTable.forName(spark, table)
    target.upsert(source, key="id")

    spark.sql("SELECT 7 AS id, 'G' AS v").write.format("delta").mode("append").save(path)
    target.upsert(source, key="id")

    assert rows(spark, table)[-1] == (7, "G")


def test_builder_that_explained_reads_the_source_again(spark, table, tmp_path):
    path = f"{tmp_path}/s"
    spark.sql("SELECT 2 AS id, 'B' AS v").write.format("delta").save(path)
    source = spark.read.format("delta").load(path).alias("s")
    target = DeltaTable.forName(spark, table).alias("t")
    builder = target.merge(source, "t.id = s.id").whenNotMatchedInsertAll()
    builder.explain()

    spark.sql("SELECT 7 AS id, 'G' AS v").write.format("delta").mode("append").save(path)
    builder.execute()

    assert rows(spark, table)[-1] == (7, "G")


def test_who_observes_the_source_is_told(spark, table):
    seen = Observation("source")
    source = spark.range(2, 12).selectExpr("cast(id AS INT) id", "'S' v").where("id % 2 = 0")
    source = source.repartition(2).observe(seen, F.count("*").alias("n"))

    DeltaTable.forName(spark, table).upsert(source, key="id")

    assert seen.get == {"n": 5}


def test_key_has_no_value_for_rows_that_on_leaves_out(spark, table):
    spark.sql(f"INSERT INTO {table} VALUES (7, 'g')")
    values = "VALUES ('num', '7', 'G'), ('x', 'abc', 'X') AS given(kind, id, v)"
    source = f"(SELECT * FROM {values}) AS s"

    spark.sql(
        f"""MERGE INTO {table} t USING {source} ON s.kind = 'num' AND t.id = s.id
        WHEN MATCHED THEN UPDATE SET v = s.v"""
    )

    assert rows(spark, table)[-1] == (7, "G")
    assert len(rows(spark, table)) == 5


@pytest.mark.parametrize("vectors", [False, True])
def test_few_rows_match_many(spark, tmp_path, vectors):
    path = f"{tmp_path}/many"
    told = f"'delta.enableDeletionVectors' = '{str(vectors).lower()}'"
    spark.sql(f"CREATE TABLE delta.`{path}` (id BIGINT, k INT) USING delta TBLPROPERTIES ({told})")
    many = spark.range(0, 3000, 1, 3).selectExpr("id", "cast(id % 10 AS INT) k")
    many.write.format("delta").mode("append").save(path)

    done = spark.sql(
        f"""MERGE INTO delta.`{path}` t USING (SELECT explode(sequence(8, 12)) k) s ON t.k = s.k
        WHEN MATCHED AND t.id >= 100 THEN DELETE
        WHEN NOT MATCHED THEN INSERT (id, k) VALUES (-1, k)"""
    ).first()

    assert (done.num_deleted_rows, done.num_inserted_rows) == (580, 3)
    left = spark.read.format("delta").load(path)
    assert left.count() == 2423
    assert sorted(row.k for row in left.where("id = -1").collect()) == [10, 11, 12]


def test_batches_of_a_stream_are_merged(spark, table, tmp_path):
    target, came = DeltaTable.forName(spark, table), str(tmp_path / "came")
    spark.range(3, 7).selectExpr("cast(id AS INT) id").write.parquet(came)

    def merge_batch(batch, _):
        merging = target.alias("t").merge(batch.alias("s"), "t.id = s.id")
        changed = merging.whenMatchedUpdate(set={"v": "upper(t.v)"})
        changed.whenNotMatchedInsert(values={"id": "s.id", "v": "'new'"}).execute()

    batches = spark.readStream.schema("id INT").parquet(came)
    stream = batches.writeStream.foreachBatch(merge_batch)
    run = stream.option("checkpointLocation", str(tmp_path / "at")).trigger(availableNow=True)
    run.start().awaitTermination()

    expected = [(1, "a"), (2, "b"), (3, "C"), (4, "D"), (5, "new"), (6, "new")]
    assert rows(spark, table) == expected
