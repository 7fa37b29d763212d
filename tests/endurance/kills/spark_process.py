"""A Spark process that runs the statements that it is asked for, one a line.

With `--configured` it is a Python driver that speaks Delta itself. Otherwise it knows nothing of
this package: the adapters in its JVM start a Python process beside it, as in Spark's shells.
"""

import json
import sys

from pyspark.sql import SparkSession


def main(conf, *options):
    """Start a session, and answer each line with an error, or null."""
    builder = SparkSession.builder.master("local[2]")
    for name, value in json.loads(conf).items():
        builder = builder.config(name, value)
    if "--configured" in options:
        import puredelta

        builder = puredelta.configure(builder)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    tell(None)
    for line in sys.stdin:
        tell(error_of(spark, json.loads(line)))


def tell(error):
    """Answer the last line."""
    print(json.dumps(["answer", error]), flush=True)


def error_of(spark, asked):
    """Do what is asked; return the text of its error, None for success."""
    try:
        run(spark, **asked)
    except Exception as error:  # noqa: BLE001  # whatever it is, the caller looks at it
        return str(error)[:2000]
    return None


def run(spark, statement="", source="", path="", checkpoint=""):
    """Run a statement, or the batches of a stream of files that have not been run yet."""
    if statement:
        spark.sql(statement).collect()
        return
    rows = spark.readStream.schema("id BIGINT, p STRING").json(source)
    writer = rows.writeStream.format("delta").option("checkpointLocation", checkpoint)
    query = writer.trigger(availableNow=True).start(path)
    query.awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
