"""Ways to say what is read: folders of partitions, versions in paths, options of readers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tests.parity.recorder import Recorder


def _two_levels(t: Recorder) -> None:
    t.spark.sql(
        f"CREATE TABLE delta.`{t.path}` (id INT, p INT, q STRING) USING delta PARTITIONED BY (p, q)"
    )
    t.spark.sql(
        f"""INSERT INTO delta.`{t.path}` VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'a'),
        (4, NULL, NULL), (5, 3, 'x y'), (6, 3, 'b/c'), (7, 3, 'ü=%')"""
    )


def _load(t: Recorder, below: str = "", **options: object) -> None:
    shown = f"load {below} {options or ''}".strip()
    reader = t.spark.read.format("delta").options(**options)
    t.show(shown, lambda: reader.load(f"{t.path}{below}"))


def _append(frame: DataFrame, path: str, mode: str = "append") -> None:
    frame.write.format("delta").mode(mode).save(path)


def case_partition_folder_levels(t: Recorder) -> None:
    _two_levels(t)
    for below in (
        "/p=1",
        "/p=1/",
        "/p=1/q=a",
        "/q=a",
        "/q=a/p=1",
        "/p=01",
        "/P=1",
        "/p=1/q=zz",
        "/p=9",
        "/p=x",
        "/p=1/p=2",
        "/p=1/id=1",
        "/id=1",
        "/p=",
    ):
        _load(t, below)


def case_partition_folder_awkward_texts(t: Recorder) -> None:
    _two_levels(t)
    _load(t, "/p=__HIVE_DEFAULT_PARTITION__")
    _load(t, "/p=3/q=x y")
    _load(t, "/p=3/q=x%20y")
    _load(t, "/p=3/q=b%2Fc")
    _load(t, "/p=3/q=ü%3D%25")
    _load(t, "/p=3/q=X Y")


def case_partition_folder_that_is_none(t: Recorder) -> None:
    _two_levels(t)
    Path(t.path, "plain").mkdir()
    _load(t, "/plain")
    _load(t, "/nope")
    _load(t, "/p=1/plain")
    _load(t, "/plain/p=1")
    _load(t, "/_delta_log/p=1")
    t.sql(f"SELECT * FROM delta.`{t.path}/nope`")


def case_partition_folder_of_each_type(t: Recorder) -> None:
    t.spark.sql(f"""CREATE TABLE delta.`{t.path}` (id INT, d DATE, at TIMESTAMP, n DECIMAL(5,2),
        b BOOLEAN, f DOUBLE, l BIGINT) USING delta PARTITIONED BY (d, at, n, b, f, l)""")
    t.spark.sql(f"""INSERT INTO delta.`{t.path}` VALUES
        (1, DATE'2020-01-02', TIMESTAMP'2020-01-02 03:04:05.5', 1.5, true, 0.5, 7),
        (2, DATE'2021-01-02', TIMESTAMP'2021-01-02 03:04:05', 2.5, false, 1e30, -7)""")
    for below in (
        "/d=2020-01-02",
        "/at=2020-01-02 03%3A04%3A05.5",
        "/at=2021-01-02 03%3A04%3A05",
        "/n=1.5",
        "/n=1.50",
        "/b=true",
        "/b=TRUE",
        "/f=0.5",
        "/f=1.0E30",
        "/l=-7",
        "/d=2020-01-02/l=7",
        "/d=2020-01-02/l=-7",
        "/d=x",
    ):
        _load(t, below)


def case_partition_folder_in_sql(t: Recorder) -> None:
    _two_levels(t)
    t.sql(f"SELECT * FROM delta.`{t.path}/p=1`")
    t.sql(f"SELECT count(*) AS n, max(id) AS hi, min(q) AS q FROM delta.`{t.path}/p=1`")
    t.sql(f"SELECT id FROM delta.`{t.path}/p=1` WHERE q = 'b'")
    t.sql(f"SELECT a.id, b.id AS o FROM delta.`{t.path}/p=1` a, delta.`{t.path}/q=a` b")
    t.sql(f"SELECT * FROM delta.`{t.path}/p=9`")
    t.sql(f"SELECT * FROM delta.`{t.path}/id=9`")
    t.sql(f"CREATE TEMP VIEW w USING delta OPTIONS (path '{t.path}/p=1')")
    t.sql("SELECT * FROM w")
    t.sql(f"CREATE VIEW v AS SELECT * FROM delta.`{t.path}/p=1`")
    t.sql("SELECT * FROM v")


def case_partition_folder_after_writes(t: Recorder) -> None:
    _two_levels(t)
    frame = t.spark.read.format("delta").load(t.path + "/p=1")
    t.show("before", frame)
    t.spark.sql(f"INSERT INTO delta.`{t.path}` VALUES (10, 1, 'new'), (11, 2, 'new')")
    t.show("after", lambda: frame.where("true"))
    t.value("count", frame.count)
    t.value("files", lambda: len(frame.inputFiles()))
    t.spark.sql(f"INSERT OVERWRITE delta.`{t.path}` VALUES (12, 2, 'new')")
    t.show("nothing left", lambda: frame.where("true"))


def case_partition_folder_at_a_version(t: Recorder) -> None:
    _two_levels(t)
    t.spark.sql(f"INSERT INTO delta.`{t.path}` VALUES (10, 1, 'new')")
    _load(t, "/p=1", versionAsOf=1)
    _load(t, "/p=1", versionAsOf=0)
    _load(t, "/p=1@v1")
    _load(t, "@v1/p=1")
    t.sql(f"SELECT * FROM delta.`{t.path}/p=1@v1`")
    t.sql(f"SELECT * FROM delta.`{t.path}/p=1` VERSION AS OF 1")


def case_partition_folder_is_not_written(t: Recorder) -> None:
    _two_levels(t)
    folder = t.path + "/p=1"
    row = t.spark.sql("SELECT 9 AS id, 1 AS p, 'z' AS q")
    t.sql(f"INSERT INTO delta.`{folder}` VALUES (9, 1, 'z')")
    t.sql(f"INSERT OVERWRITE delta.`{folder}` VALUES (9, 1, 'z')")
    t.attempt("writeTo", lambda: row.writeTo(f"delta.`{folder}`").append())
    t.value("nested log", lambda: Path(folder, "_delta_log").exists())
    t.show("load", lambda: t.spark.read.format("delta").load(t.path))


def case_partition_folder_becomes_no_table(t: Recorder) -> None:
    _two_levels(t)
    row = t.spark.sql("SELECT 9 AS id, 1 AS p, 'z' AS q")
    t.sql(f"CREATE TABLE delta.`{t.path}/p=1` (id INT) USING delta")
    t.sql(f"ALTER TABLE delta.`{t.path}/p=1` SET TBLPROPERTIES ('a' = 'b')")
    t.attempt("append", lambda: _append(row, t.path + "/p=1"))
    t.attempt("overwrite", lambda: _append(row, t.path + "/p=2", "overwrite"))
    t.attempt("error", lambda: _append(row, t.path + "/p=3", "error"))
    t.attempt("no partition", lambda: _append(row, t.path + "/other"))
    t.attempt("no partition column", lambda: _append(row, t.path + "/other=1"))


def case_partition_folder_described(t: Recorder) -> None:
    _two_levels(t)
    folder = t.path + "/p=1"
    is_table = t.tables.DeltaTable.isDeltaTable
    for name in ("p=1", "p=9", "nope", "id=1"):
        t.value(f"is {name}", lambda name=name: is_table(t.spark, f"{t.path}/{name}"))
    t.sql(f"DESCRIBE delta.`{folder}`")
    t.history(f"'{folder}'")
    t.sql(f"DESCRIBE DETAIL '{t.path}/id=1'")
    t.detail(f"'{folder}'")


def case_partition_folder_for_path(t: Recorder) -> None:
    _two_levels(t)
    table = t.tables.DeltaTable.forPath(t.spark, t.path + "/p=1")
    t.show("toDF", table.toDF)
    t.show("detail", lambda: table.detail().select("location", "numFiles", "partitionColumns"))
    t.show("history", lambda: table.history().select("version", "operation"))
    t.attempt("wrong column", lambda: t.tables.DeltaTable.forPath(t.spark, t.path + "/id=1"))
    t.attempt("no file", lambda: t.tables.DeltaTable.forPath(t.spark, t.path + "/p=9"))
    t.attempt("no partition", lambda: t.tables.DeltaTable.forPath(t.spark, t.path + "/nope"))


def case_schema_of_a_reader(t: Recorder) -> None:
    _two_levels(t)
    for schema in ("id INT, p INT, q STRING", "id INT", "nope STRING"):
        reader = t.spark.read.format("delta").schema(schema)
        t.show(f"load {schema!r}", lambda reader=reader: reader.load(t.path))
    reader = t.spark.read.format("delta").schema("id INT")
    t.show("missing path", lambda: reader.load(t.folder("nope")))
    t.spark.sql("CREATE TABLE n (id INT) USING delta")
    t.show("of a name", lambda: t.spark.read.schema("id INT").table("n"))
    t.sql(f"CREATE TEMP VIEW w (id INT) USING delta OPTIONS (path '{t.path}')")
    t.sql(f"CREATE TABLE e (id INT) USING delta LOCATION '{t.path}'")


def case_options_of_a_reader(t: Recorder) -> None:
    _two_levels(t)
    _load(t, "/p=1", nope="x", mergeSchema="true", recursiveFileLookup="true")
    _load(t, "/p=1", pathGlobFilter="*.nope", basePath="/tmp", modifiedBefore="2000-01-01")
    _load(t, "/p=1", readChangeFeed="false", ignoreMissingFiles="true")
    _load(t, "", versionAsOf="")
    _load(t, "", versionAsOf="1.0")
    _load(t, "", versionAsOf=" 1")
    _load(t, "", timestampAsOf="")
    _load(t, "@v1", timestampAsOf="2020-01-01")
    t.show("by name", lambda: t.spark.read.option("nope", "x").table(f"delta.`{t.path}/p=2`"))
    t.sql(f"SELECT count(*) AS n FROM delta.`{t.path}@v01`")
    t.sql(f"SELECT count(*) AS n FROM delta.`{t.path}@v`")
    t.sql(f"SELECT count(*) AS n FROM delta.`{t.path}@2020`")
    t.sql(f"SELECT count(*) AS n FROM delta.`{t.path}@20201301000000000`")


def case_paths_of_a_reader(t: Recorder) -> None:
    _two_levels(t)
    load = t.spark.read.format("delta").load
    t.show("a list of one", lambda: load([t.path + "/p=2"]))
    t.show("a list of two", lambda: load([t.path + "/p=1", t.path + "/p=2"]))
    t.show("no path", load)
    t.show("glob", lambda: load(t.path + "/p=*"))
    t.show("with scheme", lambda: load("file:" + t.path + "/p=2"))
    t.show("dots", lambda: load(t.path + "/p=2/../p=2"))
    t.show("double slash", lambda: load(t.path + "//p=2"))
    option = t.spark.read.format("delta").option("path", t.path + "/p=2")
    t.show("option", option.load)
    t.show("option and argument", lambda: option.load(t.path))
