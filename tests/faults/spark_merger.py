"""A Spark process that merges into a table until it is killed, and says when it begins and ends.

Each MERGE run again on what it has made leaves the rows as they are.
"""

import sys

from pyspark.sql import SparkSession

import puredelta

ROWS = 1000
STEP = 150
WINDOW = 400

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
}

TABLE = "CREATE TABLE delta.`{path}` (id BIGINT, v BIGINT) USING delta TBLPROPERTIES ({properties})"


def create(spark, path, *, vectors):
    """Make a table of two files, in which all values are 0."""
    said = str(vectors).lower()
    properties = (
        f"'delta.enableDeletionVectors' = '{said}', 'delta.enableChangeDataFeed' = '{said}'"
    )
    spark.sql(TABLE.format(path=path, properties=properties))
    frame = spark.range(ROWS).selectExpr("id", "0L AS v").coalesce(2)
    frame.write.format("delta").mode("append").save(path)


def statement(path, number):
    """The MERGE of a number: it updates, deletes and inserts."""
    start = number * STEP
    return (
        f"MERGE INTO delta.`{path}` AS t USING (SELECT id, {number}L AS v"
        f" FROM range({start}, {start + WINDOW})) AS s ON t.id = s.id"
        " WHEN MATCHED AND s.id % 7 = 0 THEN DELETE"
        " WHEN MATCHED THEN UPDATE SET v = s.v"
        " WHEN NOT MATCHED AND s.id % 7 <> 0 THEN INSERT *"
    )


def state_after(number):
    """The rows of the table after the MERGE of a number and all before it."""
    rows = dict.fromkeys(range(ROWS), 0)
    for one in range(1, number + 1):
        for key in range(one * STEP, one * STEP + WINDOW):
            if key % 7:
                rows[key] = one
            else:
                rows.pop(key, None)
    return rows


def main(path):
    """Merge until somebody kills the process."""
    builder = SparkSession.builder.master("local[2]")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    number = 0
    while True:
        number += 1
        print("begun", number, flush=True)
        spark.sql(statement(path, number))


if __name__ == "__main__":
    main(sys.argv[1])
