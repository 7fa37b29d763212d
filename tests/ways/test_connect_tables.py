"""`DeltaTable` and its builders in clients of Spark Connect, which start no JVM."""

import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.ways.programs import environment

# A driver is started for them.
pytestmark = pytest.mark.rest

HEAD = """
import sys
from pyspark.sql import SparkSession, functions as F
import puredelta
from puredelta import DeltaTable

spark = SparkSession.builder.remote(f"sc://127.0.0.1:{sys.argv[1]}").getOrCreate()

def shown(frame):
    return sorted(map(tuple, frame.collect()))
"""
# A program that looks for Java finds none.
NO_JAVA = {"JAVA_HOME": "/no/java", "PATH": ""}


@pytest.fixture
def client(ports) -> Callable[[str], list[str]]:
    """Runs a program in a process of its own; returns the lines that it prints."""

    def run(program: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", HEAD + program, str(ports[0])],
            capture_output=True,
            text=True,
            check=False,
            env=environment(**NO_JAVA),
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


def test_rows_are_changed_by_sql_and_by_columns(client):
    # The server is one for all tests, and they leave tables.
    assert client("""
spark.sql("DROP SCHEMA IF EXISTS changes CASCADE")
spark.sql("CREATE SCHEMA changes")
spark.sql("USE changes")
table = (
    DeltaTable.createOrReplace(spark)
    .tableName("changed")
    .addColumn("id", "BIGINT", nullable=False)
    .addColumn("name", "STRING")
    .addColumn("twice", "BIGINT", generatedAlwaysAs="id * 2")
    .property("delta.enableChangeDataFeed", "true")
    .execute()
)
spark.range(6).selectExpr("id", "concat('n', id) name").write.format("delta").mode(
    "append"
).saveAsTable("changed")
deleted = table.delete("id = 0")
print(shown(deleted), deleted.commit.operation, deleted.commit.version)
print(table.delete("id = 99").commit)
spark.sql("UPDATE changed SET name = 'n3' WHERE id = 3")
print(str(puredelta.last_commit(spark)).splitlines()[0], puredelta.last_commit().version)
table.delete((F.col("id") == 1) | F.col("name").isin("n2", "n9"))
table.update(F.col("id") > 4, {"name": F.concat(F.lit("it's "), F.upper("name"))})
print(shown(table.toDF()))

news = spark.createDataFrame([(3, "three"), (7, "seven")], "id BIGINT, name STRING")
merge = table.alias("t").merge(news.alias("s"), F.col("t.id") == F.col("s.id"))
merge = merge.whenMatchedUpdate(condition="s.id > 1", set={"name": F.col("s.name")})
merge = merge.whenNotMatchedInsert(values={"id": "s.id", "name": "s.name"})
print(merge.explain().rows_inserted)
print(shown(merge.whenNotMatchedBySourceDelete("t.id = 4").execute()))
print(shown(table.toDF()))
print([row.operation for row in table.history(2).collect()], table.detail().first().format)
print(spark.catalog.listTables()[0].name, len(spark.catalog.listTables()))
""") == [
        "[(1,)] DELETE 2",
        "None",
        "UPDATE on spark_catalog.changes.changed: version 3 3",
        "[(3, 'n3', 6), (4, 'n4', 8), (5, \"it's N5\", 10)]",
        "1",
        "[(3, 1, 1, 1)]",
        "[(3, 'three', 6), (5, \"it's N5\", 10), (7, 'seven', 14)]",
        "['MERGE', 'UPDATE'] delta",
        "changed 1",
    ]


def test_rows_are_changed_by_key(client):
    assert client("""
import pandas as pd
import polars as pl
import pyarrow as pa

spark.sql("CREATE TABLE keyed (id BIGINT, v STRING) USING delta")
table = DeltaTable.forName(spark, "keyed")
done = table.upsert(spark.createDataFrame([(1, "a"), (2, "b")], "id BIGINT, v STRING"), "id")
print(type(done).__name__, done.inserted, done.updated)
print(table.append_new(pa.table({"id": [2, 3], "v": ["x", "y"]}), key="id").rows)
rows = {"id": [3, 4], "v": ["z", None]}
for frame in (pl.DataFrame(rows), pl.LazyFrame(rows), pd.DataFrame(rows)):
    print(table.upsert(frame, "id").updated)
print(shown(table.toDF()))
""") == ["Upserted 2 0", "1", "1", "2", "2", "[(1, 'a'), (2, 'b'), (3, 'z'), (4, None)]"]


def test_tables_are_maintained(client, tmp_path):
    assert client(f"""
path = {str(tmp_path / "kept")!r}
spark.range(0, 40, 1, 4).write.format("delta").save(path)
print(DeltaTable.isDeltaTable(spark, path))
table = DeltaTable.forPath(spark, path)
table.delete("id < 10")
preview = table.optimize().executeCompaction(dryRun=True)
print(type(preview).__name__, preview.files > 1)
table.optimize().executeCompaction()
print(table.optimize().executeZOrderBy("id").columns)
spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
print(table.vacuum(0, dryRun=True).files > 0)
table.vacuum(1000)
table.restoreToVersion(0)
print(table.toDF().count(), table.files().count())
copy = table.cloneAtVersion(1, path + "-copy", isShallow=True)
print(copy.toDF().count())
table.generate("symlink_format_manifest")
print(table.health().is_healthy)
table.addConstraint("positive", "id >= 0")
table.setProperties({{"a": "b"}})
print(shown(table.constraints().select("name")), table.detail().first().properties["a"])
""") == [
        "True",
        "OptimizePreview True",
        "['path', 'metrics']",
        "True",
        "40 4",
        "30",
        "True",
        "[('positive',)] b",
    ]


def test_errors_are_those_of_a_driver(client):
    assert client("""
spark.sql("CREATE TABLE failing (id BIGINT) USING delta")
table = DeltaTable.forName(spark, "failing")
for fails in (
    lambda: DeltaTable.forName(spark, "missing"),
    lambda: table.restoreToVersion(9),
    lambda: table.update("id = 1"),
    lambda: table.delete(wrong=1),
    lambda: table.delete("nothing = 1"),
    lambda: table.delete("id ="),
    lambda: table.delete(F.udf(lambda x: True)("id")),
    lambda: table.inspect,
):
    try:
        fails()
    except Exception as error:
        condition = getattr(error, "getCondition", None)
        print(type(error).__name__, condition() if condition else error)
""") == [
        "DeltaTableNotFoundException DELTA_MISSING_DELTA_TABLE",
        "DeltaAnalysisException DELTA_CANNOT_RESTORE_TABLE_VERSION",
        "ValueError 'set' cannot be None: give a dict of columns and their values",
        "TypeError got an unexpected keyword argument 'wrong'",
        "AnalysisException UNRESOLVED_COLUMN.WITH_SUGGESTION",
        "AnalysisException PARSE_SYNTAX_ERROR",
        "DeltaUnsupportedOperationException PUREDELTA_CONNECT_COLUMN",
        "DeltaUnsupportedOperationException PUREDELTA_CONNECT_METHOD",
    ]


def test_columns_mean_in_sql_what_they_mean(client):
    assert client("""
import datetime, decimal
from puredelta.api.connect.column_sql import column_sql

rows = spark.createDataFrame([(2, "nn", 7)], "id BIGINT, name STRING, n INT")
columns = [
    *map(F.lit, (None, True, 1, 2.5, float("nan"), "a'\\\\b\\n", b"\\x01")),
    *map(F.lit, (decimal.Decimal("1.50"), datetime.date(1500, 1, 1), ["a"])),
    F.lit(datetime.datetime(2020, 1, 2, 3, 4, 5, 6)),
    F.lit(datetime.timedelta(seconds=-3, microseconds=5)),
    F.create_map(F.lit("k"), F.lit(1)),
    F.col("id").isin(1, 2),
    F.col("id").between(1, 3),
    ~F.col("name").isNull(),
    F.col("name").rlike("a"),
    F.transform(F.array("id"), lambda x: x + 1),
    F.transform(F.array("id"), lambda x, n: x + n),
    F.struct("id", "name")["id"],
    F.when(F.col("n") > 3, "many").otherwise(F.lit("few")),
    F.col("`n`") % 2,
    -F.col("n"),
    F.col("id").eqNullSafe(1),
    F.col("name").substr(1, 1),
    F.col("name").startswith("n"),
    F.col("id").cast("decimal(10,2)"),
    F.col("id").bitwiseAND(3),
    F.expr("id + 1"),
    F.call_function("abs", F.col("n")),
    rows["n"] + rows.id,
]
for column in columns:
    text = column_sql(column, spark)
    both = rows.select(column.alias("a"), F.expr(text).alias("b"))
    found = both.first()
    assert str(found.a) == str(found.b), text
    assert both.schema["a"].dataType == both.schema["b"].dataType, text
print(len(columns))
""") == ["31"]


def test_streams_and_their_batches(client, tmp_path):
    assert client(f"""
place = {str(tmp_path)!r}
spark.range(3).write.format("delta").save(place + "/source")
spark.sql(f"CREATE TABLE delta.`{{place}}/keyed` (id BIGINT) USING delta")

def write(batch, number):
    DeltaTable.forPath(batch.sparkSession, place + "/keyed").upsert(batch, "id")

source = spark.readStream.format("delta").load(place + "/source")
for writer in (
    source.writeStream.format("delta").option("path", place + "/copy"),
    source.writeStream.foreachBatch(write),
):
    name = str(writer is not None) + str(id(writer))
    writer = writer.option("checkpointLocation", place + "/checkpoints/" + name)
    writer.trigger(availableNow=True).start().awaitTermination()
print(spark.read.format("delta").load(place + "/copy").count())
print(spark.read.format("delta").load(place + "/keyed").count())
""") == ["3", "3"]


def test_server_that_speaks_no_delta_is_named():
    program = """
from pyspark.sql import SparkSession
from puredelta import DeltaTable

spark = SparkSession.builder.remote("local[1]").getOrCreate()
try:
    DeltaTable.forName(spark, "t")
except Exception as error:
    print(type(error).__name__, error.getCondition())
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )

    shown = "DeltaRuntimeException PUREDELTA_CONNECT_SERVER"
    assert done.stdout.splitlines() == [shown], done.stderr
