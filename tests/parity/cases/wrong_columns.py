"""ALTER TABLE on columns that are not there, said otherwise, or may not change so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

MAPPED = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
COLUMNS = """id INT, Name STRING COMMENT 'who', s STRUCT<a: INT, B: STRING>,
    xs ARRAY<STRUCT<x: INT>>, m MAP<STRING, STRUCT<v: INT>>, `a.b` INT, day DATE"""


def _table(t: Recorder, properties: str = MAPPED) -> None:
    t.spark.sql(f"CREATE TABLE t ({COLUMNS}) USING delta PARTITIONED BY (day) {properties}")


def _state(t: Recorder) -> None:
    t.show("schema", lambda: t.spark.table("t"))
    t.history("t")


def case_rename_what_is_not_there(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN nope TO x")
    t.sql("ALTER TABLE t RENAME COLUMN s.nope TO x")
    t.sql("ALTER TABLE t RENAME COLUMN id.x TO y")
    t.sql("ALTER TABLE t RENAME COLUMN a.b TO y")
    t.sql("ALTER TABLE t RENAME COLUMN xs.x TO y")
    t.sql("ALTER TABLE t RENAME COLUMN m.v TO y")
    t.sql("ALTER TABLE t RENAME COLUMN `s.a` TO y")
    t.sql("ALTER TABLE t RENAME COLUMN t.id TO y")
    _state(t)


def case_rename_to_a_name_in_use(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN id TO Name")
    t.sql("ALTER TABLE t RENAME COLUMN id TO NAME")
    t.sql("ALTER TABLE t RENAME COLUMN s.a TO b")
    t.sql("ALTER TABLE t RENAME COLUMN id TO id")
    t.sql("ALTER TABLE t RENAME COLUMN id TO ID")
    t.sql("ALTER TABLE t RENAME COLUMN s.b TO b")
    t.sql("ALTER TABLE t RENAME COLUMN id TO s.c")
    _state(t)


def case_rename_in_another_case(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN NAME TO title")
    t.sql("ALTER TABLE t RENAME COLUMN S.A TO n")
    t.sql("ALTER TABLE t RENAME COLUMN XS.ELEMENT.X TO y")
    t.sql("ALTER TABLE t RENAME COLUMN m.VALUE.v TO w")
    t.sql("ALTER TABLE t RENAME COLUMN DAY TO `the day`")
    _state(t)


def case_rename_to_odd_names(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN id TO `a b,;{}()=`")
    t.sql("ALTER TABLE t RENAME COLUMN Name TO `x.y`")
    t.sql("ALTER TABLE t RENAME COLUMN `x.y` TO `größe`")
    t.sql("ALTER TABLE t RENAME COLUMN `a.b` TO ``")
    t.sql("ALTER TABLE t RENAME COLUMN `größe` TO _change_type")
    _state(t)


def case_rename_what_has_no_name(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t RENAME COLUMN xs.element TO y")
    t.sql("ALTER TABLE t RENAME COLUMN m.key TO y")
    t.sql("ALTER TABLE t RENAME COLUMN m.value TO y")
    _state(t)


def case_rename_and_drop_without_mapping(t: Recorder) -> None:
    _table(t, "")
    t.sql("ALTER TABLE t RENAME COLUMN id TO x")
    t.sql("ALTER TABLE t RENAME COLUMN s.a TO x")
    t.sql("ALTER TABLE t RENAME COLUMN nope TO x")
    t.sql("ALTER TABLE t DROP COLUMN id")
    t.sql("ALTER TABLE t DROP COLUMN s.a")
    t.sql("ALTER TABLE t DROP COLUMN nope")
    t.sql("ALTER TABLE t DROP COLUMN IF EXISTS nope")
    t.sql("ALTER TABLE t RENAME COLUMN Name TO name")
    _state(t)


def case_drop_what_is_not_there(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t DROP COLUMN nope")
    t.sql("ALTER TABLE t DROP COLUMN s.nope")
    t.sql("ALTER TABLE t DROP COLUMN a.b")
    t.sql("ALTER TABLE t DROP COLUMNS (id, nope)")
    t.sql("ALTER TABLE t DROP COLUMN IF EXISTS nope")
    t.sql("ALTER TABLE t DROP COLUMNS IF EXISTS (nope, s.nope)")
    t.sql("ALTER TABLE t DROP COLUMNS (id, id)")
    t.sql("ALTER TABLE t DROP COLUMNS (s, s.a)")
    t.sql("ALTER TABLE t DROP COLUMN day")
    t.sql("ALTER TABLE t DROP COLUMN xs.element")
    t.sql("ALTER TABLE t DROP COLUMN xs.element.x")
    t.sql("ALTER TABLE t DROP COLUMN m.key")
    _state(t)


def case_drop_in_another_case_and_quoted(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t DROP COLUMN NAME")
    t.sql("ALTER TABLE t DROP COLUMN `a.b`")
    t.sql("ALTER TABLE t DROP COLUMN S.b")
    t.sql("ALTER TABLE t DROP COLUMN s.A")
    _state(t)


def case_drop_all_columns(t: Recorder) -> None:
    t.spark.sql(f"CREATE TABLE t (id INT, p INT) USING delta PARTITIONED BY (p) {MAPPED}")
    t.spark.sql(f"CREATE TABLE u (id INT) USING delta {MAPPED}")
    t.sql("ALTER TABLE t DROP COLUMN id")
    t.sql("ALTER TABLE u DROP COLUMN id")
    t.sql("ALTER TABLE u DROP COLUMNS (id, nope)")
    _state(t)


def case_add_what_is_there(t: Recorder) -> None:
    _table(t, "")
    t.sql("ALTER TABLE t ADD COLUMN id INT")
    t.sql("ALTER TABLE t ADD COLUMN ID INT")
    t.sql("ALTER TABLE t ADD COLUMNS (x INT, x STRING)")
    t.sql("ALTER TABLE t ADD COLUMNS (x INT, X STRING)")
    t.sql("ALTER TABLE t ADD COLUMN s.b INT")
    t.sql("ALTER TABLE t ADD COLUMN IF NOT EXISTS id INT")
    t.sql("ALTER TABLE t ADD COLUMN n STRUCT<a: INT, A: INT>")
    _state(t)


def case_add_where_nothing_can_be(t: Recorder) -> None:
    _table(t, "")
    t.sql("ALTER TABLE t ADD COLUMN nope.x INT")
    t.sql("ALTER TABLE t ADD COLUMN id.x INT")
    t.sql("ALTER TABLE t ADD COLUMN xs.x INT")
    t.sql("ALTER TABLE t ADD COLUMN m.x INT")
    t.sql("ALTER TABLE t ADD COLUMN m.key.x INT")
    t.sql("ALTER TABLE t ADD COLUMN x INT AFTER nope")
    t.sql("ALTER TABLE t ADD COLUMN s.x INT AFTER id")
    t.sql("ALTER TABLE t ADD COLUMN x INT AFTER s.a")
    t.sql("ALTER TABLE t ADD COLUMN x INT AFTER x")
    t.sql("ALTER TABLE t ADD COLUMN x NOPE")
    t.sql("ALTER TABLE t ADD COLUMN x INT NOT NULL")
    t.sql("ALTER TABLE t ADD COLUMN x INT DEFAULT 1")
    t.sql("ALTER TABLE t ADD COLUMN x INTERVAL DAY")
    t.sql("ALTER TABLE t ADD COLUMN `a b` INT")
    t.sql("ALTER TABLE t ADD COLUMN s.`a=b` INT")
    _state(t)


def case_alter_what_is_not_there(t: Recorder) -> None:
    _table(t, "")
    t.sql("ALTER TABLE t ALTER COLUMN nope COMMENT 'x'")
    t.sql("ALTER TABLE t ALTER COLUMN s.nope TYPE BIGINT")
    t.sql("ALTER TABLE t ALTER COLUMN a.b COMMENT 'x'")
    t.sql("ALTER TABLE t ALTER COLUMN nope FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN id AFTER nope")
    t.sql("ALTER TABLE t ALTER COLUMN id AFTER s.a")
    t.sql("ALTER TABLE t ALTER COLUMN s.a AFTER id")
    t.sql("ALTER TABLE t ALTER COLUMN nope DROP NOT NULL")
    t.sql("ALTER TABLE t ALTER COLUMN nope SET DEFAULT 1")
    t.sql("ALTER TABLE t CHANGE COLUMN nope nope INT COMMENT 'x'")
    t.sql("ALTER TABLE t CHANGE COLUMN id other INT COMMENT 'x'")
    _state(t)


def case_alter_in_another_case_and_quoted(t: Recorder) -> None:
    _table(t, "")
    t.sql("ALTER TABLE t ALTER COLUMN NAME COMMENT 'a'")
    t.sql("ALTER TABLE t ALTER COLUMN `a.b` COMMENT 'dotted'")
    t.sql("ALTER TABLE t ALTER COLUMN S.b COMMENT 'nested'")
    t.sql("ALTER TABLE t ALTER COLUMN XS.element.X COMMENT 'in array'")
    t.sql("ALTER TABLE t CHANGE COLUMN ID Id INT COMMENT 'b' AFTER NAME")
    t.sql("ALTER TABLE t CHANGE id id INT COMMENT 'c'")
    t.sql("ALTER TABLE t ALTER COLUMN DAY COMMENT 'partition'")
    _state(t)


def case_alter_types_that_cannot_be(t: Recorder) -> None:
    _table(t, "")
    for column, kind in [
        ("id", "STRING"),
        ("id", "BIGINT"),
        ("id", "SMALLINT"),
        ("id", "INT"),
        ("s", "STRUCT<a: BIGINT, b: STRING>"),
        ("s", "INT"),
        ("xs", "ARRAY<STRUCT<x: BIGINT>>"),
        ("m", "MAP<STRING, STRUCT<v: BIGINT>>"),
        ("day", "TIMESTAMP"),
        ("Name", "VARCHAR(10)"),
        ("Name", "NOPE"),
    ]:
        t.sql(f"ALTER TABLE t ALTER COLUMN {column} TYPE {kind}")
    _state(t)


def case_alter_a_column_twice(t: Recorder) -> None:
    _table(t, "")
    t.sql("ALTER TABLE t ALTER COLUMN id COMMENT 'a', id COMMENT 'b'")
    t.sql("ALTER TABLE t ALTER COLUMN id COMMENT 'a', ID FIRST")
    t.sql("ALTER TABLE t ALTER COLUMN s COMMENT 'a', s.a COMMENT 'b'")
    t.sql("ALTER TABLE t ALTER COLUMN id COMMENT 'a', nope COMMENT 'b'")
    t.sql("ALTER TABLE t ALTER COLUMN id COMMENT 'a' COMMENT 'b'")
    _state(t)


def case_alter_with_case_sensitive_names(t: Recorder) -> None:
    _table(t)
    t.conf("spark.sql.caseSensitive", "true")
    t.sql("ALTER TABLE t ALTER COLUMN NAME COMMENT 'a'")
    t.sql("ALTER TABLE t RENAME COLUMN NAME TO x")
    t.sql("ALTER TABLE t RENAME COLUMN Name TO name")
    t.sql("ALTER TABLE t DROP COLUMN NAME")
    t.sql("ALTER TABLE t ADD COLUMN NAME INT")
    t.sql("ALTER TABLE t ADD COLUMN s.b INT")
    _state(t)


def case_alter_columns_of_what_is_no_table(t: Recorder) -> None:
    t.sql("CREATE VIEW v AS SELECT 1 AS id")
    t.sql("CREATE TEMP VIEW w AS SELECT 1 AS id")
    for target in ("nope", "v", "w", f"delta.`{t.path}`", "nope.nope.t"):
        t.sql(f"ALTER TABLE {target} ADD COLUMN x INT")
        t.sql(f"ALTER TABLE {target} DROP COLUMN id")
        t.sql(f"ALTER TABLE {target} RENAME COLUMN id TO x")
        t.sql(f"ALTER TABLE {target} ALTER COLUMN id COMMENT 'x'")


def case_alter_columns_of_a_path(t: Recorder) -> None:
    at = f"delta.`{t.path}`"
    t.sql(f"CREATE TABLE {at} (id INT, p INT, s STRING) USING delta PARTITIONED BY (p) {MAPPED}")
    t.sql(f"INSERT INTO {at} VALUES (1, 1, 'a')")
    t.sql(f"ALTER TABLE {at} ADD COLUMN x INT FIRST")
    t.sql(f"ALTER TABLE {at} RENAME COLUMN id TO number")
    t.sql(f"ALTER TABLE {at} RENAME COLUMN p TO part")
    t.sql(f"ALTER TABLE {at} ALTER COLUMN number COMMENT 'n'")
    t.sql(f"ALTER TABLE {at} DROP COLUMN s")
    t.sql(f"ALTER TABLE delta.`{t.path}@v1` ADD COLUMN y INT")
    t.sql(f"INSERT INTO {at} VALUES (2, 2, 2)")
    t.sql(f"SELECT * FROM {at}")
    t.sql(f"SELECT * FROM {at} VERSION AS OF 1")
    t.sql(f"DESCRIBE {at}")
    t.history(at)


def case_alter_a_clustered_column(t: Recorder) -> None:
    columns = "id INT, s STRUCT<a: INT, b: INT>"
    t.sql(f"CREATE TABLE t ({columns}) USING delta CLUSTER BY (s.a) {MAPPED}")
    t.sql("ALTER TABLE t DROP COLUMN s.a")
    t.sql("ALTER TABLE t RENAME COLUMN s.a TO c")
    t.sql("ALTER TABLE t RENAME COLUMN s TO r")
    t.detail("t")
    t.history("t")


def case_replace_columns_that_cannot_be(t: Recorder) -> None:
    _table(t, "")
    t.sql("ALTER TABLE t REPLACE COLUMNS (id INT)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (nope INT)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (id STRING)")
    t.sql("ALTER TABLE t REPLACE COLUMNS (id INT, id INT)")
    t.sql("ALTER TABLE t REPLACE COLUMNS ()")
    _state(t)


def case_a_column_with_two_spellings(t: Recorder) -> None:
    t.sql("CREATE TABLE t (a INT, A INT) USING delta")
    t.sql("CREATE TABLE t (a INT, `a b` INT) USING delta")
    t.sql(f"CREATE TABLE t (a INT, `a b` INT, s STRUCT<`x y`: INT>) USING delta {MAPPED}")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'id')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'nope')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.maxColumnId' = '99')")
    _state(t)
