"""A Spark process that converts one folder after the other until it is killed."""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import puredelta

FOLDERS, FILES, ROWS = 20, 40, 3


def make(path):
    """Write folders of plain Parquet, each with a partition column `p`."""
    for folder in range(FOLDERS):
        for number in range(FILES):
            place = Path(path, str(folder), f"p={number % 4}", f"{number}.parquet")
            place.parent.mkdir(parents=True, exist_ok=True)
            ids = range(number * ROWS, (number + 1) * ROWS)
            pq.write_table(pa.table({"id": pa.array(ids, pa.int64())}), place)


def main(path):
    """Convert until somebody kills the process, or nothing is left."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    spark = puredelta.configure(builder).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    make(path)
    print("ready", flush=True)
    for number in range(FOLDERS):
        spark.sql(f"CONVERT TO DELTA parquet.`{path}/{number}` PARTITIONED BY (p INT)")
        print("done", number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
