"""What Spark keeps of a table: which writes drop it, and which reads may not see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tests.parity.recorder import Recorder


def _table(t: Recorder) -> str:
    t.spark.sql("CREATE TABLE t (id INT, p INT) USING delta PARTITIONED BY (p)")
    t.spark.sql("INSERT INTO t VALUES (1, 1), (2, 2)")
    return str(t.place("t"))


def _cached(frame: DataFrame) -> str:
    """Whether a query is answered from a cache."""
    return str("InMemoryRelation" in frame._jdf.queryExecution().withCachedData().treeString())


def _show(t: Recorder, label: str, query: str = "SELECT * FROM t") -> None:
    t.show(label, lambda: t.spark.sql(query))
    t.value(f"{label}: cached", lambda: _cached(t.spark.sql(query)))


def case_cache_dropped_by_each_write(t: Recorder) -> None:
    path = _table(t)
    row = t.spark.sql("SELECT 9 AS id, 9 AS p")
    writes = {
        "INSERT": lambda: t.spark.sql("INSERT INTO t VALUES (3, 3)"),
        "INSERT by path": lambda: t.spark.sql(f"INSERT INTO delta.`{path}` VALUES (4, 4)"),
        "save": lambda: row.write.format("delta").mode("append").save(path),
        "saveAsTable": lambda: row.write.format("delta").mode("append").saveAsTable("t"),
        "insertInto": lambda: row.write.insertInto("t"),
        "writeTo": lambda: row.writeTo("t").append(),
        "replaceWhere": lambda: (
            row.write.format("delta").mode("overwrite").option("replaceWhere", "p = 9").save(path)
        ),
        "dynamic": lambda: row.writeTo("t").overwritePartitions(),
        "overwrite": lambda: t.spark.sql("INSERT OVERWRITE t VALUES (5, 5)"),
        "replace": lambda: t.spark.sql("CREATE OR REPLACE TABLE t USING delta AS SELECT 6 AS id"),
    }
    for name, write in writes.items():
        t.attempt(f"cache for {name}", lambda: t.spark.sql("CACHE TABLE t"))
        t.attempt(name, write)
        t.show(f"after {name}", lambda: t.spark.sql("SELECT * FROM t"))
        t.attempt(f"uncache after {name}", lambda: t.spark.sql("UNCACHE TABLE IF EXISTS t"))


def case_cache_statements(t: Recorder) -> None:
    path = _table(t)
    t.sql("CACHE TABLE t")
    t.value("is cached", lambda: t.spark.catalog.isCached("t"))
    _show(t, "by name")
    _show(t, "by path", f"SELECT * FROM delta.`{path}`")
    t.sql("INSERT INTO t VALUES (3, 3)")
    t.value("still cached", lambda: t.spark.catalog.isCached("t"))
    t.sql("UNCACHE TABLE t")
    t.value("no longer", lambda: t.spark.catalog.isCached("t"))
    t.sql("CACHE LAZY TABLE t")
    _show(t, "lazy")
    t.sql("CLEAR CACHE")
    t.value("cleared", lambda: t.spark.catalog.isCached("t"))
    t.sql("CACHE TABLE q AS SELECT id FROM t WHERE p > 1")
    t.sql("INSERT INTO t VALUES (4, 4)")
    t.sql("SELECT * FROM q")
    t.sql("UNCACHE TABLE nope")


def case_cache_of_an_old_version(t: Recorder) -> None:
    path = _table(t)
    old = t.spark.read.format("delta").option("versionAsOf", 1).load(path).cache()
    t.show("old", old)
    named = t.spark.sql("SELECT * FROM t VERSION AS OF 1").cache()
    t.show("named", named)
    t.sql("INSERT INTO t VALUES (3, 3)")
    t.show("old again", lambda: old.where("true"))
    t.show("named again", lambda: named.where("true"))
    t.value("level", lambda: old.storageLevel.useMemory)
    t.sql("SELECT * FROM t")


def case_cache_by_path(t: Recorder) -> None:
    path = _table(t)
    frame = t.spark.read.format("delta").load(path).cache()
    t.show("before", frame)
    t.sql("INSERT INTO t VALUES (3, 3)")
    t.show("written by name", frame)
    t.show("derived", lambda: frame.where("id > 1"))
    t.sql(f"INSERT INTO delta.`{path}` VALUES (4, 4)")
    t.show("written by path", lambda: frame.where("true"))
    t.attempt("refreshByPath", lambda: t.spark.catalog.refreshByPath(path))
    t.show("refreshed", lambda: frame.where("true"))
    t.value("level", lambda: frame.storageLevel.useMemory)


def case_cache_and_refresh(t: Recorder) -> None:
    path = _table(t)
    t.sql("CACHE TABLE t")
    t.sql("REFRESH TABLE t")
    t.value("after REFRESH TABLE", lambda: t.spark.catalog.isCached("t"))
    t.sql(f"REFRESH TABLE delta.`{path}`")
    t.sql(f"REFRESH '{path}'")
    t.attempt("refreshTable", lambda: t.spark.catalog.refreshTable("t"))
    t.value("after refreshTable", lambda: t.spark.catalog.isCached("t"))
    _show(t, "select")
    t.sql("REFRESH TABLE nope")


def case_cache_of_views_and_joins(t: Recorder) -> None:
    _table(t)
    t.sql("CREATE TABLE u USING delta AS SELECT 1 AS id, 'one' AS name")
    t.sql("CREATE VIEW v AS SELECT t.id, name FROM t LEFT JOIN u ON t.id = u.id")
    t.sql("CREATE TEMP VIEW w AS SELECT id FROM t WHERE id IN (SELECT id FROM u)")
    t.sql("CACHE TABLE v")
    t.sql("CACHE TABLE w")
    joined = t.spark.table("t").join(t.spark.table("u"), "id").cache()
    t.show("joined", joined)
    t.sql("INSERT INTO u VALUES (2, 'two')")
    t.sql("SELECT * FROM v")
    t.sql("SELECT * FROM w")
    t.show("joined again", lambda: joined.where("true"))
    t.sql("DROP VIEW v")


def case_cache_and_another_session(t: Recorder) -> None:
    path = _table(t)
    other = t.spark.newSession()
    t.sql("CACHE TABLE t")
    t.attempt("write there", lambda: other.sql(f"INSERT INTO {t.schema}.t VALUES (3, 3)"))
    t.sql("SELECT * FROM t")
    t.attempt("write there by path", lambda: other.sql(f"INSERT INTO delta.`{path}` VALUES (4, 4)"))
    t.sql("SELECT * FROM t")
    t.show("read there", lambda: other.table(f"{t.schema}.t"))


def case_cache_and_changes_of_the_table(t: Recorder) -> None:
    _table(t)
    t.sql("CACHE TABLE t")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')")
    _show(t, "after SET TBLPROPERTIES")
    row = t.spark.sql("SELECT 3 AS id, 3 AS p, 'x' AS more")
    t.attempt(
        "new column",
        lambda: (
            row.write.format("delta").mode("append").option("mergeSchema", "true").saveAsTable("t")
        ),
    )
    t.show("after a new column", lambda: t.spark.table("t"))
    t.sql("DROP TABLE t")
    t.sql("CREATE TABLE t USING delta AS SELECT 'new' AS other")
    t.show("after a drop", lambda: t.spark.table("t"))


def case_cache_and_self_write(t: Recorder) -> None:
    path = _table(t)
    frame = t.spark.table("t").cache()
    t.value("count", frame.count)
    t.attempt("append itself", lambda: frame.write.format("delta").mode("append").save(path))
    t.sql("SELECT * FROM t")
    t.attempt("overwrite itself", lambda: frame.write.mode("overwrite").insertInto("t"))
    t.sql("SELECT * FROM t")
    kept = t.spark.table("t").localCheckpoint()
    t.sql("INSERT INTO t VALUES (7, 7)")
    t.value("checkpoint stays", kept.count)


def case_frame_made_before_a_write(t: Recorder) -> None:
    path = _table(t)
    frame = t.spark.table("t")
    made = {
        "filter": frame.where("p = 1"),
        "aggregate": frame.groupBy("p").count(),
        "self join": frame.alias("a").join(frame.alias("b"), "id").select("id"),
        "loaded": t.spark.read.format("delta").load(path).select("id"),
        "union": frame.union(frame),
    }
    t.sql("INSERT INTO t VALUES (3, 1), (4, 2)")
    for name, query in made.items():
        t.show(name, query)
    t.sql("INSERT OVERWRITE t VALUES (5, 1)")
    for name, query in made.items():
        t.show(f"{name} again", lambda query=query: query.where("true"))
