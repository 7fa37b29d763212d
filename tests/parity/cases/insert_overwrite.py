"""INSERT OVERWRITE, static and dynamic, and INSERT INTO ... REPLACE WHERE."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

DYNAMIC = ("spark.sql.sources.partitionOverwriteMode", "dynamic")


def _partitioned(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id INT, p STRING, q INT) USING delta PARTITIONED BY (p, q)")
    t.spark.sql("INSERT INTO t VALUES (1, 'a', 1), (2, 'a', 2), (3, 'b', 1), (4, NULL, 1)")


def case_overwrite_whole_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1), (2)")
    t.sql("INSERT OVERWRITE t VALUES (3)")
    t.sql("INSERT OVERWRITE TABLE t SELECT 4")
    t.sql("SELECT * FROM t")
    t.log("t", 2)
    t.history("t")


def case_overwrite_from_itself(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1), (2), (3)")
    t.sql("INSERT OVERWRITE t SELECT id * 2 FROM t WHERE id > 1")
    t.sql("SELECT * FROM t")


def case_overwrite_with_nothing(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT OVERWRITE t SELECT 1 WHERE false")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("INSERT OVERWRITE t SELECT 1 WHERE false")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_overwrite_static_partition(t: Recorder) -> None:
    _partitioned(t)
    t.sql("INSERT OVERWRITE t PARTITION (p = 'a', q = 1) VALUES (10)")
    t.sql("INSERT OVERWRITE t PARTITION (p = 'b') SELECT 20, 5")
    t.sql("SELECT * FROM t")
    t.log("t", 2)
    t.history("t")


def case_overwrite_static_null_partition(t: Recorder) -> None:
    _partitioned(t)
    t.sql("INSERT OVERWRITE t PARTITION (p = NULL, q = 1) VALUES (40)")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_overwrite_static_mode_ignores_named_partitions(t: Recorder) -> None:
    _partitioned(t)
    t.sql("INSERT OVERWRITE t PARTITION (p, q) VALUES (10, 'a', 1)")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_overwrite_dynamic(t: Recorder) -> None:
    _partitioned(t)
    t.conf(*DYNAMIC)
    t.sql("INSERT OVERWRITE t VALUES (10, 'a', 1), (11, 'c', 1)")
    t.sql("INSERT OVERWRITE t PARTITION (p = 'a', q) SELECT 12, 2")
    t.sql("INSERT OVERWRITE t PARTITION (p = 'b', q = 1) SELECT 13")
    t.sql("INSERT OVERWRITE t SELECT 14, NULL, 1")
    t.sql("INSERT OVERWRITE t SELECT 14, 'a', 1 WHERE false")
    t.sql("SELECT * FROM t")
    t.log("t", 2)
    t.history("t")


def case_overwrite_dynamic_unpartitioned(t: Recorder) -> None:
    t.conf(*DYNAMIC)
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1), (2)")
    t.sql("INSERT OVERWRITE t VALUES (3)")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_overwrite_by_name_and_list(t: Recorder) -> None:
    _partitioned(t)
    t.sql("INSERT OVERWRITE t BY NAME SELECT 1 AS q, 'z' AS p, 9 AS id")
    t.sql("SELECT * FROM t")
    t.sql("INSERT OVERWRITE t (p, q, id) VALUES ('y', 2, 8)")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_overwrite_replace_where_statement(t: Recorder) -> None:
    _partitioned(t)
    t.sql("INSERT INTO t REPLACE WHERE p = 'a' SELECT 30, 'a', 3")
    t.sql("SELECT * FROM t")
    t.sql("INSERT INTO t REPLACE WHERE p = 'a' SELECT 30, 'b', 3")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_overwrite_errors_leave_the_table(t: Recorder) -> None:
    _partitioned(t)
    t.sql("INSERT OVERWRITE t VALUES (1, 'a')")
    t.sql("INSERT OVERWRITE t SELECT CAST('x' AS INT), 'a', 1")
    t.sql("INSERT OVERWRITE t PARTITION (nope = 1) SELECT 1")
    t.sql("INSERT OVERWRITE nope SELECT 1")
    t.sql(f"INSERT OVERWRITE DIRECTORY '{t.path}' USING delta SELECT 1 AS id")
    t.sql("SELECT * FROM t")
    t.history("t")
