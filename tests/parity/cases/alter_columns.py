"""ALTER TABLE ... ALTER and CHANGE COLUMN: comments, nullability, positions, defaults, types."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

FEATURE = "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"


def _table(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING COMMENT 'first', at DATE) USING delta")
    t.sql("INSERT INTO t VALUES (1, 'a', DATE'2020-01-01')")


def case_change_comment(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN id COMMENT 'the number'")
    t.sql("ALTER TABLE t CHANGE COLUMN name COMMENT 'the ''name'''")
    t.sql("ALTER TABLE t CHANGE at COMMENT ''")
    t.sql("DESCRIBE t")
    t.sql("SELECT * FROM t")
    t.log("t", 2)
    t.history("t")


def case_change_comment_in_another_case(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN ID COMMENT 'upper'")
    t.sql("ALTER TABLE t ALTER COLUMN `Name` COMMENT 'quoted'")
    t.sql("ALTER TABLE t CHANGE COLUMN AT AT DATE COMMENT 'said again'")
    t.log("t", 2)


def case_change_the_same_again(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN name COMMENT 'first'")
    t.sql("ALTER TABLE t ALTER COLUMN name DROP NOT NULL")
    t.sql("ALTER TABLE t ALTER COLUMN id FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN id TYPE INT")
    t.sql("ALTER TABLE t ALTER COLUMN id AFTER id")
    t.log("t", 2)


def case_change_hive_style(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t CHANGE COLUMN id id INT COMMENT 'hive'")
    t.sql("ALTER TABLE t CHANGE id id INT AFTER name")
    t.sql("ALTER TABLE t CHANGE COLUMN at at DATE COMMENT 'both' FIRST")
    t.sql("ALTER TABLE t CHANGE COLUMN id number INT")
    t.sql("ALTER TABLE t CHANGE COLUMN id id BIGINT")
    t.sql("ALTER TABLE t CHANGE COLUMN nope nope INT")
    t.sql("ALTER TABLE t CHANGE COLUMN id id INT NOT NULL")
    t.sql("SELECT * FROM t")
    t.log("t", 2)


def case_change_position(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN at FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN id AFTER name")
    t.sql("INSERT INTO t VALUES (DATE'2020-01-02', 'b', 2)")
    t.sql("SELECT * FROM t")
    t.sql("SELECT * FROM t VERSION AS OF 1")
    t.sql("SELECT id FROM t WHERE at > DATE'2020-01-01'")
    t.sql("ALTER TABLE t ALTER COLUMN id AFTER nope")
    t.sql("ALTER TABLE t ALTER COLUMN nope FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN id AFTER ID")
    t.log("t", 2)
    t.history("t")


def case_change_position_of_partition_columns(t: Recorder) -> None:
    t.sql("CREATE TABLE t (a INT, p STRING, b INT) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES (1, 'x', 2)")
    t.sql("ALTER TABLE t ALTER COLUMN p FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN a AFTER b")
    t.sql("INSERT INTO t VALUES ('y', 3, 4)")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")
    t.log("t", 2)


def case_change_position_among_many(t: Recorder) -> None:
    columns = ", ".join(f"c{number} INT" for number in range(34))
    t.sql(f"CREATE TABLE t ({columns}) USING delta")
    t.sql("INSERT INTO t VALUES (" + ", ".join(str(number) for number in range(34)) + ")")
    t.sql("ALTER TABLE t ALTER COLUMN c33 FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN c0 AFTER c32")
    t.sql("SELECT c33, c0, c32 FROM t WHERE c33 = 33 AND c0 = 0")
    t.sql("DESCRIBE t")


def case_change_nullability(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT NOT NULL, s STRUCT<a: INT NOT NULL, b: INT> NOT NULL) USING delta"
    )
    t.sql("INSERT INTO t VALUES (NULL, named_struct('a', 1, 'b', 2))")
    t.sql("ALTER TABLE t ALTER COLUMN id DROP NOT NULL")
    t.sql("ALTER TABLE t ALTER COLUMN s.a DROP NOT NULL")
    t.sql("ALTER TABLE t ALTER COLUMN s DROP NOT NULL")
    t.sql("INSERT INTO t VALUES (NULL, named_struct('a', NULL, 'b', 2)), (1, NULL)")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")
    t.log("t", 1)
    t.history("t")


def case_change_set_not_null_where_it_is(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT NOT NULL, n INT) USING delta")
    t.sql("ALTER TABLE t ALTER COLUMN id SET NOT NULL")
    t.log("t", 1)


def case_change_unknown_columns(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, s STRUCT<a: INT>, `x.y` INT, l ARRAY<INT>) USING delta")
    t.sql("ALTER TABLE t ALTER COLUMN nope COMMENT 'x'")
    t.sql("ALTER TABLE t ALTER COLUMN s.nope COMMENT 'x'")
    t.sql("ALTER TABLE t ALTER COLUMN id.a COMMENT 'x'")
    t.sql("ALTER TABLE t ALTER COLUMN x.y COMMENT 'x'")
    t.sql("ALTER TABLE t ALTER COLUMN `x.y` COMMENT 'dotted'")
    t.sql("ALTER TABLE t ALTER COLUMN l.element.z COMMENT 'x'")
    t.sql("ALTER TABLE t ALTER COLUMN l.nope COMMENT 'x'")
    t.sql("ALTER TABLE t ALTER COLUMN `` COMMENT 'x'")
    t.sql("ALTER TABLE nope ALTER COLUMN id COMMENT 'x'")
    t.sql(f"ALTER TABLE delta.`{t.folder('none')}` ALTER COLUMN id COMMENT 'x'")
    t.log("t", 1)


def case_change_at_a_path(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT, n INT) USING delta")
    t.sql(f"ALTER TABLE delta.`{t.path}` ALTER COLUMN n COMMENT 'x'")
    t.sql(f"ALTER TABLE delta.`{t.path}` ALTER COLUMN n FIRST")
    t.sql(f"ALTER TABLE delta.`{t.path}` ADD COLUMN z INT")
    t.sql(f"DESCRIBE delta.`{t.path}`")
    t.log(t.path, 1)


def case_change_through_views(t: Recorder) -> None:
    _table(t)
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.spark.table("t").createOrReplaceTempView("tv")
    t.sql("ALTER TABLE v ALTER COLUMN id COMMENT 'x'")
    t.sql("ALTER TABLE tv ALTER COLUMN id COMMENT 'x'")
    t.sql("ALTER TABLE t ADD COLUMN z INT")
    t.sql("SELECT * FROM v")
    t.sql("SELECT * FROM tv")
    t.sql("ALTER TABLE v ADD COLUMN y INT")


def case_change_type_refused(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ALTER COLUMN id TYPE BIGINT")
    t.sql("ALTER TABLE t ALTER COLUMN id TYPE STRING")
    t.sql("ALTER TABLE t ALTER COLUMN name TYPE INT")
    t.sql("ALTER TABLE t ALTER COLUMN id TYPE SMALLINT")
    t.sql("ALTER TABLE t ALTER COLUMN at TYPE TIMESTAMP_NTZ")
    t.sql("ALTER TABLE t ALTER COLUMN id TYPE STRUCT<a: INT>")
    t.sql("ALTER TABLE t ALTER COLUMN name TYPE STRING")
    t.sql("ALTER TABLE t ALTER COLUMN name TYPE VARCHAR(5)")
    t.log("t", 2)


def case_change_type_of_texts(t: Recorder) -> None:
    t.sql("CREATE TABLE t (v VARCHAR(3), c CHAR(3), s STRUCT<v: VARCHAR(2)>) USING delta")
    t.sql("INSERT INTO t VALUES ('abc', 'ab', named_struct('v', 'x'))")
    t.sql("ALTER TABLE t ALTER COLUMN v TYPE VARCHAR(5)")
    t.sql("INSERT INTO t VALUES ('abcde', 'ab', named_struct('v', 'x'))")
    t.sql("ALTER TABLE t ALTER COLUMN v TYPE VARCHAR(4)")
    t.sql("ALTER TABLE t ALTER COLUMN v TYPE CHAR(9)")
    t.sql("ALTER TABLE t ALTER COLUMN c TYPE CHAR(5)")
    t.sql("ALTER TABLE t ALTER COLUMN c TYPE VARCHAR(5)")
    t.sql("ALTER TABLE t ALTER COLUMN v TYPE STRING")
    t.sql("ALTER TABLE t ALTER COLUMN s.v TYPE VARCHAR(4)")
    t.sql("ALTER TABLE t ALTER COLUMN v COMMENT 'kept'")
    t.sql("INSERT INTO t VALUES ('abcdefgh', 'abcd', named_struct('v', 'xyz'))")
    t.sql("SELECT * FROM t")
    t.sql("DESCRIBE t")
    t.log("t", 1)


def case_change_keeps_what_a_column_has(t: Recorder) -> None:
    t.sql(
        f"CREATE TABLE t (id INT DEFAULT 5 COMMENT 'c', v VARCHAR(3), n INT) USING delta {FEATURE}"
    )
    t.sql("ALTER TABLE t ALTER COLUMN id COMMENT 'other'")
    t.sql("ALTER TABLE t ALTER COLUMN id AFTER v")
    t.sql("ALTER TABLE t ALTER COLUMN v COMMENT 'short'")
    t.sql("ALTER TABLE t CHANGE COLUMN id id INT")
    t.sql("ALTER TABLE t ADD COLUMN z INT AFTER id")
    t.sql("INSERT INTO t (v) VALUES ('abc')")
    t.sql("INSERT INTO t (v) VALUES ('abcd')")
    t.sql("SELECT * FROM t")
    t.log("t", 1)


def case_change_cached(t: Recorder) -> None:
    _table(t)
    t.sql("CACHE TABLE t")
    t.sql("ALTER TABLE t ADD COLUMN z INT")
    t.sql("SELECT * FROM t")
    t.sql("ALTER TABLE t ALTER COLUMN z FIRST")
    t.sql("SELECT * FROM t")
    frame = t.spark.table("t").select("id", "z")
    t.sql("ALTER TABLE t ALTER COLUMN id FIRST")
    t.show("an older frame", frame)
    t.sql("DESCRIBE TABLE t")
    t.sql("SHOW COLUMNS IN t")


def case_change_through_history(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ADD COLUMN z INT FIRST")
    t.sql("INSERT INTO t VALUES (7, 2, 'b', NULL)")
    t.sql("SELECT * FROM t VERSION AS OF 1")
    t.sql("SELECT * FROM t VERSION AS OF 2")
    t.sql("SELECT * FROM t")
    t.sql("ALTER TABLE t VERSION AS OF 1 ADD COLUMN y INT")
