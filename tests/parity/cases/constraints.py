"""CHECK constraints added, dropped and shown: history, properties, protocol, log."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_constraints_script_of_the_page(t: Recorder) -> None:
    t.sql("DROP TABLE IF EXISTS delta_demo")
    t.sql("CREATE TABLE delta_demo (id INT) USING delta")
    t.sql("ALTER TABLE delta_demo ADD CONSTRAINT demo_check_constraint CHECK (id > 5)")
    t.history("delta_demo")
    t.sql("INSERT INTO delta_demo VALUES 3")
    t.sql("SELECT * FROM delta_demo")
    t.sql("SHOW TBLPROPERTIES delta_demo")
    t.log("delta_demo")


def case_constraints_kept_and_gone(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, name STRING) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT positive CHECK (id > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT named CHECK (name IS NOT NULL AND name <> '')")
    t.detail("t")
    t.sql("ALTER TABLE t DROP CONSTRAINT positive")
    t.detail("t")
    t.sql("ALTER TABLE t DROP CONSTRAINT named")
    t.detail("t")
    t.history("t")
    t.log("t", 1)


def case_constraints_dropped_that_are_not_there(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t DROP CONSTRAINT c")
    t.sql("ALTER TABLE t DROP CONSTRAINT IF EXISTS c")
    t.history("t")
    t.log("t", 1)
    t.conf("spark.databricks.delta.constraints.assumesDropIfExists.enabled", "true")
    t.sql("ALTER TABLE t DROP CONSTRAINT c")
    t.history("t")


def case_constraints_named_twice(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT C CHECK (id > 1)")
    t.sql("ALTER TABLE t DROP CONSTRAINT C")
    t.sql("ALTER TABLE t ADD CONSTRAINT C CHECK (id > 1)")
    t.sql("SHOW TBLPROPERTIES t")
    t.history("t")


def case_constraints_same_condition_twice(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT a CHECK (id > 0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT b CHECK (id > 0)")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("INSERT INTO t VALUES (0)")
    t.sql("SHOW TBLPROPERTIES t")


def case_constraints_raise_an_old_protocol(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta"
        " TBLPROPERTIES ('delta.minReaderVersion' = '1', 'delta.minWriterVersion' = '2')"
    )
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.log("t", 1)
    t.detail("t")


def case_constraints_in_a_feature_table(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.appendOnly' ="
        " 'supported', 'delta.minReaderVersion' = '1', 'delta.minWriterVersion' = '7')"
    )
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.log("t", 1)
    t.detail("t")
    t.sql("ALTER TABLE t DROP CONSTRAINT c")
    t.log("t", 2)
    t.detail("t")


def case_constraints_and_drop_feature(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.minReaderVersion' = '1',"
        " 'delta.minWriterVersion' = '7')"
    )
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("ALTER TABLE t DROP FEATURE checkConstraints")
    t.sql("ALTER TABLE t DROP CONSTRAINT c")
    t.sql("ALTER TABLE t DROP FEATURE checkConstraints")
    t.detail("t")


def case_constraints_beside_deletion_vectors(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    t.sql("INSERT INTO t VALUES (1), (9)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.detail("t")
    t.log("t", 2)


def case_constraints_statement_in_other_letters(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("alter table t add constraint c check (id > 0)")
    t.sql("ALTER TABLE  t\n  ADD CONSTRAINT d\n  CHECK\n  (id > 1) ;")
    t.sql("alter  /* of t */ table t drop constraint if exists d")
    t.sql("SHOW TBLPROPERTIES t")
    t.history("t")


def case_constraints_statement_has_no_rows(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.value(
        "columns",
        lambda: t.spark.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)").columns,
    )
    t.value("rows", lambda: t.spark.sql("ALTER TABLE t DROP CONSTRAINT c").collect())


def case_constraints_by_full_name(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql(f"ALTER TABLE {t.schema}.t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql(f"ALTER TABLE spark_catalog.{t.schema}.t ADD CONSTRAINT d CHECK (id > 1)")
    t.sql(f"ALTER TABLE `{t.schema}`.`t` DROP CONSTRAINT `c`")
    t.sql("ALTER TABLE a.b.c.d ADD CONSTRAINT d CHECK (id > 1)")
    t.sql("SHOW TBLPROPERTIES t")


def case_constraints_of_an_external_table(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT) USING delta LOCATION '{t.path}'")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (0)")
    t.sql(f"ALTER TABLE delta.`{t.path}` DROP CONSTRAINT c")
    t.sql("INSERT INTO t VALUES (0)")
    t.history("t")


def case_constraints_through_execute_immediate(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("EXECUTE IMMEDIATE 'ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)'")
    t.sql("INSERT INTO t VALUES (0)")
    t.history("t")


def case_constraints_and_other_properties(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('own' = 'kept')")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('other' = 'x')")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('own')")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("INSERT INTO t VALUES (0)")


def case_constraints_of_an_older_version(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("SELECT * FROM t VERSION AS OF 0")
    t.sql("SELECT * FROM t VERSION AS OF 1")
    t.sql("SELECT * FROM t VERSION AS OF 2")


def case_constraints_and_truncate(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (0)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("TRUNCATE TABLE t")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("INSERT INTO t VALUES (0)")
    t.history("t")


def case_constraints_copied_by_like(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("CREATE TABLE u LIKE t")
    t.sql("SHOW TBLPROPERTIES u")
    t.sql("INSERT INTO u VALUES (0)")


def case_constraints_of_a_replaced_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("CREATE OR REPLACE TABLE t (id INT, name STRING) USING delta")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("INSERT INTO t VALUES (0, 'a')")
    t.sql("SELECT * FROM t")
