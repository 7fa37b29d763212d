"""Column mapping turned on for tables that are there, and taken away again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

NAME = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
MODE = "delta.columnMapping.mode"


def to(t: Recorder, mode: str, table: str = "t", more: str = "") -> None:
    """Set the mode of a table."""
    t.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('{MODE}' = '{mode}'{more})")


def case_existing_table_is_mapped(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (i INT NOT NULL, s STRUCT<x: INT, y: ARRAY<STRUCT<z: INT>>>, b STRING)"
        " USING delta PARTITIONED BY (b)"
    )
    t.sql("INSERT INTO t VALUES (1, named_struct('x', 1, 'y', NULL), 'x')")
    to(t, "name")
    t.sql("INSERT INTO t VALUES (2, named_struct('x', 2, 'y', array(named_struct('z', 1))), 'y')")
    t.sql("SELECT * FROM t ORDER BY i")
    t.sql("SELECT i FROM t WHERE b = 'x' AND s.x = 1")
    t.sql("SELECT count(*), min(i), max(i) FROM t")
    t.log("t")
    t.history("t")


def case_mapped_and_protocol_raised_at_once(t: Recorder) -> None:
    t.sql("CREATE TABLE t (a INT) USING delta")
    to(t, "name", more=", 'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5'")
    t.log("t", 1)
    to(t, "name")
    t.log("t", 2)


def case_mode_in_any_case(t: Recorder) -> None:
    t.sql("CREATE TABLE t (a INT) USING delta")
    to(t, "NAME", more=", 'mine' = '1'")
    t.log("t", 1)


def case_modes_that_cannot_follow(t: Recorder) -> None:
    t.sql("CREATE TABLE t (a INT) USING delta")
    to(t, "id")
    to(t, "name")
    to(t, "id")
    t.sql("CREATE TABLE u (a INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'id')")
    to(t, "name", "u")
    to(t, "id", "u")
    t.history("u")


def case_removal_may_be_switched_off(t: Recorder) -> None:
    t.conf("spark.databricks.delta.columnMapping.allowRemoval", "false")
    t.sql(f"CREATE TABLE t (a INT) USING delta {NAME}")
    to(t, "none")
    t.sql(f"ALTER TABLE t UNSET TBLPROPERTIES ('{MODE}')")


def case_mapping_of_created_columns_is_removed(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (i INT, s STRUCT<x: INT, l: ARRAY<STRUCT<z: INT>>>, p STRING)"
        f" USING delta PARTITIONED BY (p) {NAME}"
    )
    t.sql("INSERT INTO t VALUES (1, named_struct('x', 1, 'l', array(named_struct('z', 1))), 'a')")
    t.sql("INSERT INTO t VALUES (2, NULL, NULL)")
    to(t, "none")
    t.sql("SELECT * FROM t ORDER BY i")
    t.sql("SELECT i FROM t WHERE s.x = 1 AND p = 'a'")
    t.log("t", 3)
    t.history("t")
    t.sql("SELECT * FROM t VERSION AS OF 2 ORDER BY i")


def case_unset_mode_removes_the_mapping(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (i INT, j INT) USING delta {NAME}")
    t.sql("INSERT INTO t VALUES (1, 2)")
    t.sql(f"ALTER TABLE t UNSET TBLPROPERTIES ('{MODE}')")
    t.sql("SELECT * FROM t")
    t.log("t", 2)


def case_removal_with_other_properties(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (i INT, j INT) USING delta {NAME}")
    t.sql("INSERT INTO t VALUES (1, 2)")
    to(t, "none", more=", 'delta.appendOnly' = 'true', 'foo' = 'bar'")
    t.log("t", 2)
    t.history("t")


def case_removal_needs_plain_names(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (`a b` INT, s STRUCT<`c,d`: INT>, e INT) USING delta {NAME}")
    t.sql("INSERT INTO t VALUES (1, named_struct('c,d', 2), 3)")
    to(t, "none")
    t.sql("ALTER TABLE t DROP FEATURE columnMapping")
    t.history("t")


def case_removed_and_mapped_again(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (i INT, j INT) USING delta {NAME}")
    t.sql("INSERT INTO t VALUES (1, 2)")
    to(t, "none")
    to(t, "name")
    t.sql("INSERT INTO t VALUES (3, 4)")
    t.sql("SELECT * FROM t ORDER BY i")
    t.log("t", 3)


def case_feature_is_dropped_with_files(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (i INT, p STRING) USING delta PARTITIONED BY (p) {NAME}")
    t.sql("INSERT INTO t VALUES (1, 'a'), (2, NULL)")
    t.sql("ALTER TABLE t DROP FEATURE columnMapping")
    t.sql("SELECT * FROM t ORDER BY i")
    t.log("t", 2)
    t.history("t")


def case_dropped_column_does_not_come_back(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (a INT, b INT) USING delta {NAME}")
    t.sql("INSERT INTO t VALUES (1, 2)")
    t.sql("ALTER TABLE t DROP COLUMN b")
    t.sql("ALTER TABLE t ADD COLUMN b INT")
    t.sql("INSERT INTO t VALUES (3, 4)")
    t.sql("SELECT * FROM t ORDER BY a")
    t.sql("SELECT count(b), min(b), max(b) FROM t")
    t.log("t", 2)


def case_dropped_column_is_not_in_files_after_removal(t: Recorder) -> None:
    t.sql("CREATE TABLE t (a INT, b INT) USING delta")
    t.sql("INSERT INTO t VALUES (1, 2)")
    to(t, "name")
    t.sql("ALTER TABLE t DROP COLUMN b")
    to(t, "none")
    t.sql("ALTER TABLE t ADD COLUMN b INT")
    t.sql("SELECT * FROM t")


def case_renamed_columns_after_removal(t: Recorder) -> None:
    t.sql("CREATE TABLE t (a INT, b INT, p STRING) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES (1, 2, 'x')")
    to(t, "name")
    t.sql("ALTER TABLE t RENAME COLUMN a TO c")
    t.sql("ALTER TABLE t RENAME COLUMN p TO q")
    t.sql("INSERT INTO t VALUES (3, 4, 'y')")
    to(t, "none")
    t.sql("SELECT * FROM t ORDER BY c")
    t.sql("SELECT c FROM t WHERE q = 'x'")
    t.detail("t")


def case_swapped_names(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (a INT, b INT) USING delta {NAME}")
    t.sql("INSERT INTO t VALUES (1, 2)")
    t.sql("ALTER TABLE t RENAME COLUMN a TO c")
    t.sql("ALTER TABLE t RENAME COLUMN b TO a")
    t.sql("ALTER TABLE t RENAME COLUMN c TO b")
    t.sql("INSERT INTO t VALUES (10, 20)")
    t.sql("SELECT a, b FROM t ORDER BY a")
    t.sql("SELECT a, b FROM t WHERE a = 2")
    t.sql("SELECT a, b FROM t VERSION AS OF 1")
