"""Makes the tables beside it: `python make.py RUNTIME.jar`, with PySpark 4.0 and Iceberg's runtime.

RUNTIME.jar is org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.10.0 from Maven Central.
"""

import shutil
import sys
from pathlib import Path

from pyspark.sql import SparkSession

HERE = Path(__file__).parent
WAREHOUSE = Path("/tmp/warehouse")

STATEMENTS = """
CREATE TABLE lake.d.columns (id BIGINT NOT NULL, name STRING COMMENT 'who', at TIMESTAMP,
    ntz TIMESTAMP_NTZ, amount DECIMAL(10,2), tags ARRAY<STRUCT<k: STRING, v: INT>>,
    m MAP<STRING, DOUBLE>, day DATE, n INT) USING iceberg PARTITIONED BY (day, name);
INSERT INTO lake.d.columns SELECT id,
    CASE id % 3 WHEN 0 THEN 'a/b' WHEN 1 THEN NULL ELSE 'c d' END,
    timestamp'2024-01-01 00:00:00' + make_interval(0, 0, 0, id),
    timestamp_ntz'2024-01-01 00:00:00.123456', CAST(id AS DECIMAL(10,2)) / 3,
    array(named_struct('k', 'x', 'v', int(id))), map('z', double(id)),
    date'2024-01-01' + int(id % 2), int(id) FROM range(10);
ALTER TABLE lake.d.columns RENAME COLUMN amount TO price;
ALTER TABLE lake.d.columns RENAME COLUMN tags.element.v TO w;
ALTER TABLE lake.d.columns ALTER COLUMN n TYPE BIGINT;
ALTER TABLE lake.d.columns DROP COLUMN at;
ALTER TABLE lake.d.columns ADD COLUMN at STRING;
INSERT INTO lake.d.columns (id, name, ntz, price, tags, m, day, n, at) SELECT 100, 'new', NULL, 5,
    array(named_struct('k', 'y', 'w', 3)), map(), date'2024-02-02', 5000000000, 'later';
CREATE TABLE lake.d.deletes_v2 (id BIGINT, s STRING, p INT) USING iceberg PARTITIONED BY (p)
    TBLPROPERTIES ('format-version' = '2', 'write.delete.mode' = 'merge-on-read',
    'write.update.mode' = 'merge-on-read');
INSERT INTO lake.d.deletes_v2 SELECT id, concat('s', id), int(id % 2) FROM range(100);
DELETE FROM lake.d.deletes_v2 WHERE id % 7 = 0;
UPDATE lake.d.deletes_v2 SET s = 'updated' WHERE id = 5;
CREATE TABLE lake.d.deletes_v3 (id BIGINT, s STRING, p INT) USING iceberg PARTITIONED BY (p)
    TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read',
    'write.update.mode' = 'merge-on-read');
INSERT INTO lake.d.deletes_v3 SELECT id, concat('s', id), int(id % 2) FROM range(100);
DELETE FROM lake.d.deletes_v3 WHERE id % 7 = 0;
UPDATE lake.d.deletes_v3 SET s = 'updated' WHERE id = 5;
CREATE TABLE lake.d.transforms (id BIGINT, ts TIMESTAMP, s STRING) USING iceberg
    PARTITIONED BY (days(ts), bucket(4, id), truncate(2, s));
INSERT INTO lake.d.transforms SELECT id, timestamp'2024-01-01 00:00:00'
    + make_interval(0, 0, 0, int(id)), concat('abc', id) FROM range(5);
CREATE TABLE lake.d.evolved (id BIGINT, p STRING, q STRING) USING iceberg PARTITIONED BY (p);
INSERT INTO lake.d.evolved VALUES (1, 'a', 'x'), (2, 'b', 'y');
ALTER TABLE lake.d.evolved ADD PARTITION FIELD q;
INSERT INTO lake.d.evolved VALUES (3, 'a', 'x'), (4, 'b', 'y');
CREATE TABLE lake.d.imported (id BIGINT, name STRING, s STRUCT<a: INT, b: STRING>, l ARRAY<BIGINT>,
    p INT) USING iceberg PARTITIONED BY (p);
CALL lake.system.add_files(table => 'd.imported',
    source_table => '`parquet`.`/tmp/warehouse/d/imported/files`');
INSERT INTO lake.d.imported VALUES (100, 'own', struct(7, 'z'), array(9), 2);
ALTER TABLE lake.d.imported ADD COLUMN more STRING;
"""


def main(runtime: str) -> None:
    """Make the tables, and write what Iceberg reads of them."""
    shutil.rmtree(WAREHOUSE, ignore_errors=True)
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars", runtime)
        .config(
            "spark.sql.extensions",
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        )
        .config("spark.sql.catalog.lake", "org.apache.iceberg.spark.SparkCatalog")
        .config("spark.sql.catalog.lake.type", "hadoop")
        .config("spark.sql.catalog.lake.warehouse", str(WAREHOUSE))
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sql(
        "SELECT id, concat('n', id) name, struct(int(id) a, 'b' b) s, array(id, NULL) l,"
        " int(id % 2) p FROM range(4)"
    ).coalesce(1).write.partitionBy("p").parquet(f"{WAREHOUSE}/d/imported/files")
    for statement in STATEMENTS.split(";\n"):
        if statement.strip():
            spark.sql(statement)
    for table in sorted(WAREHOUSE.glob("d/*")):
        rows = spark.sql(f"SELECT to_json(struct(*)) j FROM lake.d.{table.name} ORDER BY id")
        lines = [row.j + "\n" for row in rows.collect()]
        (HERE / f"{table.name}.rows.json").write_text("".join(lines))
        hidden = shutil.ignore_patterns("*.crc", "_SUCCESS")
        shutil.rmtree(HERE / table.name, ignore_errors=True)
        shutil.copytree(table, HERE / table.name, ignore=hidden)


if __name__ == "__main__":
    main(sys.argv[1])
