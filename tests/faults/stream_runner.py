"""A Spark process that streams a folder of JSON files into a table, and says when it has begun."""

import sys

from pyspark.sql import SparkSession

import puredelta


def main(kind, files, path, checkpoint):
    """Stream one file a batch until all are there, or somebody kills the process."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    rows = spark.readStream.schema("id BIGINT, at INT").option("maxFilesPerTrigger", 1).json(files)
    if kind == "upsert":
        table = puredelta.DeltaTable.forPath(spark, path)
        writer = table.upsert_stream(rows, key="id", sequence_by="at")
    else:
        writer = rows.writeStream.format("delta").option("path", path)
    query = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
    print("began", flush=True)
    query.awaitTermination()
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
