"""What a process of plain Spark runs: a table that Hive's own Parquet writer writes.

hive_writer.py FOLDER SOURCE: FOLDER/flights and FOLDER/nested, of the Parquet file SOURCE.
"""

import sys
from pathlib import Path

from pyspark.sql import SparkSession

NESTED = """
    SELECT CAST(1 AS TINYINT) AS tiny, CAST(2.50 AS DECIMAL(10, 2)) AS dec, 1.5F AS f,
        TIMESTAMP'1969-12-31 23:59:59.123' AS at, DATE'1900-01-01' AS day,
        array(1, NULL, 3) AS list, map('a', 1, 'b', NULL) AS pairs,
        named_struct('x', array(named_struct('y', 'deep')), 'z', true) AS st, 'a/b %' AS p
    UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, array(), map(), NULL, NULL
    UNION ALL SELECT CAST(-1 AS TINYINT), -99999999.99, -0.0F, TIMESTAMP'2024-05-01 10:00:00',
        DATE'2024-02-29', NULL, NULL, named_struct('x', NULL, 'z', NULL), 'a/b %'
"""


def main(folder: Path, source: Path) -> None:
    """Write both tables."""
    session = (
        SparkSession.builder.master("local[2]")
        .enableHiveSupport()
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.hadoop.javax.jdo.option.ConnectionURL", "jdbc:derby:memory:m;create=true")
        .config("spark.hadoop.hive.exec.dynamic.partition.mode", "nonstrict")
        .config("spark.hadoop.hive.exec.stagingdir", ".hive-staging")
        # Otherwise Spark puts its own writer in the place of Hive's.
        .config("spark.sql.hive.convertMetastoreParquet", "false")
        .config("spark.sql.hive.convertInsertingPartitionedTable", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config(
            "spark.driver.extraJavaOptions", f"-Dderby.system.home={folder} -Duser.timezone=UTC"
        )
        .getOrCreate()
    )
    session.read.parquet(str(source)).createOrReplaceTempView("source")
    flights = [name for name in session.table("source").columns if name not in ("month", "delay")]
    write(session, folder / "flights", f"SELECT {', '.join(flights)}, month, delay FROM source", 2)
    write(session, folder / "nested", NESTED, 1)
    session.stop()


def write(session: SparkSession, folder: Path, query: str, partitions: int) -> None:
    """Write the rows of a query, partitioned by its last columns."""
    columns = [f"`{f.name}` {f.dataType.simpleString()}" for f in session.sql(query).schema]
    data, by = ", ".join(columns[:-partitions]), ", ".join(columns[-partitions:])
    session.sql(
        f"CREATE EXTERNAL TABLE {folder.name} ({data}) PARTITIONED BY ({by})"
        f" STORED AS PARQUET LOCATION '{folder}'"
    )
    session.sql(f"INSERT INTO {folder.name} {query}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
