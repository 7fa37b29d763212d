"""CHECK constraints that cannot be: bad names, bad expressions, tables that are none of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _table(t: Recorder) -> None:
    t.spark.sql(
        """CREATE TABLE t (id INT, Name STRING, s STRUCT<a: INT, B: STRING>, xs ARRAY<INT>,
        m MAP<STRING, INT>, `a.b` INT, day DATE) USING delta PARTITIONED BY (day)"""
    )
    t.spark.sql(
        """INSERT INTO t VALUES (1, 'one', struct(1, 'x'), array(1, 2), map('k', 1), 7,
        DATE'2024-01-01')"""
    )


def _state(t: Recorder) -> None:
    t.sql("SHOW TBLPROPERTIES t")
    t.history("t")


def case_constraint_on_columns_that_are_not_there(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (nope > 5)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0 AND t.nope > 5)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (s.nope > 5)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (a.b > 5)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id.x > 5)")
    _state(t)


def case_constraint_on_columns_said_otherwise(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ADD CONSTRAINT upper CHECK (ID > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT quoted CHECK (`id` > 0 AND `a.b` = 7)")
    t.sql("ALTER TABLE t ADD CONSTRAINT nested CHECK (S.A > 0 and s.b = 'x')")
    t.sql("ALTER TABLE t ADD CONSTRAINT qualified CHECK (t.id > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT by_schema CHECK (p_other.t.id > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT element CHECK (xs[0] > 0 AND m['k'] = 1)")
    t.sql("INSERT INTO t (id, name, day) VALUES (-1, 'none', DATE'2024-01-01')")
    _state(t)


def case_constraint_whose_expression_is_no_boolean(t: Recorder) -> None:
    _table(t)
    for expression in ("id", "'true'", "name", "1", "NULL", "id + 1", "s", "xs", "id = 1, id = 2"):
        t.sql(f"ALTER TABLE t ADD CONSTRAINT c CHECK ({expression})")
    _state(t)


def case_constraint_that_does_not_parse(t: Recorder) -> None:
    _table(t)
    for expression in ("id >", "", "id > 5 5", "SELECT 1", "id > (", "id ==== 2", "'open"):
        t.sql(f"ALTER TABLE t ADD CONSTRAINT c CHECK ({expression})")
    t.sql("ALTER TABLE t ADD CONSTRAINT CHECK (id > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c id > 0")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK id > 0")
    t.sql("ALTER TABLE t ADD CONSTRAINT a.b CHECK (id > 0)")
    _state(t)


def case_constraint_with_subqueries_and_windows(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id IN (SELECT 1))")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (EXISTS (SELECT * FROM t))")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > (SELECT max(id) FROM t))")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (count(*) > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (max(id) > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (row_number() OVER (ORDER BY id) > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (explode(xs) > 0)")
    _state(t)


def case_constraint_with_functions_that_are_not_there(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (nope(id))")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (length(id, 1, 2) > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > xs)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (day > array(1))")
    _state(t)


def case_constraint_on_what_is_no_delta_table(t: Recorder) -> None:
    t.sql("CREATE TABLE p (id INT) USING parquet")
    t.sql("CREATE VIEW v AS SELECT 1 AS id")
    t.sql("CREATE TEMP VIEW w AS SELECT 1 AS id")
    for target in ("nope", "nope.t", "v", "w", f"delta.`{t.path}`", "delta.`relative/path`"):
        t.sql(f"ALTER TABLE {target} ADD CONSTRAINT c CHECK (id > 0)")
        t.sql(f"ALTER TABLE {target} DROP CONSTRAINT IF EXISTS c")
    t.attempt("add to parquet", lambda: t.spark.sql("ALTER TABLE p ADD CONSTRAINT c CHECK (id>0)"))
    t.attempt("drop from parquet", lambda: t.spark.sql("ALTER TABLE p DROP CONSTRAINT c"))


def case_constraint_through_a_view(t: Recorder) -> None:
    _table(t)
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.sql("CREATE TEMP VIEW w AS SELECT * FROM t")
    t.sql("ALTER TABLE v ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("ALTER VIEW v ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("ALTER TABLE w ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("ALTER TABLE v DROP CONSTRAINT c")
    t.sql("INSERT INTO t (id, day) VALUES (0, DATE'2024-01-01')")
    t.sql("SELECT id FROM v")
    _state(t)


def case_constraint_on_a_path(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT, p INT) USING delta PARTITIONED BY (p)")
    t.sql(f"ALTER TABLE delta.`{t.path}` ADD CONSTRAINT c CHECK (id > 5)")
    t.sql(f"ALTER TABLE delta.`{t.path}` ADD CONSTRAINT c CHECK (id > 6)")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (6, 1)")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (5, 1)")
    t.sql(f"ALTER TABLE delta.`{t.path}/p=1` ADD CONSTRAINT d CHECK (id > 5)")
    t.sql(f"ALTER TABLE delta.`{t.path}@v0` ADD CONSTRAINT d CHECK (id > 5)")
    t.sql(f"ALTER TABLE delta.`{t.path}` DROP CONSTRAINT C")
    t.history(f"delta.`{t.path}`")


def case_constraint_names_that_are_odd(t: Recorder) -> None:
    _table(t)
    for name in ("`my rule`", "`dotted.name`", "`Käse`", "`delta.constraints.x`", "check", "`1a`"):
        t.sql(f"ALTER TABLE t ADD CONSTRAINT {name} CHECK (id > 0)")
    t.sql("ALTER TABLE t DROP CONSTRAINT `My Rule`")
    t.sql("ALTER TABLE t DROP CONSTRAINT `dotted.name`")
    t.sql("ALTER TABLE t DROP CONSTRAINT dotted.name")
    _state(t)


def case_constraint_names_in_another_case(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ADD CONSTRAINT Positive CHECK (id > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT POSITIVE CHECK (id > 1)")
    t.sql("INSERT INTO t (id, day) VALUES (0, DATE'2024-01-01')")
    t.sql("ALTER TABLE t DROP CONSTRAINT pOsItIvE")
    t.sql("ALTER TABLE t DROP CONSTRAINT IF EXISTS positive")
    t.sql("ALTER TABLE t DROP CONSTRAINT positive")
    _state(t)


def case_constraint_with_the_reserved_name(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ADD CONSTRAINT __CHAR_VARCHAR_STRING_LENGTH_CHECK__ CHECK (id > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT __char_varchar_string_length_check__ CHECK (id > 0)")
    t.sql("ALTER TABLE t DROP CONSTRAINT __CHAR_VARCHAR_STRING_LENGTH_CHECK__")
    _state(t)


def case_constraint_by_properties(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.constraints.c' = 'id > 0')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('DELTA.Constraints.c' = 'id > 0')")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.constraints.c' = 'id > -1')")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.constraints.c')")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('delta.constraints.d')")
    _state(t)


def case_constraint_of_other_kinds(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ADD CONSTRAINT c PRIMARY KEY (id)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c UNIQUE (id)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c FOREIGN KEY (id) REFERENCES t (id)")
    t.sql("ALTER TABLE t ADD CHECK (id > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT d CHECK (id > 0) ENFORCED")
    t.sql("ALTER TABLE t ADD CONSTRAINT e CHECK (id > 0) NOT ENFORCED")
    t.sql("ALTER TABLE t ADD CONSTRAINT f CHECK (id > 0) RELY")
    t.sql("ALTER TABLE t DROP CONSTRAINT d CASCADE")
    _state(t)


def case_constraint_that_old_rows_violate(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id INT, d DOUBLE) USING delta")
    t.spark.sql("INSERT INTO t VALUES (1, 1.5), (2, NULL), (3, double('NaN'))")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 1)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (d > 1)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (d IS NOT NULL)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (d > 1 OR d IS NULL)")
    t.sql("ALTER TABLE t ADD CONSTRAINT z CHECK (1 / (id - 2) < 5)")
    t.sql("ALTER TABLE t ADD CONSTRAINT n CHECK (NULL > 1)")
    t.sql("ALTER TABLE t ADD CONSTRAINT f CHECK (false)")
    t.sql("ALTER TABLE t ADD CONSTRAINT y CHECK (true)")
    _state(t)


def case_constraint_on_a_table_that_is_append_only(t: Recorder) -> None:
    t.spark.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true', "
        "'delta.minReaderVersion' = '1', 'delta.minWriterVersion' = '7')"
    )
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("ALTER TABLE t DROP CONSTRAINT c")
    t.detail("t")
    t.log("t", 1)


def case_constraint_texts_are_kept_as_written(t: Recorder) -> None:
    _table(t)
    t.sql("ALTER TABLE t ADD CONSTRAINT a CHECK (  id   >   0  )")
    t.sql("ALTER TABLE t ADD CONSTRAINT b CHECK ((id > 0) AND (name <> ')') )")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id /* why */ > 0 -- so\n)")
    t.sql("ALTER TABLE t ADD CONSTRAINT d CHECK (name\n IN ('one',\n 'two'))")
    t.sql("""ALTER TABLE t ADD CONSTRAINT e CHECK (name <> "x" AND name <> 'it\\'s')""")
    t.sql("ALTER TABLE t ADD CONSTRAINT f CHECK (Id BETWEEN 0 AND 9 AND `Name` LIKE 'o%')")
    _state(t)
