"""What everybody sees right after a column or a constraint changed: caches, views, old versions."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

MAPPED = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
CHANGES = (
    "ALTER TABLE t ADD COLUMN x INT AFTER id",
    "ALTER TABLE t RENAME COLUMN name TO title",
    "ALTER TABLE t ALTER COLUMN title COMMENT 'what it is called'",
    "ALTER TABLE t ALTER COLUMN price FIRST",
    "ALTER TABLE t DROP COLUMN x",
)


def _table(t: Recorder, properties: str = MAPPED) -> None:
    t.spark.sql(f"CREATE TABLE t (id INT, name STRING, price DOUBLE) USING delta {properties}")
    t.spark.sql("INSERT INTO t VALUES (1, 'one', 1.5), (2, 'two', 2.5)")


def case_after_each_change_a_new_query(t: Recorder) -> None:
    _table(t)
    for change in CHANGES:
        t.sql(change)
        t.sql("SELECT * FROM t")
        t.sql("DESCRIBE t")


def case_after_each_change_the_catalog(t: Recorder) -> None:
    _table(t)
    for change in CHANGES:
        t.sql(change)
        t.sql("SHOW COLUMNS IN t")
        t.value(
            "catalog.listColumns",
            lambda: [(c.name, c.dataType, c.description) for c in t.spark.catalog.listColumns("t")],
        )


def case_after_each_change_a_cached_table(t: Recorder) -> None:
    _table(t)
    for change in CHANGES:
        t.sql("CACHE TABLE t")
        t.sql(change)
        t.sql("SELECT * FROM t")
        t.value("is cached", lambda: t.spark.catalog.isCached("t"))
        t.attempt("uncache", lambda: t.spark.catalog.uncacheTable("t"))


def case_after_a_rename_a_cached_frame(t: Recorder) -> None:
    _table(t)
    kept = t.spark.table("t").where("id = 1").cache()
    t.show("kept before", lambda: kept)
    t.sql("ALTER TABLE t RENAME COLUMN name TO title")
    t.show("a query like it", lambda: t.spark.table("t").where("id = 1"))
    t.attempt("unpersist", kept.unpersist)


def case_after_a_rename_a_view(t: Recorder) -> None:
    _table(t)
    t.sql("CREATE VIEW v AS SELECT id, name FROM t")
    t.sql("CREATE VIEW s AS SELECT * FROM t")
    t.sql("CREATE VIEW e WITH SCHEMA EVOLUTION AS SELECT * FROM t")
    t.sql("CREATE TEMP VIEW w AS SELECT id, name FROM t")
    t.sql("CREATE TEMP VIEW u AS SELECT id FROM t")
    t.sql("ALTER TABLE t RENAME COLUMN name TO title")
    for view in "vsewu":
        t.sql(f"SELECT * FROM {view}")


def case_after_a_drop_a_view(t: Recorder) -> None:
    _table(t)
    t.sql("CREATE VIEW v AS SELECT id FROM t WHERE name = 'one'")
    t.sql("CREATE VIEW s AS SELECT * FROM t")
    t.sql("CREATE VIEW e WITH SCHEMA EVOLUTION AS SELECT * FROM t")
    t.sql("CREATE TEMP VIEW u AS SELECT id FROM t")
    t.sql("ALTER TABLE t DROP COLUMN name")
    for view in "vseu":
        t.sql(f"SELECT * FROM {view}")


def case_after_an_addition_a_view(t: Recorder) -> None:
    _table(t, "")
    t.sql("CREATE VIEW s AS SELECT * FROM t")
    t.sql("CREATE VIEW e WITH SCHEMA EVOLUTION AS SELECT * FROM t")
    t.sql("CREATE TEMP VIEW w AS SELECT * FROM t")
    t.sql("ALTER TABLE t ADD COLUMN x INT FIRST")
    t.sql("INSERT INTO t VALUES (10, 3, 'three', 3.5)")
    for view in "sew":
        t.sql(f"SELECT * FROM {view}")


def case_after_an_alter_frames_that_were_made_before(t: Recorder) -> None:
    _table(t)
    by_name = t.spark.table("t")
    by_path = t.spark.read.format("delta").load(str(t.place("t")))
    filtered = t.spark.table("t").where("name = 'one'").select("id")
    t.sql("ALTER TABLE t ADD COLUMN x INT")
    t.show("by name after ADD", lambda: by_name)
    t.sql("ALTER TABLE t RENAME COLUMN name TO title")
    t.show("by name after RENAME", lambda: by_name)
    t.show("by path after RENAME", lambda: by_path)
    t.show("filtered after RENAME", lambda: filtered)


def case_time_travel_across_a_rename(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN name TO title")
    t.sql("INSERT INTO t VALUES (3, 'three', 3.5)")
    t.sql("ALTER TABLE t RENAME COLUMN price TO name")
    t.sql("ALTER TABLE t RENAME COLUMN title TO price")
    for version in range(6):
        t.sql(f"SELECT * FROM t VERSION AS OF {version}")
    t.sql("SELECT name FROM t VERSION AS OF 1 WHERE name = 'one'")
    t.sql("SELECT name FROM t VERSION AS OF 5 WHERE name = 1.5")
    t.sql("SELECT title FROM t VERSION AS OF 1")
    t.sql("SELECT o.name, n.price FROM t VERSION AS OF 1 o JOIN t n ON o.id = n.id")
    t.sql(f"SELECT * FROM delta.`{t.place('t')}@v1`")


def case_time_travel_across_dropped_and_added_columns(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t DROP COLUMN name")
    t.sql("ALTER TABLE t ADD COLUMN name STRING")
    t.sql("INSERT INTO t VALUES (3, 3.5, 'three')")
    t.sql("SELECT * FROM t")
    t.sql("SELECT id FROM t WHERE name IS NULL")
    t.sql("SELECT id FROM t WHERE name = 'one'")
    for version in range(1, 5):
        t.sql(f"SELECT * FROM t VERSION AS OF {version}")


def case_time_travel_by_time_across_a_rename(t: Recorder) -> None:
    _table(
        t,
        """TBLPROPERTIES ('delta.columnMapping.mode' = 'name',
        'delta.logRetentionDuration' = 'interval 30000 days')""",
    )
    t.spark.sql("ALTER TABLE t RENAME COLUMN name TO title")
    for version in range(3):
        day = dt.datetime(2020, 1, 1 + version, 12, tzinfo=dt.timezone.utc)
        t.date_commit("t", version, day)
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-02 13:00:00'")
    t.sql("SELECT * FROM t TIMESTAMP AS OF '2020-01-03 13:00:00'")


def case_after_a_constraint_what_is_shown(t: Recorder) -> None:
    _table(t, "COMMENT 'things' TBLPROPERTIES ('mine' = '1')")
    t.sql("ALTER TABLE t ADD CONSTRAINT dear CHECK (price > 1)")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("SHOW TBLPROPERTIES t ('delta.constraints.dear')")
    t.sql("DESCRIBE t")
    t.detail("t")
    t.sql("CACHE TABLE t")
    t.sql("INSERT INTO t VALUES (3, 'three', 0.5)")
    t.sql("SELECT * FROM t")
    t.sql("INSERT INTO t VALUES (3, 'three', 3.5)")
    t.sql("SELECT * FROM t")
    t.sql("SELECT * FROM t VERSION AS OF 1")
    t.sql("ALTER TABLE t DROP CONSTRAINT dear")
    t.sql("INSERT INTO t VALUES (4, 'four', 0.5)")
    t.sql("SELECT count(*) FROM t")


def case_after_each_change_a_delta_table_object(t: Recorder) -> None:
    _table(t)
    table = t.tables.DeltaTable.forName(t.spark, "t")
    t.show("made before", table.toDF)
    t.sql("ALTER TABLE t RENAME COLUMN name TO title")
    t.show("toDF after a rename", table.toDF)
    t.show("made after", lambda: t.tables.DeltaTable.forName(t.spark, "t").toDF())
    t.value("operations", lambda: [r.operation for r in table.history().collect()])


def case_after_changes_the_copy_by_like_and_replace(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN name TO title")
    t.sql("ALTER TABLE t ADD CONSTRAINT dear CHECK (price > 1)")
    t.sql("CREATE TABLE l LIKE t")
    t.sql("INSERT INTO l VALUES (1, 'a', 0.5)")
    t.sql("INSERT INTO l VALUES (1, 'a', 1.5)")
    t.sql("SELECT * FROM l")
    t.sql("CREATE TABLE c USING delta AS SELECT * FROM t")
    t.sql("INSERT INTO c VALUES (1, 'a', 0.5)")
    t.sql("CREATE OR REPLACE TABLE t (id INT, name STRING) USING delta")
    t.sql("INSERT INTO t VALUES (1, 'a')")
    t.sql("SELECT * FROM t")
    t.sql("SELECT * FROM t VERSION AS OF 1")


def case_after_each_change_a_union_of_versions(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN name TO title")
    t.sql("ALTER TABLE t ADD COLUMN name STRING")
    t.sql("INSERT INTO t VALUES (3, 'three', 3.5, 'III')")
    t.sql("SELECT name FROM t VERSION AS OF 1 UNION ALL SELECT name FROM t")
    t.sql("SELECT count(*), min(title), max(name) FROM t")
    t.sql("SELECT title, count(*) FROM t GROUP BY title")
    t.sql("SELECT t.title AS a FROM t WHERE t.name IS NULL AND t.title LIKE 'o%'")
