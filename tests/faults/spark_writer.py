"""A Spark process that writes to a table until it is killed, and says what it has done."""

import sys

from pyspark.sql import SparkSession

import puredelta

ROWS = 1000


def mode_of(number):
    """Every third write replaces the table."""
    return "overwrite" if number % 3 == 2 else "append"


def rows_of(number):
    """The rows that a write brings."""
    return range(number * ROWS, (number + 1) * ROWS)


def state_after(count):
    """The rows of the table after so many writes."""
    found = []
    for number in range(count):
        found = ([] if mode_of(number) == "overwrite" else found) + list(rows_of(number))
    return found


def main(path):
    """Write until somebody kills the process."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    number = 0
    while True:
        rows = rows_of(number)
        frame = spark.range(rows.start, rows.stop, 1, 6).selectExpr("id", "repeat('x', 2000) AS s")
        frame.write.format("delta").mode(mode_of(number)).save(path)
        number += 1
        print("done", number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
