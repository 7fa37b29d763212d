"""Code for delta-spark that type checkers in strict mode accept with puredelta-as-delta."""

import delta
import delta.connect
import delta.pip_utils
import delta.version
from delta import DeltaTable, configure_spark_with_delta_pip
from delta.exceptions import (
    ConcurrentAppendException,
    ConcurrentDeleteDeleteException,
    ConcurrentDeleteReadException,
    ConcurrentTransactionException,
    ConcurrentWriteException,
    DeltaConcurrentModificationException,
    MetadataChangedException,
    ProtocolChangedException,
)
from delta.tables import (
    DeltaMergeBuilder,
    DeltaOptimizeBuilder,
    DeltaTableBuilder,
    IdentityGenerator,
)
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from typing_extensions import assert_type

import puredelta
import puredelta.log

CONFLICTS: tuple[type[DeltaConcurrentModificationException], ...] = (
    ConcurrentAppendException,
    ConcurrentDeleteDeleteException,
    ConcurrentDeleteReadException,
    ConcurrentTransactionException,
    ConcurrentWriteException,
    MetadataChangedException,
    ProtocolChangedException,
)


def sessions(builder: SparkSession.Builder) -> SparkSession:
    """Build a session under both names."""
    configured = configure_spark_with_delta_pip(builder, extra_packages=["a:b:1"])
    assert_type(delta.pip_utils.configure_spark_with_delta_pip(builder), SparkSession.Builder)
    assert_type(delta.version.__version__, str)
    assert_type(delta.__version__, str)
    return puredelta.configure(configured).getOrCreate()


def tables(spark: SparkSession) -> puredelta.DeltaTable:
    """Find tables; their class is the one of puredelta."""
    table: puredelta.DeltaTable = DeltaTable.forName(spark, "t")
    assert_type(DeltaTable.forPath(spark, "/t"), DeltaTable)
    assert_type(puredelta.DeltaTable.forPath(spark, "/t"), DeltaTable)
    assert_type(delta.connect.DeltaTable.forPath(spark, "/t"), DeltaTable)
    assert_type(DeltaTable.convertToDelta(spark, "parquet.`/t`", "p INT"), DeltaTable)
    assert_type(DeltaTable.isDeltaTable(spark, "/t"), bool)
    assert_type(table.history(1), DataFrame)
    assert_type(table.vacuum(), DataFrame)
    assert_type(table.restoreToVersion(1), DataFrame)
    assert_type(table.clone("/c", isShallow=True), DeltaTable)
    assert_type(puredelta.log.open_table("/t").version, int)
    return table


def changes(table: DeltaTable, news: DataFrame) -> None:
    """Change rows, and catch what another writer does."""
    table.delete(F.col("id") == 1)
    table.update("id = 1", {"name": "'x'"})
    table.update(set={"name": F.lit("x")})
    merge = table.alias("t").merge(news.alias("s"), "t.id = s.id")
    merge = merge.whenMatchedUpdate(set={"id": "s.id"}).whenMatchedDelete("s.gone")
    merge = merge.whenNotMatchedInsert(values={"id": F.col("s.id")}).whenNotMatchedInsertAll()
    assert_type(merge.whenNotMatchedBySourceDelete(), DeltaMergeBuilder)
    try:
        merge.execute()
        table.upsert(news, key="id")
    except CONFLICTS as error:
        assert_type(error.getCondition(), str)
        assert_type(error.getMessageParameters(), dict[str, str])


def builders(spark: SparkSession, table: DeltaTable) -> DeltaTable:
    """Define a table and put its files together."""
    optimize = table.optimize().where("day = 1")
    assert_type(optimize, DeltaOptimizeBuilder)
    assert_type(optimize.executeZOrderBy("a", "b"), DataFrame)
    assert_type(optimize.executeZOrderBy(["a", "b"]), DataFrame)
    builder = DeltaTable.createIfNotExists(spark).tableName("t").comment("typed")
    number = IdentityGenerator(start=1, step=2)
    builder = builder.addColumn("id", "BIGINT", generatedByDefaultAs=number)
    builder = builder.addColumns(table.toDF().schema).property("a", "b")
    assert_type(builder.partitionedBy("day").clusterBy(["id"]), DeltaTableBuilder)
    return builder.execute()
