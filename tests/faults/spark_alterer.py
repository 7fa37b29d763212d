"""A Spark process that alters a table until it is killed, and says what it has done."""

import sys

from pyspark.sql import SparkSession

import puredelta

ROWS = 60_000
# Statistics cannot prove the constraint, so that every row is looked at.
STATEMENTS = (
    "ALTER TABLE {t} ADD CONSTRAINT c CHECK (pmod(id * 31, 7) < 7)",
    "ALTER TABLE {t} RENAME COLUMN s TO r",
    "ALTER TABLE {t} DROP CONSTRAINT c",
    "ALTER TABLE {t} RENAME COLUMN r TO s",
)


def state_after(count):
    """The name of the text column and the names of the constraints, after so many statements."""
    done = count % len(STATEMENTS)
    return "r" if done in (2, 3) else "s", ["c"] if done in (1, 2) else []


def make(spark, path):
    """A table of some files whose columns may be renamed."""
    table = f"delta.`{path}`"
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT, s STRING) USING delta"
        " TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
    )
    rows = spark.range(0, ROWS, 1, 4).selectExpr("id", "repeat('x', 50) AS s")
    rows.write.format("delta").mode("append").save(path)


def main(path):
    """Alter until somebody kills the process."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    make(spark, path)
    print("ready", flush=True)
    number = 0
    while True:
        spark.sql(STATEMENTS[number % len(STATEMENTS)].replace("{t}", f"delta.`{path}`"))
        number += 1
        print("done", number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
