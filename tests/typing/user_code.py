"""What users write, for type checkers to accept; `make lint` has mypy read it, nothing runs it."""

from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import StructType
from typing_extensions import assert_type

import puredelta
import puredelta.log
from puredelta.api import StatementResult
from puredelta.conversion.report import Conversion
from puredelta.tables import DeltaMergeBuilder, DeltaTable
from puredelta.testing import (
    CommitSummary,
    assert_history,
    assert_table_equal,
    conflicting_commit,
    failed_commit,
    history_of,
    lost_reply,
)
from puredelta.testing.tables import TableFactory


def sessions() -> None:
    """Build sessions."""
    builder = puredelta.configure(SparkSession.builder.appName("typed"))
    spark: SparkSession = builder.getOrCreate()
    assert_type(puredelta.enable(spark), SparkSession)
    puredelta.configure_spark_with_delta_pip(SparkSession.builder, ["a:b:1"]).getOrCreate()
    puredelta.install_as_delta()


def tables(spark: SparkSession) -> None:
    """Find tables and look at them."""
    table = DeltaTable.forPath(spark, "/data/t")
    assert_type(table, DeltaTable)
    folder = Path("/data/t")
    assert_type(DeltaTable.forPath(spark, folder), DeltaTable)
    assert_type(DeltaTable.isDeltaTable(spark, folder), bool)
    assert_type(DeltaTable.create(spark).location(folder).execute(), DeltaTable)
    assert_type(puredelta.log.open_table(folder).version, int)
    puredelta.check_table(folder)
    assert_type(puredelta.DeltaTable.forName(spark, "t"), DeltaTable)
    assert_type(table.toDF(), DataFrame)
    assert_type(table.alias("a"), DeltaTable)
    assert_type(table.history(5), DataFrame)
    assert_type(table.detail(), DataFrame)
    assert_type(DeltaTable.isDeltaTable(spark, "/data/t"), bool)


def inside(spark: SparkSession) -> pa.Table:
    """Look inside a table."""
    table = DeltaTable.forPath(spark, "/data/t")
    assert_type(table.files(), DataFrame)
    assert_type(table.partitions(), DataFrame)
    assert_type(table.stats("a.b"), DataFrame)
    assert_type(table.protocol(), DataFrame)
    told = table.explain_files("id > 7")
    assert_type(told.files, int)
    assert_type(told.paths(), list[str])
    print(len(table.inspect.history(5)), *told.parts)
    return table.inspect.at(version=3).checkpoints().to_arrow()


def verbs(spark: SparkSession) -> None:
    """Append and replace."""
    table = DeltaTable.forName(spark, "t")
    assert_type(table.delete("id = 1"), StatementResult)
    assert_type(table.update("id = 1", {"v": "'x'"}), StatementResult)
    rows = pa.table({"id": [1]})
    table.upsert(rows, "id")
    table.alias("t").merge(rows, "t.id = source.id").whenMatchedDelete().execute()
    added = table.append_new(spark.range(5).toDF("id"), key=["id"])
    assert_type(added.rows, int | None)
    assert_type(added.changed, bool)
    replaced = table.replace_where(spark.range(5).toDF("id"), "id < 5")
    assert_type(replaced.removed_files, int)


def conversions(spark: SparkSession) -> None:
    """Convert Parquet, or ask what would become of it."""
    table = DeltaTable.convertToDelta(spark, "parquet.`/lake`", "p INT", onBadFile="skip")
    assert_type(table, DeltaTable)
    assert_type(table.conversion, Conversion | None)
    assert_type(DeltaTable.convertToDelta(spark, "lake", StructType()), DeltaTable)
    told = DeltaTable.convertToDelta(spark, "parquet.`/lake`", inferPartitions=True, dryRun=True)
    assert_type(told, Conversion)
    assert_type(told.rows, int | None)
    print(*[(problem.path, problem.condition, problem.reason) for problem in told.problems])


def changes(spark: SparkSession) -> None:
    """Change columns, constraints and properties, or ask what that would do."""
    table = DeltaTable.forName(spark, "t")
    table.addConstraint("positive", "id > 0", notValid=True)
    table.validateConstraint("positive")
    assert_type(table.constraints(), DataFrame)
    table.dropConstraint("positive", ifExists=True)
    table.addColumns("n INT COMMENT 'x'")
    table.addColumns(spark.range(1).schema)
    table.alterColumn("n", type="bigint", comment="", nullable=False, position="FIRST")
    table.replaceColumns(spark.range(1).schema.fields)
    table.dropColumns("a", "s.x", ifExists=True)
    told = table.renameColumn("n", "m", dryRun=True)
    if told is not None:
        assert_type(told.readers_losing_access, tuple[str, ...])
        print(told, *told.columns, *told.properties)
    table.setProperties({"delta.appendOnly": "true"})
    table.unsetProperties("delta.appendOnly", "comment", dryRun=True)


def rows(spark: SparkSession, news: DataFrame) -> None:
    """Change rows, and ask what that would do."""
    table = DeltaTable.forName(spark, "t")
    table.delete("id = 1", retry=2)
    table.delete(F.col("id") == 1)
    table.update("id = 1", {"name": "'x'", "n": F.lit(1)})
    table.update(set={"name": "'x'"})
    merge = table.alias("t").merge(news.alias("s"), "t.id = s.id")
    merge = merge.whenMatchedUpdate("s.n > 1", {"n": "s.n"}).whenMatchedDelete()
    merge = merge.whenNotMatchedInsert(values={"id": F.col("s.id")}).whenNotMatchedInsertAll()
    merge = merge.whenNotMatchedBySourceDelete("t.n = 0").withSchemaEvolution()
    assert_type(merge, DeltaMergeBuilder)
    assert_type(merge.execute(retry=1), StatementResult)
    assert_type(merge.execute(dryRun=True).bytes_to_rewrite, int)
    assert_type(merge.explain().rows_inserted, int | None)
    assert_type(table.upsert(news, key="id", orderBy="n", retry=3).inserted, int)
    assert_type(table.scd2(news, key=["id"], at=F.current_date()).ended, int)
    assert_type(table.dedupe(orderBy="n").deleted, int)
    assert_type(table.upsert(news, "id", dryRun=True).rows_updated, int | None)
    assert_type(table.scd2(news, "id", dryRun=True).rewritten_files, int)
    assert_type(table.append_new(news, "id", dryRun=True).rows_inserted, int | None)
    assert_type(table.dedupe(dryRun=True).bytes_to_rewrite, int)


def builders(spark: SparkSession) -> DeltaTable:
    """Create a table with the builder."""
    return (
        DeltaTable.createIfNotExists(spark)
        .tableName("t")
        .addColumn("id", "BIGINT", nullable=False)
        .addColumn("day", "DATE", comment="the day of it")
        .partitionedBy("day")
        .property("delta.appendOnly", "true")
        .comment("typed")
        .execute()
    )


def log() -> pa.Table:
    """Read the log without Spark."""
    table = puredelta.log.open_table("s3://bucket/t", version=3, storage_options={"region": "x"})
    assert_type(table.version, int)
    names: list[str] = [field.name for field in table.schema]
    print(names, table.history(limit=1)[0]["operation"], table.detail()["numFiles"])
    return table.files()


def without_spark() -> None:
    """Read and write without Spark."""
    rows = pl.DataFrame({"id": [1]})
    assert_type(puredelta.write_table("/data/t", rows).version, int)
    puredelta.write_table(Path("/data/t"), rows.lazy(), "overwrite", partition_by="id")
    puredelta.write_table("/data/t", pa.table({"id": [1]}), mode="ignore", properties={"a": "b"})
    table = puredelta.open_table("/data/t")
    assert_type(table.to_polars(["id"], filter=[("id", "=", 1)]), pl.DataFrame)
    dataset: ds.Dataset = table.to_dataset()
    dataset.count_rows()


def tests(delta_table: TableFactory, spark: SparkSession) -> None:
    """Test a table."""
    table = delta_table([{"id": 1, "v": None}], "id INT, v STRING", partition_by=["v"], name="t")
    assert_type(table, DeltaTable)
    assert_type(delta_table([(1, "a")], spark.range(1).schema), DeltaTable)
    delta_table(pa.table({"id": [1]}), properties={"delta.appendOnly": "true"})
    delta_table(Path("/data/rows.parquet"))
    assert_table_equal(table, spark.range(1), columns=["id"], check_types=False, rtol=0.1)
    assert_table_equal(table.toDF(), [{"id": 1, "v": None}], check_row_order=True)
    assert_table_equal("/data/t", [(1, "a"), (2, None)])
    assert_table_equal(puredelta.open_table("/data/t"), pa.table({"id": [1]}))
    assert_table_equal(puredelta.log.open_table("/data/t"), table.toDF().collect())
    assert_history(table, ["WRITE", ("MERGE", {"numTargetRowsInserted": 2})], after=3)
    assert_type(history_of(Path("/data/t")), list[CommitSummary])
    with conflicting_commit(table, lambda: table.delete("id = 1")), lost_reply(table):
        table.delete("id = 2")
    with failed_commit("/data/t"):
        spark.sql("DELETE FROM t")
