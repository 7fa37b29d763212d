"""CREATE TABLE over a location that holds something already."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _existing(t: Recorder) -> None:
    """A table of two versions at the scenario's path."""
    t.spark.sql(f"""CREATE TABLE delta.`{t.path}` (id INT NOT NULL, p STRING COMMENT 'part')
        USING delta PARTITIONED BY (p) TBLPROPERTIES ('delta.appendOnly' = 'false', 'k' = 'v')""")
    t.spark.sql(f"INSERT INTO delta.`{t.path}` VALUES (1, 'a'), (2, 'b')")


def case_location_without_columns_takes_over_the_table(t: Recorder) -> None:
    _existing(t)
    t.sql(f"CREATE TABLE t USING delta LOCATION '{t.path}'")
    t.sql("SELECT * FROM t")
    t.history("t")
    t.detail("t")
    t.sql("SHOW TBLPROPERTIES t")


def case_location_same_schema_adds_no_version(t: Recorder) -> None:
    _existing(t)
    t.sql(
        f"CREATE TABLE t (id INT NOT NULL, p STRING COMMENT 'part') USING delta"
        f" PARTITIONED BY (p) LOCATION '{t.path}'"
        " TBLPROPERTIES ('delta.appendOnly' = 'false', 'k' = 'v')"
    )
    t.history("t")


def case_location_other_schema_is_refused(t: Recorder) -> None:
    _existing(t)
    t.sql(f"CREATE TABLE t (id INT, q STRING) USING delta LOCATION '{t.path}'")
    t.sql(
        f"CREATE TABLE t (id BIGINT, p STRING) USING delta PARTITIONED BY (p) LOCATION '{t.path}'"
    )
    t.sql(f"CREATE TABLE t (p STRING, id INT) USING delta PARTITIONED BY (p) LOCATION '{t.path}'")
    t.sql(f"CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p) LOCATION '{t.path}'")
    t.sql("SHOW TABLES")


def case_location_other_partitioning_is_refused(t: Recorder) -> None:
    _existing(t)
    columns = "(id INT NOT NULL, p STRING COMMENT 'part')"
    t.sql(f"CREATE TABLE t {columns} USING delta LOCATION '{t.path}'")
    t.sql(f"CREATE TABLE t {columns} USING delta PARTITIONED BY (id) LOCATION '{t.path}'")
    t.sql("SHOW TABLES")


def case_location_other_properties_are_refused(t: Recorder) -> None:
    _existing(t)
    columns = "(id INT NOT NULL, p STRING COMMENT 'part') USING delta PARTITIONED BY (p)"
    t.sql(f"CREATE TABLE t {columns} LOCATION '{t.path}'")
    t.sql(f"CREATE TABLE u {columns} LOCATION '{t.path}' TBLPROPERTIES ('k' = 'w')")
    t.sql(f"CREATE TABLE v USING delta LOCATION '{t.path}' TBLPROPERTIES ('k' = 'w')")
    t.sql(f"CREATE TABLE w USING delta LOCATION '{t.path}' TBLPROPERTIES ('k' = 'v')")
    t.sql(f"CREATE TABLE x USING delta LOCATION '{t.path}' COMMENT 'a new comment'")
    t.sql("SHOW TABLES")
    t.history(f"delta.`{t.path}`")


def case_location_with_foreign_files(t: Recorder) -> None:
    Path(t.path).mkdir(parents=True)
    (Path(t.path) / "notes.txt").write_text("hello", "utf-8")
    t.sql(f"CREATE TABLE t (id INT) USING delta LOCATION '{t.path}'")
    t.sql(f"CREATE TABLE t USING delta LOCATION '{t.path}'")
    t.sql(f"CREATE TABLE t USING delta LOCATION '{t.path}' AS SELECT 1 AS id")
    t.sql("SHOW TABLES")


def case_location_empty_without_columns(t: Recorder) -> None:
    Path(t.path).mkdir(parents=True)
    t.sql(f"CREATE TABLE t USING delta LOCATION '{t.path}'")
    t.sql(f"CREATE TABLE u USING delta LOCATION '{t.folder('missing')}'")
    t.sql("SHOW TABLES")


def case_location_create_as_over_existing_table(t: Recorder) -> None:
    _existing(t)
    t.sql(f"CREATE TABLE t USING delta LOCATION '{t.path}' AS SELECT 1 AS id, 'a' AS p")
    t.sql(f"CREATE OR REPLACE TABLE t USING delta LOCATION '{t.path}' AS SELECT 5 AS n")
    t.sql("SELECT * FROM t")
    t.history("t")


def case_location_if_not_exists_takes_over(t: Recorder) -> None:
    _existing(t)
    t.sql(f"CREATE TABLE IF NOT EXISTS t USING delta LOCATION '{t.path}'")
    t.sql("SELECT * FROM t")
    t.sql(f"CREATE TABLE t USING delta LOCATION '{t.folder('elsewhere')}'")


def case_location_drop_keeps_external_data(t: Recorder) -> None:
    _existing(t)
    t.sql(f"CREATE TABLE t USING delta LOCATION '{t.path}'")
    t.sql("DROP TABLE t")
    t.sql("SELECT * FROM t")
    t.sql(f"SELECT * FROM delta.`{t.path}`")


def case_location_with_special_characters(t: Recorder) -> None:
    path = t.folder("a b%20c+ü#1")
    t.sql(f"CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p) LOCATION '{path}'")
    t.sql("INSERT INTO t VALUES (1, 'x y')")
    t.sql("SELECT * FROM t")
    t.sql(f"SELECT * FROM delta.`{path}`")
    t.show("load", lambda: t.spark.read.format("delta").load(path))
    t.detail("t")


def case_location_two_names_one_table(t: Recorder) -> None:
    t.sql(f"CREATE TABLE a (id INT) USING delta LOCATION '{t.path}'")
    t.sql(f"CREATE TABLE b USING delta LOCATION '{t.path}'")
    t.sql("INSERT INTO a VALUES (1)")
    t.sql("INSERT INTO b VALUES (2)")
    t.sql("SELECT * FROM a")
    t.sql("SELECT * FROM b")
