"""A Spark process on executors of its own whose tasks fail once, dawdle once, or fail for good.

It prints a line of JSON for each table that it wrote to: what happened and what attempts ran.
"""

import json
import os
import sys
import tempfile
import time

from pyspark import SparkContext, TaskContext
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


def cluster(gateway):
    """Start a master and two workers that believe to be on hosts of their own; return its URL.

    Spark runs the copy of a slow task on another host only, and a local cluster has but one.
    """
    jvm = gateway.jvm
    conf = jvm.org.apache.spark.SparkConf()
    deploy = jvm.org.apache.spark.deploy
    start_master = getattr(getattr(deploy.master, "Master$"), "MODULE$").startRpcEnvAndEndpoint
    start_worker = getattr(getattr(deploy.worker, "Worker$"), "MODULE$").startRpcEnvAndEndpoint
    url = start_master("127.0.0.1", 0, 0, conf)._1().address().toSparkURL()
    masters = gateway.new_array(jvm.String, 1)
    masters[0] = url
    none = jvm.scala.Option.empty()
    for number in (2, 3):
        work = tempfile.mkdtemp()
        number_of = jvm.scala.Option.apply(number)
        start_worker(f"127.0.0.{number}", 0, 0, 2, 1024, masters, work, number_of, conf, none)
    return url


def main(folder):
    """Write one table a way of failing."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = puredelta.configure(
        SparkSession.builder.config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.memory", "600m")
        .config("spark.speculation", "true")
        .config("spark.speculation.interval", "100ms")
        .config("spark.speculation.multiplier", "1.1")
        .config("spark.speculation.quantile", "0.5")
        .config("spark.speculation.minTaskRuntime", "1s")
        .config("spark.task.maxFailures", "2")
    )
    SparkContext._ensure_initialized()
    builder = builder.master(cluster(SparkContext._gateway))
    spark = builder.getOrCreate()
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
