"""A Spark process that streams files or a table into a table, and says when it has begun."""

import sys

from pyspark.sql import SparkSession

import puredelta


def main(kind, trigger, source, path, checkpoint):
    """Stream one file a batch until all are there, or somebody kills the process."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    reader = spark.readStream.option("maxFilesPerTrigger", 1)
    if kind == "relay":
        rows = reader.format("delta").option("startingVersion", 0).load(source)
    else:
        rows = reader.schema("id BIGINT, at INT").json(source)
    if kind == "upsert":
        table = puredelta.DeltaTable.forPath(spark, path)
        writer = table.upsert_stream(rows, key="id", sequence_by="at")
    else:
        writer = rows.writeStream.format("delta").option("path", path)
    once = trigger == "AvailableNow"
    when = {"availableNow": True} if once else {"processingTime": "0 seconds"}
    query = writer.option("checkpointLocation", checkpoint).trigger(**when).start()
    print("began", flush=True)
    if once:
        query.awaitTermination()
    else:
        query.processAllAvailable()
        query.stop()
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
