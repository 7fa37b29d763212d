"""Frames that outlive a write: executed again, cached, from other sessions and threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_live_frame_executed_again(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id")
    frame = t.spark.table("t")
    loaded = t.spark.read.format("delta").load(str(t.place("t")))
    query = t.spark.sql("SELECT count(*) AS n FROM t")
    t.show("table", frame)
    t.show("loaded", loaded)
    t.show("query", query)
    t.sql("INSERT INTO t VALUES (2)")
    t.show("table again", frame)
    t.show("loaded again", loaded)
    t.show("query again", query)
    t.show("derived", lambda: frame.where("id > 0"))
    t.value("count", frame.count)
    t.sql("INSERT OVERWRITE t VALUES (3)")
    t.show("table after an overwrite", frame)
    t.show("derived after an overwrite", lambda: frame.where("id > 0"))


def case_live_frame_pinned_to_a_version(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id")
    frame = t.spark.read.format("delta").option("versionAsOf", 0).load(str(t.place("t")))
    t.show("before", frame)
    t.sql("INSERT INTO t VALUES (2)")
    t.show("after", frame)
    t.show("derived after", lambda: frame.where("id > 0"))


def case_live_frame_after_a_schema_change(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id")
    frame = t.spark.table("t")
    t.show("before", frame)
    t.attempt(
        "add a column",
        lambda: (
            t.spark.sql("SELECT 2 AS id, 'x' AS n")
            .write.format("delta")
            .mode("append")
            .option("mergeSchema", "true")
            .saveAsTable("t")
        ),
    )
    t.show("frame after a new column", lambda: frame.where("true"))
    t.show("table after a new column", lambda: t.spark.table("t"))
    t.sql("CREATE OR REPLACE TABLE t USING delta AS SELECT 'y' AS other")
    t.show("frame after a replace", lambda: frame.where("true"))
    t.sql("SELECT * FROM t")


def case_live_cached_frame(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id")
    frame = t.spark.table("t").cache()
    t.show("cached", frame)
    t.sql("INSERT INTO t VALUES (2)")
    t.show("cached frame after an insert", frame)
    t.sql("SELECT * FROM t")
    t.attempt(
        "append by path",
        lambda: (
            t.spark.sql("SELECT 3 AS id")
            .write.format("delta")
            .mode("append")
            .save(str(t.place("t")))
        ),
    )
    t.sql("SELECT count(*) AS n FROM t")
    frame.unpersist()
    t.show("after unpersist", lambda: t.spark.table("t"))


def case_live_cache_table_statement(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id")
    t.sql("CACHE TABLE t")
    t.sql("INSERT INTO t VALUES (2)")
    t.sql("SELECT * FROM t")
    t.sql("INSERT OVERWRITE t VALUES (5)")
    t.sql("SELECT * FROM t")
    t.sql("UNCACHE TABLE t")
    t.sql("SELECT * FROM t")


def case_live_write_to_what_is_read(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p INT) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES (1, 1), (2, 2)")
    frame = t.spark.table("t")
    t.attempt(
        "overwrite from itself",
        lambda: (
            frame.selectExpr("id + 10 AS id", "p")
            .write.format("delta")
            .mode("overwrite")
            .saveAsTable("t")
        ),
    )
    t.sql("SELECT * FROM t")
    t.attempt(
        "append from itself",
        lambda: t.spark.table("t").write.format("delta").mode("append").saveAsTable("t"),
    )
    t.sql("SELECT * FROM t")
    t.attempt(
        "one partition from itself",
        lambda: (
            t.spark.table("t")
            .where("p = 1")
            .selectExpr("id * 2 AS id", "p")
            .write.format("delta")
            .mode("overwrite")
            .option("replaceWhere", "p = 1")
            .save(str(t.place("t")))
        ),
    )
    t.sql("SELECT * FROM t")


def case_live_other_session(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS id")
    other = t.spark.newSession()
    t.show("read there", lambda: other.table(f"{t.schema}.t"))
    t.attempt("write there", lambda: other.sql(f"INSERT INTO {t.schema}.t VALUES (2)").collect())
    t.sql("SELECT * FROM t")
    t.sql("CREATE TEMP VIEW v AS SELECT * FROM t")
    t.show("no temp view there", lambda: other.table("v"))


def case_live_appends_from_threads(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")

    def append(number: int) -> None:
        t.spark.sql(f"INSERT INTO {t.schema}.t VALUES ({number})")

    def all_at_once() -> None:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(append, range(8)))

    t.attempt("eight appends", all_at_once)
    t.sql("SELECT * FROM t")
    t.value("versions", lambda: t.spark.sql("DESCRIBE HISTORY t").count())
