"""Column changes one after the other on tables that map their columns, by name and by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _table(t: Recorder, mode: str, more: str = "") -> None:
    t.sql(f"""CREATE TABLE t (id INT, p STRING, s STRUCT<a: INT, b: STRING>) USING delta {more}
        TBLPROPERTIES ('delta.columnMapping.mode' = '{mode}')""")
    t.sql("INSERT INTO t VALUES (1, 'x', named_struct('a', 1, 'b', 'y'))")


def case_mapped_by_id_all_changes(t: Recorder) -> None:
    _table(t, "id")
    t.sql("ALTER TABLE t RENAME COLUMN s.a TO z")
    t.sql("ALTER TABLE t ADD COLUMNS (s.a STRING FIRST, n INT AFTER id)")
    t.sql("ALTER TABLE t ALTER COLUMN p FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN n COMMENT 'new'")
    t.sql("INSERT INTO t VALUES ('w', 2, 3, named_struct('a', 'q', 'z', 4, 'b', 'r'))")
    t.sql("ALTER TABLE t DROP COLUMNS (n, s.b)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (id INT, s STRUCT<z: INT, a: STRING>, p STRING)")
    t.sql("SELECT * FROM t")
    t.sql("SELECT id FROM t WHERE s.z = 4 AND p = 'w'")
    t.sql("SELECT * FROM t VERSION AS OF 5")
    t.log("t", 2)


def case_mapped_partition_column_all_changes(t: Recorder) -> None:
    _table(t, "name", "PARTITIONED BY (p)")
    t.sql("ALTER TABLE t RENAME COLUMN p TO `part ition`")
    t.sql("ALTER TABLE t ALTER COLUMN `part ition` FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN `part ition` COMMENT 'moved'")
    t.sql("ALTER TABLE t ADD COLUMN p INT")
    t.sql("INSERT INTO t VALUES ('w', 2, named_struct('a', 2, 'b', 'z'), 5)")
    t.sql("SELECT * FROM t WHERE `part ition` = 'x'")
    t.sql("SELECT * FROM t WHERE p = 5")
    t.sql("INSERT OVERWRITE t PARTITION (`part ition` = 'w') (id, s, p) SELECT 3, NULL, 6")
    t.sql("SELECT * FROM t")
    t.sql("ALTER TABLE t DROP COLUMN `part ition`")
    t.detail("t")
    t.log("t", 2)


def case_mapped_after_an_upgrade(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, s STRUCT<a: INT>, n INT) USING delta")
    t.sql("INSERT INTO t VALUES (1, named_struct('a', 1), 10)")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    t.sql("ALTER TABLE t RENAME COLUMN s.a TO b")
    t.sql("ALTER TABLE t DROP COLUMN n")
    t.sql("ALTER TABLE t ADD COLUMN n INT")
    t.sql("ALTER TABLE t ADD COLUMN s.a INT")
    t.sql("INSERT INTO t VALUES (2, named_struct('b', 2, 'a', 3), 20)")
    t.sql("SELECT * FROM t")
    t.sql("SELECT id FROM t WHERE n = 10")
    t.sql("SELECT id FROM t WHERE s.a IS NULL")
    t.sql("SELECT min(n), max(n), count(n) FROM t")
    t.log("t", 2)


def case_mapped_comments_and_defaults(t: Recorder) -> None:
    t.sql("""CREATE TABLE t (id INT COMMENT 'c', v VARCHAR(3), s STRUCT<v: VARCHAR(2)>) USING delta
        TBLPROPERTIES ('delta.columnMapping.mode' = 'name',
        'delta.feature.allowColumnDefaults' = 'supported')""")
    t.sql("ALTER TABLE t ALTER COLUMN id SET DEFAULT 7")
    t.sql("ALTER TABLE t ALTER COLUMN id COMMENT 'd'")
    t.sql("ALTER TABLE t ALTER COLUMN v TYPE VARCHAR(5)")
    t.sql("ALTER TABLE t RENAME COLUMN id TO number")
    t.log("t", 1)
    t.sql("ALTER TABLE t RENAME COLUMN s.v TO w")
    t.sql("INSERT INTO t (v, s) VALUES ('abcde', named_struct('w', 'ab'))")
    t.sql("INSERT INTO t (v, s) VALUES ('abcde', named_struct('w', 'abc'))")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")
