"""How many round trips to the JVM statements need: each costs time, and they creep in unseen."""

import itertools

import pytest

from puredelta import DeltaTable
from tests.spark.round_trips import count_round_trips

# PySpark's own: three for `spark.sql`, seven for `collect`.
OF_SQL, OF_COLLECT = 3, 7

MERGE = """
    MERGE INTO {t} AS t USING (SELECT 5L AS id, 'q' AS v) AS s ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *
"""

BOUNDS = {
    "INSERT INTO {t} VALUES ({n}, 'a')": 25,
    "SELECT * FROM {t} WHERE id = {n}": OF_SQL + OF_COLLECT + 2,
    "DELETE FROM {t} WHERE id = {n}": 100,
    "UPDATE {t} SET v = 'z' WHERE id = {n}": 120,
    MERGE: 180,
    "OPTIMIZE {t}": 60,
    "DESCRIBE HISTORY {t}": 25,
    "DESCRIBE DETAIL {t}": 25,
}


@pytest.fixture
def table(spark, tmp_path):
    path = str(tmp_path / "t")
    rows = spark.range(1000).selectExpr("id", "'x' AS v")
    rows.write.format("delta").save(path)
    return path


@pytest.fixture(params=["false", "true"], ids=["copies", "vectors"])
def either_way(spark, table, request):
    spark.sql(
        f"ALTER TABLE delta.`{table}` SET TBLPROPERTIES"
        f" (delta.enableDeletionVectors = {request.param})"
    )
    return table


def warm_count(monkeypatch, work):
    """Return the fewest round trips of a function in some runs.

    Classes are looked up once.
    """
    return min(count_round_trips(monkeypatch, work) for _ in range(4))


@pytest.mark.parametrize("statement", BOUNDS, ids=lambda text: " ".join(text.split()[:2]))
def test_statements_need_few_round_trips(spark, either_way, monkeypatch, statement):
    numbers = itertools.count(100)

    def run():
        spark.sql(statement.format(t=f"delta.`{either_way}`", n=next(numbers))).collect()

    assert warm_count(monkeypatch, run) <= BOUNDS[statement] + OF_COLLECT


def test_appends_need_few_round_trips(spark, table, monkeypatch):
    rows = spark.range(5).selectExpr("id", "'y' AS v")

    def run():
        rows.write.format("delta").mode("append").save(table)

    assert warm_count(monkeypatch, run) <= 40


def test_methods_need_as_few_as_statements(spark, table, monkeypatch):
    target, numbers = DeltaTable.forPath(spark, table), itertools.count(100)
    source = spark.range(5).selectExpr("id", "'y' AS v")

    def merge():
        matched = target.alias("t").merge(source.alias("s"), "t.id = s.id").whenMatchedUpdateAll()
        matched.whenNotMatchedInsertAll().execute()

    assert warm_count(monkeypatch, lambda: target.delete(f"id = {next(numbers)}")) <= 100
    assert warm_count(monkeypatch, merge) <= 190


def test_batches_of_a_stream_need_few_round_trips(spark, table, tmp_path, monkeypatch):
    def run(batches):
        for number in range(batches):
            spark.sql(f"INSERT INTO delta.`{table}` VALUES ({number}, 's')")
        rows = spark.readStream.format("delta").option("maxFilesPerTrigger", 1).load(table)
        query = (
            rows.writeStream.format("delta")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
        )
        return lambda: query.start(str(tmp_path / "copy")).awaitTermination()

    run(1)()
    run(1)()
    few = min(count_round_trips(monkeypatch, run(1)) for _ in range(2))
    many = min(count_round_trips(monkeypatch, run(5)) for _ in range(2))

    assert (many - few) / 4 <= 40
