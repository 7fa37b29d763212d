"""Views over tables, over old versions and over paths, while the tables move on."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

KEEP = (
    "TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 30000 days',"
    " 'delta.logRetentionDuration' = 'interval 30000 days')"
)


def _versions(t: Recorder) -> None:
    t.spark.sql(f"CREATE TABLE t (id INT, s STRING) USING delta {KEEP}")
    t.spark.sql("INSERT INTO t VALUES (1, 'a')")
    t.spark.sql("INSERT INTO t VALUES (2, 'b')")
    for version in range(3):
        day = dt.datetime(2020, 1, 1 + version, 12, tzinfo=dt.timezone.utc)
        t.date_commit("t", version, day)


def _add_column(t: Recorder, query: str) -> None:
    frame = t.spark.sql(query)
    frame.write.format("delta").mode("append").option("mergeSchema", "true").saveAsTable("t")


def case_view_over_an_old_version(t: Recorder) -> None:
    _versions(t)
    t.sql("CREATE VIEW v AS SELECT * FROM t VERSION AS OF 1")
    t.sql("CREATE VIEW w AS SELECT * FROM t TIMESTAMP AS OF '2020-01-02 13:00:00'")
    t.sql(f"CREATE VIEW x AS SELECT * FROM delta.`{t.place('t')}@v1`")
    t.sql("CREATE TEMP VIEW y AS SELECT * FROM t VERSION AS OF 1")
    t.sql("INSERT OVERWRITE t VALUES (9, 'z')")
    for view in "vwxy":
        t.sql(f"SELECT * FROM {view}")
    t.sql("SELECT v.id, t.id AS now FROM v, t")
    t.sql("SELECT * FROM v VERSION AS OF 1")
    t.sql("CREATE VIEW bad AS SELECT * FROM t VERSION AS OF 99")


def case_view_while_columns_come(t: Recorder) -> None:
    _versions(t)
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.sql("CREATE VIEW e WITH SCHEMA EVOLUTION AS SELECT * FROM t")
    t.sql("CREATE VIEW b WITH SCHEMA BINDING AS SELECT * FROM t")
    t.sql("CREATE VIEW c WITH SCHEMA TYPE EVOLUTION AS SELECT * FROM t")
    t.sql("CREATE TEMP VIEW w AS SELECT * FROM t")
    t.spark.table("t").createOrReplaceTempView("f")
    t.attempt("new column", lambda: _add_column(t, "SELECT 3 AS id, 'c' AS s, 1.5 AS more"))
    for view in "vebcwf":
        t.sql(f"SELECT * FROM {view}")


def case_view_while_types_change(t: Recorder) -> None:
    _versions(t)
    t.sql("CREATE VIEW v AS SELECT id FROM t")
    t.sql("CREATE VIEW c WITH SCHEMA COMPENSATION AS SELECT id FROM t")
    t.sql("CREATE VIEW e WITH SCHEMA EVOLUTION AS SELECT id FROM t")
    t.sql("CREATE VIEW b WITH SCHEMA BINDING AS SELECT id FROM t")
    t.sql("CREATE TEMP VIEW w AS SELECT id FROM t")
    t.sql("CREATE OR REPLACE TABLE t USING delta AS SELECT CAST(7 AS BIGINT) AS id")
    for view in "vcebw":
        t.sql(f"SELECT * FROM {view}")
    t.sql("CREATE OR REPLACE TABLE t USING delta AS SELECT 'text' AS id")
    for view in "vcebw":
        t.sql(f"SELECT * FROM {view}")


def case_view_of_a_table_made_again(t: Recorder) -> None:
    _versions(t)
    t.sql("CREATE VIEW v AS SELECT id FROM t")
    t.sql("CREATE TEMP VIEW w AS SELECT id FROM t")
    t.spark.table("t").select("id").createOrReplaceTempView("f")
    t.sql("DROP TABLE t")
    for view in "vw":
        t.sql(f"SELECT * FROM {view}")
    t.sql("CREATE TABLE t USING delta AS SELECT 5 AS id, 6 AS other")
    for view in "vwf":
        t.sql(f"SELECT * FROM {view}")


def case_view_of_views_and_subqueries(t: Recorder) -> None:
    _versions(t)
    t.sql("CREATE VIEW v AS SELECT id FROM t WHERE id IN (SELECT max(id) FROM t)")
    t.sql("CREATE VIEW w AS SELECT v.id, n.c FROM v, (SELECT count(*) AS c FROM t) n")
    t.sql("CREATE TEMP VIEW x AS WITH a AS (SELECT * FROM w) SELECT id + c AS s FROM a")
    t.sql("SELECT * FROM x")
    t.sql("INSERT INTO t VALUES (10, 'j')")
    t.sql("SELECT * FROM w")
    t.sql("SELECT * FROM x")
    t.sql("CREATE VIEW u AS SELECT * FROM x")


def case_view_is_not_written(t: Recorder) -> None:
    _versions(t)
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.sql("CREATE TEMP VIEW w AS SELECT * FROM t")
    for view in "vw":
        t.sql(f"INSERT INTO {view} VALUES (1, 'x')")
        t.sql(f"INSERT OVERWRITE {view} VALUES (1, 'x')")
        t.attempt(f"insertInto {view}", lambda v=view: t.spark.table("t").write.insertInto(v))
        t.attempt(
            f"saveAsTable {view}",
            lambda v=view: t.spark.table("t").write.format("delta").mode("append").saveAsTable(v),
        )
        t.attempt(f"writeTo {view}", lambda v=view: t.spark.table("t").writeTo(v).append())
    t.sql("SELECT count(*) AS n FROM t")


def case_view_statements(t: Recorder) -> None:
    _versions(t)
    t.sql("CREATE VIEW v (number COMMENT 'its id', text) COMMENT 'c' AS SELECT * FROM t")
    t.sql("SELECT number, text FROM v")
    t.sql("ALTER VIEW v AS SELECT id FROM t VERSION AS OF 1")
    t.sql("SELECT * FROM v")
    t.sql("CREATE OR REPLACE VIEW v AS SELECT s FROM t")
    t.sql("SELECT * FROM v")
    t.sql("SHOW COLUMNS IN v")
    t.sql("DROP VIEW t")
    t.sql("DROP VIEW v")
    t.sql("SELECT * FROM v")


def case_view_of_the_session_over_a_path(t: Recorder) -> None:
    _versions(t)
    path = t.place("t")
    t.sql(f"CREATE TEMP VIEW w USING delta OPTIONS (path '{path}')")
    t.sql(f"CREATE TEMP VIEW x USING delta OPTIONS (path '{path}', versionAsOf '1')")
    t.sql(f"CREATE TEMP VIEW y USING delta OPTIONS (path '{path}@v0')")
    t.sql("INSERT INTO t VALUES (3, 'c')")
    for view in "wxy":
        t.sql(f"SELECT * FROM {view}")
    t.sql("INSERT INTO w VALUES (4, 'd')")
    t.sql("INSERT OVERWRITE w VALUES (4, 'd')")
    t.sql("SELECT * FROM t")
    t.sql("CREATE TEMP VIEW z USING delta OPTIONS (path '/nowhere/at/all')")
