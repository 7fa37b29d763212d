"""INSERT WITH SCHEMA EVOLUTION does for one statement what the session setting does for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _evolving(t: Recorder, rest: str, verb: str = "INTO") -> None:
    t.sql(f"INSERT WITH SCHEMA EVOLUTION {verb} {rest}")


def case_evolution_by_name(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    _evolving(t, "t BY NAME SELECT 1 AS id, 'a' AS name")
    t.sql("SELECT * FROM t")
    t.log("t", 1)
    t.history("t")
    t.sql("INSERT INTO t BY NAME SELECT 2 AS id, 'b' AS name, 3 AS more")


def case_evolution_by_position(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    _evolving(t, "t SELECT 1, 'a' AS name")
    _evolving(t, "TABLE t SELECT 2, 'b', 3.5 AS more")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_evolution_overwrite(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    _evolving(t, "TABLE t SELECT 2 AS id, 'a' AS name", verb="OVERWRITE")
    _evolving(t, "t BY NAME SELECT 3 AS id, 4 AS n", verb="OVERWRITE")
    t.sql("SELECT * FROM t")
    t.log("t", 2)


def case_evolution_of_partitions(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    _evolving(t, "t BY NAME SELECT 1 AS id, 'a' AS p, 7 AS n")
    t.sql("SELECT * FROM t")
    t.detail("t")


def case_evolution_of_structs(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, s STRUCT<a: INT>) USING delta")
    _evolving(t, "t SELECT 1, named_struct('a', 1, 'b', 'x')")
    _evolving(t, "t BY NAME SELECT 2 AS id, named_struct('a', 2, 'b', 'y', 'c', 3) AS s")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_evolution_without_need(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    _evolving(t, "t VALUES (1, 'a')")
    _evolving(t, "t (name, id) VALUES ('b', 2)")
    t.sql("SELECT * FROM t")
    t.log("t", 1)
    t.history("t")


def case_evolution_errors(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    _evolving(t, "t SELECT 1 AS id, nope")
    _evolving(t, "nope SELECT 1 AS id")
    _evolving(t, "t BY NAME SELECT 1 AS id, 2 AS `a b`")
    t.sql("INSERT INTO t BY NAME SELECT 1 AS id, 2 AS n")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_evolution_from_a_query(t: Recorder) -> None:
    t.sql("CREATE TABLE s (id INT, name STRING) USING delta")
    t.sql("INSERT INTO s VALUES (1, 'a')")
    t.sql("CREATE TABLE t (id INT) USING delta")
    _evolving(t, "t SELECT * FROM s")
    _evolving(t, "t TABLE s")
    _evolving(t, "t WITH q AS (SELECT 5 AS id, 'q' AS name) SELECT * FROM q")
    _evolving(t, "t SELECT id + 10, name FROM t")
    t.sql("SELECT * FROM t")
