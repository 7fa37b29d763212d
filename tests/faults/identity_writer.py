"""A Spark process that appends to a table that numbers its rows, and says what it has done."""

import sys

from pyspark.sql import SparkSession

import puredelta

ROWS = 40


def main(path, writer, times):
    """Append so often; each write brings its own values of `v`."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(times):
        first = (writer * 1000 + number) * ROWS
        rows = spark.range(first, first + ROWS, 1, 3).toDF("v")
        rows.write.format("delta").mode("append").save(path)
        print("done", number + 1, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
