"""A Spark process that changes rows of a table, and says what it has done.

Without arguments it runs UPDATE, DELETE and MERGE in turn until it is killed; given some keys it
changes the rows of these alone, while another process does so with others of the same file.
"""

import sys

from pyspark.sql import SparkSession

import puredelta

ROWS = 3000
STEPS = 12
TRIES = 50

TABLE = "CREATE TABLE delta.`{path}` (id BIGINT, v BIGINT) USING delta TBLPROPERTIES ({properties})"


def create(spark, path, rows=ROWS, *, vectors):
    """Make a table of one file, in which all values are 0."""
    properties = f"'delta.enableDeletionVectors' = '{str(vectors).lower()}'"
    spark.sql(TABLE.format(path=path, properties=properties))
    frame = spark.range(rows).selectExpr("id", "0L AS v").coalesce(1)
    frame.write.format("delta").mode("append").save(path)


def statement(path, number):
    """The statement of a number; which rows it concerns depends on that."""
    table, part = f"delta.`{path}`", f"id % {STEPS} = {number % STEPS}"
    merge = (
        f"MERGE INTO {table} AS t USING (SELECT id FROM range({ROWS}) WHERE {part}) AS s"
        " ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = t.v + 10"
        " WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 5)"
    )
    return (
        f"UPDATE {table} SET v = v + 1 WHERE {part}",
        f"DELETE FROM {table} WHERE {part} AND id < {ROWS // 2} AND v = 0",
        merge,
    )[number % 3]


def state_after(count):
    """The rows of the table after so many statements."""
    rows = dict.fromkeys(range(ROWS), 0)
    for number in range(count):
        part = [key for key in range(ROWS) if key % STEPS == number % STEPS]
        if number % 3 == 0:
            rows.update({key: rows[key] + 1 for key in part if key in rows})
        elif number % 3 == 1:
            for key in part:
                if key < ROWS // 2 and rows.get(key) == 0:
                    del rows[key]
        else:
            rows.update({key: rows[key] + 10 if key in rows else 5 for key in part})
    return rows


def change(spark, path):
    """Change rows until somebody kills the process."""
    number = 0
    while True:
        spark.sql(statement(path, number))
        number += 1
        print("done", number, flush=True)


def new_key(keys, number):
    """The key that a round adds, and the next one deletes; no other process has it."""
    return 1000 * (1 + min(keys)) + number


def change_keys(spark, path, keys, times):
    """Update, merge and delete rows of one's own; again where another writer was in the way."""
    table = puredelta.DeltaTable.forPath(spark, path)
    for number in range(times):
        listed = ", ".join(map(str, keys))
        table.update(f"id IN ({listed})", {"v": "v + 1"}, retry=TRIES)
        rows = [(key, 10) for key in (*keys, new_key(keys, number))]
        merge = table.alias("t").merge(
            spark.createDataFrame(rows, "id BIGINT, v BIGINT").alias("s"), "t.id = s.id"
        )
        merge = merge.whenMatchedUpdate(set={"v": "t.v + s.v"}).whenNotMatchedInsertAll()
        merge.execute(retry=TRIES)
        table.delete(f"id = {new_key(keys, number - 1)}", retry=TRIES)
    print("done", flush=True)


def keys_after(keys, times):
    """The rows that `change_keys` leaves of its keys, if all values were 0."""
    return {**dict.fromkeys(keys, 11 * times), new_key(keys, times - 1): 10}


def main(path, *asked):
    """Do what is asked on a table that is there."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    if not asked:
        change(spark, path)
    print("ready", flush=True)
    sys.stdin.readline()
    change_keys(spark, path, [int(key) for key in asked[1:]], int(asked[0]))


if __name__ == "__main__":
    main(*sys.argv[1:])
