"""A Spark process on executors of its own whose tasks fail once, dawdle once, or fail for good.

It prints a line of JSON for each table that it wrote to: what happened and what attempts ran.
"""

import json
import sys
import time

from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know
from pyspark.sql.types import LongType

import puredelta

PARTS = 4
ROWS = 400


def fails_once(value):
    """Fail in the middle of one part, the first time."""
    context = TaskContext.get()
    if context.partitionId() == 1 and context.attemptNumber() == 0 and value % 100 == 60:
        raise RuntimeError("the first attempt fails")
    return value


def dawdles_once(value):
    """Take long in the middle of one part, the first time."""
    context = TaskContext.get()
    if context.partitionId() == 2 and context.attemptNumber() == 0 and value % 100 == 60:
        time.sleep(20)
    return value


def fails(value):
    """Fail in the middle of one part, each time; the other parts are done by then."""
    if TaskContext.get().partitionId() == 3 and value % 100 == 60:
        time.sleep(0.5)
        raise RuntimeError("all attempts fail")
    return value


def write(spark, path, work, partition_by):
    """Write the rows through a function, and say how it went."""
    through = F.udf(work, LongType())
    frame = spark.range(0, ROWS, 1, PARTS).select(through("id").alias("id"))
    frame = frame.withColumn("p", F.expr("id % 2"))
    began = time.monotonic()
    try:
        frame.write.format("delta").mode("append").partitionBy(*partition_by).save(path)
        outcome = "done"
    except Exception as error:  # noqa: BLE001  # the test looks at what is left
        outcome = type(error).__name__
    told = {"path": path, "outcome": outcome, "seconds": time.monotonic() - began}
    print(json.dumps(told), flush=True)


def main(folder):
    """Write one table a way of failing."""
    builder = (
        SparkSession.builder.master("local-cluster[2,2,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.speculation", "true")
        .config("spark.speculation.interval", "100ms")
        .config("spark.speculation.multiplier", "1.1")
        .config("spark.speculation.quantile", "0.5")
        .config("spark.speculation.minTaskRuntime", "1s")
        .config("spark.task.maxFailures", "2")
        # A small batch, so that rows are on disk when a task fails.
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "10")
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    write(spark, f"{folder}/retried", fails_once, [])
    write(spark, f"{folder}/retried_in_partitions", fails_once, ["p"])
    write(spark, f"{folder}/speculated", dawdles_once, [])
    spark.range(ROWS, ROWS + 1).selectExpr("id", "id % 2 as p").write.format("delta").save(
        f"{folder}/failed"
    )
    write(spark, f"{folder}/failed", fails, [])
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
