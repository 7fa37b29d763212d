"""A Spark process that replaces a table some times, each time by other rows in another layout."""

import sys

from pyspark.sql import SparkSession

import puredelta


def rows_of(number):
    """How many rows a generation has."""
    return 10 + number


def replacement(path, number):
    """The statement that puts a generation in the place of the one before."""
    layout = "PARTITIONED BY (part)" if number % 2 else ""
    columns = f"id, {number} AS generation, id % 3 AS part"
    return (
        f"CREATE OR REPLACE TABLE delta.`{path}` USING delta {layout}"
        f" AS SELECT {columns} FROM range(0, {rows_of(number)}, 1, 2)"
    )


def main(path, times):
    """Make the table, say so, and replace it."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    spark.sql(replacement(path, 0))
    print("made", flush=True)
    for number in range(1, times + 1):
        spark.sql(replacement(path, number))
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
