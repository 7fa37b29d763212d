"""One short walk through the package, for a PySpark that is installed beside the wheel.

smoke.py MASTER FOLDER: prints what it ran on as JSON, or fails.
"""

import json
import sys
from pathlib import Path

import pyspark
from pyspark.sql import DataFrame, Row, SparkSession

import puredelta
import puredelta.log
from puredelta.errors import DeltaError

ROWS = [(1, "a", 10.5), (2, "b", None), (3, None, -1.0)]


def main(master: str, folder: Path) -> None:
    """Run every step in one session."""
    spark = start_session(master, folder)
    path = str(folder / "by path")
    writes_and_reads_by_path(spark, path)
    travels_in_time(spark, path)
    speaks_sql(spark)
    keeps_to_constraints(spark)
    changes_columns(spark)
    converts_parquet(spark, folder)
    converts_lists_of_the_older_form(spark, folder)
    reads_void(spark)
    for vectors in (False, True):
        changes_rows(spark, str(folder / f"rows-{vectors}"), vectors=vectors)
    puts_files_together(spark)
    keeps_rows_clustered(spark)
    goes_back_and_clones(spark, folder)
    deletes_what_nothing_needs(spark)
    answers_the_python_api(spark, path)
    shows_the_log_without_spark(path)
    spark.stop()
    print(json.dumps({"pyspark": pyspark.__version__, "from": puredelta.__file__}))


def start_session(master: str, folder: Path) -> SparkSession:
    """Start a session of ours whose tables lie in the folder."""
    builder = (
        SparkSession.builder.master(master)
        .appName("smoke")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
    )
    return puredelta.configure(builder).getOrCreate()


def writes_and_reads_by_path(spark: SparkSession, path: str) -> None:
    """Create, append, and read with a filter on a partition and on a column."""
    frame = spark.createDataFrame(ROWS, "id BIGINT, name STRING, amount DOUBLE")
    frame.write.format("delta").partitionBy("name").save(path)
    spark.range(4, 1004).selectExpr(
        "id", "concat('n', id % 3) AS name", "CAST(id AS DOUBLE) AS amount"
    ).write.format("delta").mode("append").save(path)
    table = spark.read.format("delta").load(path)
    expect(table.count(), 1003)
    expect(sorted(r.id for r in table.where("name = 'n1' AND id < 10").collect()), [4, 7])
    expect(table.where("name IS NULL").collect(), [Row(id=3, name=None, amount=-1.0)])


def travels_in_time(spark: SparkSession, path: str) -> None:
    """Read the first version by an option and by SQL."""
    reader = spark.read.format("delta").option("versionAsOf", 0)
    expect(reader.load(path).count(), len(ROWS))
    expect(count(spark.sql(f"SELECT * FROM delta.`{path}` VERSION AS OF 0")), len(ROWS))


def speaks_sql(spark: SparkSession) -> None:
    """Create tables by statement and by query, insert, join, drop."""
    spark.sql("CREATE TABLE people (id INT, name STRING) USING delta PARTITIONED BY (name)")
    spark.sql("INSERT INTO people VALUES (1, 'ann'), (2, 'bob')")
    spark.sql("INSERT INTO people (name, id) SELECT 'cid', 3")
    spark.sql("CREATE TABLE older USING delta AS SELECT id + 10 AS id, name FROM people")
    joined = spark.sql("SELECT p.id, o.id FROM people p JOIN older o USING (name) ORDER BY 1")
    expect([tuple(row) for row in joined.collect()], [(1, 11), (2, 12), (3, 13)])
    operations = [row.operation for row in spark.sql("DESCRIBE HISTORY people").collect()]
    expect(operations, ["WRITE", "WRITE", "CREATE TABLE"])
    expect(spark.sql("DESCRIBE DETAIL people").first().partitionColumns, ["name"])
    spark.sql("DROP TABLE older")
    expect([row.tableName for row in spark.sql("SHOW TABLES").collect()], ["people"])


def keeps_to_constraints(spark: SparkSession) -> None:
    """Declare, add, violate, validate and drop CHECK constraints; no grammar of 4.0 knows them."""
    spark.sql("CREATE TABLE ruled (id INT, n INT, CONSTRAINT few CHECK (n < 100)) USING delta")
    spark.sql("INSERT INTO ruled VALUES (6, 1), (7, 2)")
    spark.sql("ALTER TABLE ruled ADD CONSTRAINT big CHECK (id > 5)")
    spark.sql("ALTER TABLE ruled ADD CONSTRAINT odd CHECK (id % 2 = 1) NOT VALID")
    told = refusal(spark, "INSERT INTO ruled VALUES (3, 1)")
    expect(" - id : 3" in told.splitlines(), True)
    expect("few (n < 100)" in refusal(spark, "INSERT INTO ruled VALUES (9, NULL)"), True)
    wrong = "SELECT INT(id), INT(id) FROM range(7, 400, 2)"
    expect("few (n < 100)" in refusal(spark, f"INSERT INTO ruled {wrong}"), True)
    expect("1 row" in refusal(spark, "ALTER TABLE ruled VALIDATE CONSTRAINT odd"), True)
    expect(count(spark.table("ruled")), 2)
    spark.sql("ALTER TABLE ruled DROP CONSTRAINT odd")
    spark.sql("ALTER TABLE ruled DROP CONSTRAINT IF EXISTS nope")
    states = puredelta.DeltaTable.forName(spark, "ruled").constraints().orderBy("name").collect()
    expect([row.name for row in states], ["big", "few"])
    spark.sql("DROP TABLE ruled")


def changes_columns(spark: SparkSession) -> None:
    """Rename, add, move, widen and drop columns, at the top and in a struct."""
    spark.sql("CREATE TABLE changed (id INT, s STRUCT<a: INT, b: STRING>, p INT) USING delta")
    spark.sql("INSERT INTO changed VALUES (1, named_struct('a', 1, 'b', 'x'), 1)")
    for change in (
        "SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')",
        "SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')",
        "RENAME COLUMN s.b TO `the b`",
        "RENAME COLUMN p TO q",
        "ADD COLUMN p STRING FIRST",
        "ALTER COLUMN q AFTER p",
        "ALTER COLUMN id TYPE BIGINT",
        "ALTER COLUMN id SET NOT NULL",
        "ALTER COLUMN q COMMENT 'was p'",
        "DROP COLUMN s.a",
    ):
        spark.sql(f"ALTER TABLE changed {change}")
    spark.sql("INSERT INTO changed VALUES ('new', 2, 5000000000, named_struct('the b', 'y'))")
    rows = spark.sql("SELECT p, q, id, s.`the b` FROM changed ORDER BY id").collect()
    expect([tuple(row) for row in rows], [(None, 1, 1, "x"), ("new", 2, 5000000000, "y")])
    expect(spark.sql("SELECT p FROM changed VERSION AS OF 1").first().p, 1)
    spark.sql("DROP TABLE changed")


def refusal(spark: SparkSession, statement: str) -> str:
    """What an error says."""
    try:
        spark.sql(statement)
    except DeltaError as error:
        return str(error)
    return sys.exit(f"not refused: {statement}")


def answers_the_python_api(spark: SparkSession, path: str) -> None:
    """Use DeltaTable by path and by name."""
    table = puredelta.DeltaTable.forPath(spark, path)
    expect([row.version for row in table.history().collect()], [1, 0])
    expect(puredelta.DeltaTable.forName(spark, "people").toDF().count(), 3)
    expect(puredelta.DeltaTable.isDeltaTable(spark, str(Path(path).parent)), False)


def converts_parquet(spark: SparkSession, folder: Path) -> None:
    """Make tables of a folder and of a table of the catalog; footers by executors, too."""
    rows = spark.range(40).selectExpr("id", "id % 3 AS p", "timestamp_seconds(id) AS at")
    for most in ("1000", "0"):
        place = str(folder / f"lake-{most}")
        rows.write.partitionBy("p").parquet(place)
        spark.conf.set("spark.puredelta.convert.filesOnDriver", most)
        spark.sql(f"CONVERT TO DELTA parquet.`{place}` PARTITIONED BY (p INT)")
        found = spark.table(f"delta.`{place}`").where("p = 1 AND at < timestamp_seconds(20)")
        expect(sorted(row.id for row in found.collect()), [1, 4, 7, 10, 13, 16, 19])
    spark.conf.unset("spark.puredelta.convert.filesOnDriver")
    rows.write.format("parquet").saveAsTable("old")
    table = puredelta.DeltaTable.convertToDelta(spark, "old")
    expect(table.history().first().operation, "CONVERT")
    expect(spark.table("old").count(), 40)


def converts_lists_of_the_older_form(spark: SparkSession, folder: Path) -> None:
    """Keep a VARIANT column beside a list that Spark wrote in Hive's way."""
    place = str(folder / "lake-older")
    spark.conf.set("spark.sql.parquet.writeLegacyFormat", "true")
    spark.sql("SELECT array('a') AS l, parse_json('[1]') AS v").write.parquet(place)
    spark.conf.unset("spark.sql.parquet.writeLegacyFormat")
    spark.sql(f"CONVERT TO DELTA parquet.`{place}`")
    found = spark.table(f"delta.`{place}`")
    expect(found.schema.simpleString(), "struct<l:array<string>,v:variant>")
    expect(found.selectExpr("to_json(v)").first()[0], "[1]")


def reads_void(spark: SparkSession) -> None:
    """Read and change rows with a column and a field without a type, by name and by path."""
    spark.sql("CREATE TABLE nothing (id INT, v VOID, s STRUCT<x: INT, w: VOID>) USING delta")
    spark.sql(
        "INSERT INTO nothing VALUES (1, NULL, named_struct('x', 1, 'w', NULL)), (2, NULL, NULL)"
    )
    spark.sql("UPDATE nothing SET id = 3 WHERE id = 2 AND v IS NULL")
    wanted = [Row(id=1, v=None, s=Row(x=1, w=None)), Row(id=3, v=None, s=None)]
    expect(spark.table("nothing").orderBy("id").collect(), wanted)
    place = spark.sql("DESCRIBE DETAIL nothing").first().location
    expect(spark.read.format("delta").load(place).orderBy("id").collect(), wanted)
    spark.sql("DROP TABLE nothing")


def changes_rows(spark: SparkSession, path: str, *, vectors: bool) -> None:
    """DELETE, UPDATE, MERGE by statement, builder and key; changes and ids of rows; PURGE."""
    told = {"enableDeletionVectors": vectors, "enableChangeDataFeed": True}
    told["enableRowTracking"] = True
    properties = ", ".join(f"'delta.{name}' = '{str(on).lower()}'" for name, on in told.items())
    spark.sql(
        f"CREATE TABLE delta.`{path}` (id BIGINT, v STRING, n INT) USING delta"
        f" TBLPROPERTIES ({properties})"
    )
    rows = spark.range(0, 1000, 1, 2).selectExpr("id", "concat('v', id) AS v", "1 AS n")
    rows.write.format("delta").mode("append").save(path)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id % 10 = 3 OR id IN (SELECT 999L)")
    done = spark.sql(f"UPDATE delta.`{path}` SET v = 'u', n = n + 1 WHERE id < 5").first()
    expect(tuple(done), (4,))
    spark.range(2, 1500, 300).selectExpr("id", "'m' AS v").createOrReplaceTempView("coming")
    done = spark.sql(
        f"""MERGE INTO delta.`{path}` t USING coming s ON t.id = s.id
        WHEN MATCHED AND t.id > 500 THEN DELETE
        WHEN MATCHED THEN UPDATE SET v = s.v
        WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)
        WHEN NOT MATCHED BY SOURCE AND t.id = 7 THEN DELETE"""
    ).first()
    expect(tuple(done), (6, 2, 3, 1))
    table = puredelta.DeltaTable.forPath(spark, path)
    given = spark.sql("SELECT 5000L AS id, 'w' AS v, 9.5D AS more UNION ALL SELECT 1L, 'w', 8.5D")
    merging = table.alias("t").merge(given.alias("s"), "t.id = s.id").withSchemaEvolution()
    merging.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()
    table.upsert(spark.sql("SELECT 2L AS id, 'x' AS v"), key="id")
    found = spark.table(f"delta.`{path}`")
    few = found.where("id IN (1, 2, 4, 302, 5000)").orderBy("id")
    expect(
        [tuple(row) for row in few.collect()],
        [
            (1, "w", 2, 8.5),
            (2, "x", 2, None),
            (4, "u", 2, None),
            (302, "m", 1, None),
            (5000, "w", None, 9.5),
        ],
    )
    expect(found.count(), 1000 - 101 - 3 + 2)
    ids = found.select("_metadata.row_id").distinct().count()
    expect(ids, found.count())
    changes = spark.sql(f"SELECT * FROM table_changes_by_path('{path}', 4, 4)")
    kinds = changes.groupBy("_change_type").count().orderBy("_change_type").collect()
    expect(
        [tuple(row) for row in kinds],
        [("delete", 3), ("insert", 1), ("update_postimage", 2), ("update_preimage", 2)],
    )
    purged = spark.sql(f"REORG TABLE delta.`{path}` APPLY (PURGE)").first().metrics
    expect(purged.numFilesRemoved > 0, vectors)
    expect(found.where("id < 300").count(), 300 - 30 - 1)


def puts_files_together(spark: SparkSession) -> None:
    """OPTIMIZE by statement and builder, along a curve, after a write; the report before it."""
    spark.sql("CREATE TABLE small (id BIGINT, v STRING, p INT) USING delta PARTITIONED BY (p)")
    for start in range(0, 120, 10):
        rows = spark.range(start, start + 10, 1, 1)
        rows.selectExpr("id", "concat('v', id) AS v", "INT(id % 2) AS p").write.format(
            "delta"
        ).mode("append").saveAsTable("small")
    table = puredelta.DeltaTable.forName(spark, "small")
    health = table.health()
    expect([found.code for found in health.findings], ["small-files"])
    preview = table.optimize().where("p = 1").executeCompaction(dryRun=True)
    done = table.optimize().where("p = 1").executeCompaction().first().metrics
    expect((done.numFilesRemoved, done.numFilesAdded), (12, 1))
    expect((preview.files, preview.bins), (12, 1))
    done = spark.sql("OPTIMIZE small").first().metrics
    expect((done.numFilesRemoved, done.numFilesAdded), (12, 1))
    done = spark.sql("OPTIMIZE small WHERE p = 0 ZORDER BY (id, v)").first().metrics
    expect((done.numFilesRemoved, done.numFilesAdded), (1, 1))
    done = table.optimize().executeZOrderBy("v").first().metrics
    expect((done.numFilesRemoved, done.numFilesAdded), (2, 2))
    spark.conf.set("spark.databricks.delta.autoCompact.enabled", "true")
    spark.conf.set("spark.databricks.delta.autoCompact.minNumFiles", "2")
    spark.sql("INSERT INTO small SELECT id, 'auto', INT(id % 2) FROM range(120, 140)")
    spark.conf.unset("spark.databricks.delta.autoCompact.enabled")
    spark.conf.unset("spark.databricks.delta.autoCompact.minNumFiles")
    expect(table.history(1).first().operationParameters["auto"], "true")
    expect(sorted(row.id for row in table.toDF().collect()), list(range(140)))
    spark.sql("GENERATE symlink_format_manifest FOR TABLE small")
    place = spark.sql("DESCRIBE DETAIL small").first().location
    manifest = Path(place.removeprefix("file:")) / "_symlink_format_manifest" / "p=1" / "manifest"
    names = [
        row._metadata.file_path for row in table.toDF().where("p = 1").select("_metadata").collect()
    ]
    expect(manifest.read_text().splitlines(), sorted({name.replace("///", "/") for name in names}))
    spark.sql("DROP TABLE small")


def keeps_rows_clustered(spark: SparkSession) -> None:
    """Create a clustered table, let OPTIMIZE cluster it, cluster it by another column."""
    spark.sql("CREATE TABLE clustered (a INT, b STRING, c DATE) USING delta CLUSTER BY (a, b)")
    columns = "INT(id), concat('b', id % 7), date_from_unix_date(INT(id))"
    for start in (0, 50):
        spark.sql(f"INSERT INTO clustered SELECT {columns} FROM range({start}, {start + 50}, 1, 1)")
    done = spark.sql("OPTIMIZE clustered").first().metrics
    expect((done.numFilesRemoved, done.numFilesAdded), (2, 1))
    spark.sql("ALTER TABLE clustered CLUSTER BY (c)")
    expect(spark.sql("DESCRIBE DETAIL clustered").first().clusteringColumns, ["c"])
    done = spark.sql("OPTIMIZE clustered FULL").first().metrics
    expect((done.numFilesRemoved, done.numFilesAdded), (1, 1))
    expect(spark.sql("SELECT count(*), sum(a) FROM clustered").first()[:], (100, 4950))
    spark.sql("DROP TABLE clustered")


def goes_back_and_clones(spark: SparkSession, folder: Path) -> None:
    """RESTORE by version and time, by statement and method; SHALLOW CLONE, and writes to clones."""
    spark.sql("CREATE TABLE origin (id INT, v STRING) USING delta")
    spark.sql("INSERT INTO origin VALUES (1, 'a'), (2, 'b')")
    spark.sql("UPDATE origin SET v = 'z' WHERE id = 2")
    table = puredelta.DeltaTable.forName(spark, "origin")
    spark.sql("CREATE TABLE copied SHALLOW CLONE origin VERSION AS OF 1")
    place = str(folder / "clone")
    table.clone(place, isShallow=True)
    preview = table.restoreToVersion(1, dryRun=True)
    done = spark.sql("RESTORE TABLE origin TO VERSION AS OF 1").first()
    expect((done.num_removed_files, done.num_restored_files), (1, 1))
    expect((preview.removed_files, preview.restored_files), (1, 1))
    expect(values(spark.table("origin")), [(1, "a"), (2, "b")])
    time = table.history().where("version = 2").first().timestamp.isoformat(sep=" ")
    table.restoreToTimestamp(time)
    expect(values(table.toDF()), [(1, "a"), (2, "z")])
    spark.sql("DELETE FROM copied WHERE id = 1")
    spark.sql(f"INSERT INTO delta.`{place}` VALUES (3, 'c')")
    expect(values(spark.table("copied")), [(2, "b")])
    expect(values(spark.table(f"delta.`{place}`")), [(1, "a"), (2, "z"), (3, "c")])
    expect(values(table.toDF()), [(1, "a"), (2, "z")])
    for name in ("copied", "origin"):
        spark.sql(f"DROP TABLE {name}")


def deletes_what_nothing_needs(spark: SparkSession) -> None:
    """VACUUM by statement and method: dry runs, LITE, with an inventory."""
    spark.sql("CREATE TABLE littered (id INT) USING delta")
    for number in range(3):
        spark.sql(f"INSERT OVERWRITE littered VALUES ({number})")
    root = Path(spark.sql("DESCRIBE DETAIL littered").first().location.removeprefix("file:"))
    stray = root / "stray.parquet"
    stray.write_bytes(b"1")
    spark.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    expect(spark.sql("VACUUM littered DRY RUN").count(), 0)
    expect(spark.sql("VACUUM littered RETAIN 0 HOURS DRY RUN").count(), 3)
    row = f"'file:{stray}' AS path, 1L AS length, false AS isDir, 0L AS modificationTime"
    spark.sql(f"VACUUM littered USING INVENTORY (SELECT {row}) RETAIN 0 HOURS")
    expect(stray.exists(), False)
    table = puredelta.DeltaTable.forName(spark, "littered")
    preview = table.vacuum(0, dryRun=True)
    expect((preview.files, preview.lost_versions), (2, (1, 2)))
    spark.sql("VACUUM littered LITE RETAIN 0 HOURS")
    table.vacuum(0)
    spark.conf.unset("spark.databricks.delta.retentionDurationCheck.enabled")
    expect(len(list(root.glob("*.parquet"))), 1)
    expect(spark.table("littered").collect(), [Row(id=2)])
    expect("VACUUM END" in {row.operation for row in table.history().collect()}, True)
    spark.sql("DROP TABLE littered")


def values(frame: DataFrame) -> list[tuple[object, ...]]:
    """Return the rows in order."""
    return sorted(tuple(row) for row in frame.collect())


def shows_the_log_without_spark(path: str) -> None:
    """Read the same table with the log alone."""
    table = puredelta.log.open_table(path)
    expect(table.version, 1)
    expect(table.schema.names, ["id", "name", "amount"])
    expect(sum(table.files()["num_records"].to_pylist()), 1003)


def count(frame: DataFrame) -> int:
    """Count the rows that a query really gives."""
    return len(frame.collect())


def expect(found: object, wanted: object) -> None:
    """Fail with both values."""
    if found != wanted:
        sys.exit(f"expected {wanted!r}, found {found!r}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
