"""A program for tests: a Spark session writes and reads tables on a server that speaks S3.

usage: spark_on_s3.py PORT JARS; prints what it saw as the last line, in JSON.
"""

import json
import sys
import uuid

from pyspark.sql import SparkSession

import puredelta
import puredelta.log
from tests.stores.minio import BUCKET, options


def main(port: int, jars: str) -> None:
    given = options(port)
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.jars", jars)
    )
    for key, value in given.items():
        builder = builder.config(f"spark.hadoop.{key}", value)
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")

    place = f"s3a://{BUCKET}/{uuid.uuid4().hex}/t ä"
    spark.range(5).write.format("delta").save(place)
    spark.range(20_000).write.format("delta").mode("append").save(place)
    spark.sql(f"INSERT INTO delta.`{place}` VALUES (100)")
    seen = {
        "rows": spark.read.format("delta").load(place).count(),
        "first version": spark.read.format("delta").option("versionAsOf", 0).load(place).count(),
        "history": spark.sql(f"DESCRIBE HISTORY delta.`{place}`").count(),
        "without Spark": puredelta.log.open_table(place, storage_options=given).version,
        "the session's": puredelta.log.open_table(place).version,
    }
    seen["maintained"] = maintain(spark)
    # Hadoop keeps opened file systems, which know the right key, unless it is told not to.
    spark.conf.set("fs.s3a.secret.key", "wrong")
    own = {**given, "fs.s3a.impl.disable.cache": "true"}
    seen["by its own options"] = spark.read.format("delta").options(**own).load(place).count()
    spark.range(3).write.format("delta").options(**own).mode("append").save(place)
    seen["written by its own"] = spark.read.format("delta").options(**own).load(place).count()
    print(json.dumps(seen | {"place": place}))
    spark.stop()


def maintain(spark: SparkSession) -> dict[str, object]:
    """Run the statements of maintenance on a table of its own."""
    place = f"s3a://{BUCKET}/{uuid.uuid4().hex}/m ä"
    for number in range(4):
        frame = spark.range(number * 10, number * 10 + 10, 1, 1)
        frame.write.format("delta").mode("append").save(place)
    done = spark.sql(f"OPTIMIZE delta.`{place}` ZORDER BY (id)").first().metrics
    seen: dict[str, object] = {"optimized": [done.numFilesRemoved, done.numFilesAdded]}
    spark.sql(f"DELETE FROM delta.`{place}` WHERE id < 10")
    seen["deleted"] = spark.read.format("delta").load(place).count()
    done = spark.sql(f"RESTORE TABLE delta.`{place}` TO VERSION AS OF 4").first()
    seen["restored"] = [done.num_restored_files, spark.read.format("delta").load(place).count()]
    spark.sql(f"CREATE TABLE delta.`{place} clone` SHALLOW CLONE delta.`{place}`")
    spark.sql(f"INSERT INTO delta.`{place} clone` VALUES (99)")
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    # Four small files; the vector or the file that the DELETE wrote, which may be in the log.
    seen["would go"] = spark.sql(f"VACUUM delta.`{place}` RETAIN 0 HOURS DRY RUN").count() >= 4
    spark.sql(f"VACUUM delta.`{place}` RETAIN 0 HOURS")
    spark.sql(f"VACUUM delta.`{place} clone` RETAIN 0 HOURS")
    seen["left"] = spark.sql(f"VACUUM delta.`{place}` RETAIN 0 HOURS DRY RUN").count()
    seen["rows"] = spark.read.format("delta").load(place).count()
    seen["rows of the clone"] = spark.read.format("delta").load(f"{place} clone").count()
    return seen


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
