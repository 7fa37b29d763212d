"""A Spark process on executors of its own that writes rows which rules of the table refuse.

It prints a line of JSON for each write: its error, and what is left.
"""

import json
import sys
import tempfile

from pyspark.sql import SparkSession

import puredelta
from puredelta.log import open_table


def session():
    """A session with two executors beside the driver."""
    builder = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", tempfile.mkdtemp())
        .config("spark.sql.session.timeZone", "UTC")
    )
    return puredelta.configure(builder).getOrCreate()


def write(spark, path, name, rows):
    """Append rows, and say how it went."""
    told = {"name": name, "error": None}
    try:
        rows.write.format("delta").mode("append").save(path)
    except Exception as error:  # noqa: BLE001  # the test looks at it
        told = {
            "name": name,
            "error": type(error).__name__,
            "condition": error.getCondition(),
            "parameters": error.getMessageParameters(),
        }
    told["version"] = open_table(path).version
    told["rows"] = spark.read.format("delta").load(path).count()
    print(json.dumps(told), flush=True)


def main(path):
    """Write rows that break each kind of rule, then rows that break none."""
    spark = session()
    columns = "id BIGINT, n INT NOT NULL, v VARCHAR(3), d DATE"
    spark.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta")
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT c CHECK (d > '2020-01-01' OR id < 90)")
    good = spark.range(0, 100, 1, 4).selectExpr(
        "id", "1 AS n", "'abc' AS v", "DATE'2020-01-02' AS d"
    )
    last = "id = 99"
    for name, column, value in (
        ("check", "d", "DATE'2019-12-31'"),
        ("required", "n", "CAST(NULL AS INT)"),
        ("length", "v", "'abcd'"),
    ):
        write(
            spark,
            path,
            name,
            good.selectExpr(
                *(
                    f"if({last}, {value}, {each}) AS {each}" if each == column else each
                    for each in good.columns
                )
            ),
        )
    write(spark, path, "good", good)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
