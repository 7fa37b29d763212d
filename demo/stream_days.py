"""One run of a query that streams one table into another, a commit of the source a batch.

python demo/stream_days.py SOURCE TARGET CHECKPOINT
"""

import sys

from pyspark.sql import SparkSession

import puredelta


def main(source: str, target: str, checkpoint: str) -> None:
    """Read what is new in the source, write it to the target, and end."""
    builder = (
        SparkSession.builder.master("local[*]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    spark = puredelta.configure(builder).getOrCreate()
    days = spark.readStream.format("delta").option("maxFilesPerTrigger", 1).load(source)
    writer = days.writeStream.format("delta").option("checkpointLocation", checkpoint)
    writer.trigger(availableNow=True).start(target).awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
