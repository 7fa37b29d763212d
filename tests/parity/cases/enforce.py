"""CHECK constraints, NOT NULL and lengths: each way to write rows obeys them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.saving import refusal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tests.parity.recorder import Recorder


def _table(t: Recorder, columns: str = "id INT, v STRING", more: str = "") -> None:
    t.sql(f"CREATE TABLE t ({columns}) USING delta {more}")
    t.sql("ALTER TABLE t ADD CONSTRAINT big CHECK (id > 5)")
    t.sql("INSERT INTO t VALUES (10, 'old')")


def _rows(t: Recorder, values: str) -> DataFrame:
    return t.spark.sql(f"SELECT * FROM VALUES {values} AS x(id, v)")


def _left(t: Recorder) -> None:
    """Show that a refused write left neither rows nor a version."""
    t.sql("SELECT * FROM t ORDER BY id")
    t.sql("SELECT count(*) AS versions FROM (DESCRIBE HISTORY t)")


def case_the_script_of_the_page(t: Recorder) -> None:
    t.sql("CREATE TABLE delta_demo (id INT) USING delta")
    t.sql("ALTER TABLE delta_demo ADD CONSTRAINT demo_check_constraint CHECK (id > 5)")
    refusal(t, "insert 3", lambda: t.spark.sql("INSERT INTO delta_demo VALUES 3"))
    t.sql("INSERT INTO delta_demo VALUES 3")
    t.sql("INSERT INTO delta_demo VALUES 6")
    t.sql("SELECT * FROM delta_demo")
    t.history("delta_demo")
    t.sql("SHOW TBLPROPERTIES delta_demo")


def case_insert_forms(t: Recorder) -> None:
    _table(t)
    for text in (
        "INSERT INTO t VALUES (1, 'new')",
        "INSERT INTO t VALUES (10, 'a'), (1, 'b')",
        "INSERT INTO t (v, id) VALUES ('new', 1)",
        "INSERT INTO t (v) VALUES ('new')",
        "INSERT INTO t BY NAME SELECT 'new' AS v, 1 AS id",
        "INSERT INTO t SELECT id - 9, v FROM t",
        "INSERT INTO t TABLE t",
        "INSERT OVERWRITE t VALUES (2, 'new')",
        "INSERT OVERWRITE t SELECT 2, 'new'",
        "INSERT INTO t REPLACE WHERE id > 100 VALUES (101, 'kept')",
        "INSERT INTO t VALUES (NULL, 'null')",
        "INSERT INTO t VALUES (6.7, 'cast')",
        "INSERT INTO t VALUES ('5', 'cast')",
    ):
        t.sql(text)
    _left(t)


def case_insert_by_path(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT, v STRING) USING delta")
    t.sql(f"ALTER TABLE delta.`{t.path}` ADD CONSTRAINT big CHECK (id > 5)")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (1, 'new')")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (11, 'new')")
    t.log(t.path, 1)


def case_frame_writers(t: Recorder) -> None:
    _table(t)
    place = str(t.place("t"))
    bad, good = _rows(t, "(1, 'new')"), _rows(t, "(11, 'new')")
    for name, frame in (("bad", bad), ("good", good)):
        to = frame.write.format("delta")
        t.attempt(f"{name} append", lambda to=to: to.mode("append").saveAsTable("t"))
        t.attempt(f"{name} save", lambda to=to: to.mode("append").save(place))
        t.attempt(f"{name} insertInto", lambda frame=frame: frame.write.insertInto("t"))
        t.attempt(f"{name} writeTo append", lambda frame=frame: frame.writeTo("t").append())
        t.attempt(f"{name} overwrite", lambda to=to: to.mode("overwrite").saveAsTable("t"))
        t.attempt(f"{name} overwrite by path", lambda to=to: to.mode("overwrite").save(place))
        t.attempt(
            f"{name} insertInto overwrite",
            lambda frame=frame: frame.write.insertInto("t", overwrite=True),
        )
        _left(t)


def case_frame_v2_overwrites(t: Recorder) -> None:
    _table(t, more="PARTITIONED BY (v)")
    for name, values in (("bad", "(1, 'old')"), ("good", "(12, 'old')")):
        frame = _rows(t, values)
        t.attempt(
            f"{name} overwritePartitions",
            lambda frame=frame: frame.writeTo("t").overwritePartitions(),
        )
        to = frame.write.format("delta").mode("overwrite")
        t.attempt(
            f"{name} dynamic",
            lambda to=to: to.option("partitionOverwriteMode", "dynamic").saveAsTable("t"),
        )
        _left(t)


def case_jobs_of_many_tasks(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id BIGINT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT small CHECK (id < 990)")
    t.sql("INSERT INTO t SELECT id FROM range(0, 1000, 1, 4)")
    t.sql("INSERT INTO t SELECT id FROM range(0, 990, 1, 4)")
    t.sql("SELECT count(*) AS n, max(id) AS m FROM t")


def case_rows_below_a_limit(t: Recorder) -> None:
    """Only rows that are written count, not those that a limit leaves out."""
    t.sql("CREATE TABLE t (id BIGINT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT small CHECK (id < 50)")
    first = t.spark.range(0, 1000, 1, 4).limit(5)
    t.attempt("limit", lambda: first.write.format("delta").mode("append").saveAsTable("t"))
    t.sql("INSERT INTO t SELECT id FROM range(0, 1000, 1, 4) ORDER BY id LIMIT 20")
    t.sql("INSERT INTO t SELECT id FROM range(0, 1000, 1, 4) WHERE id < 50")
    t.sql("INSERT INTO t SELECT id FROM range(0, 1000, 1, 4) ORDER BY id DESC LIMIT 20")
    t.sql("SELECT count(*) AS n, max(id) AS m FROM t")


def case_order_of_rules(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, n INT NOT NULL, v VARCHAR(3), m INT NOT NULL) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT zz CHECK (id > 5)")
    t.sql("ALTER TABLE t ADD CONSTRAINT aa CHECK (id > 3)")
    for values in (
        "(1, NULL, 'abcdef', NULL)",
        "(4, 1, 'abcdef', 1)",
        "(6, NULL, 'abcdef', 1)",
        "(6, 1, 'abcdef', NULL)",
        "(6, 1, 'abcdef', 1)",
        "(6, 1, 'abc', 1)",
    ):
        refusal(t, values, lambda v=values: t.spark.sql(f"INSERT INTO t VALUES {v}"))
        t.sql(f"INSERT INTO t VALUES {values}")
    t.sql("SELECT * FROM t")


def case_not_null(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT NOT NULL, s STRUCT<x: INT NOT NULL, y: INT>) USING delta")
    for values in (
        "(NULL, named_struct('x', 1, 'y', 1))",
        "(1, named_struct('x', CAST(NULL AS INT), 'y', 1))",
        "(1, NULL)",
        "(1, named_struct('x', 1, 'y', CAST(NULL AS INT)))",
    ):
        t.sql(f"INSERT INTO t VALUES {values}")
    t.sql("INSERT INTO t (s) VALUES (named_struct('x', 1, 'y', 1))")
    t.sql("INSERT INTO t SELECT id, named_struct('x', id, 'y', id) FROM range(0, 10, 1, 2)")
    t.sql(
        "INSERT INTO t SELECT if(id = 7, NULL, id), named_struct('x', id, 'y', id) "
        "FROM range(0, 10, 1, 2)"
    )
    t.sql("SELECT count(*) AS n FROM t")


def case_lengths(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (c CHAR(3), v VARCHAR(3), s STRUCT<v: VARCHAR(2)>, a ARRAY<VARCHAR(2)>, "
        "m MAP<VARCHAR(1), CHAR(1)>) USING delta"
    )
    for column, value in (
        ("c", "'abcd'"),
        ("v", "'abcd'"),
        ("v", "'abc  '"),
        ("v", "'äöü'"),
        ("s", "named_struct('v', 'abc')"),
        ("a", "array('a', 'abc')"),
        ("m", "map('ab', 'a')"),
        ("m", "map('a', 'ab')"),
        ("m", "map('a', NULL)"),
    ):
        t.sql(f"INSERT INTO t ({column}) VALUES ({value})")
    t.sql("INSERT INTO t (v) SELECT repeat('x', CAST(id AS INT)) FROM range(0, 10, 1, 2)")
    t.sql("SELECT count(*) AS n FROM t")


def case_two_inserts_at_once(t: Recorder) -> None:
    """A refused write does not keep the next one from going well."""
    _table(t)
    t.sql("INSERT INTO t VALUES (1, 'new')")
    t.sql("INSERT INTO t VALUES (7, 'new')")
    t.sql("ALTER TABLE t DROP CONSTRAINT big")
    t.sql("INSERT INTO t VALUES (1, 'new')")
    _left(t)
