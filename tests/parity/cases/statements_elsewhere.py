"""Where statements may stand: inside of SQL scripts, behind EXPLAIN, and with IDENTIFIER."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.convert_sources import files

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

SCRIPTING = "spark.sql.scripting.enabled"


def case_script_of_common_statements(t: Recorder) -> None:
    t.conf(SCRIPTING, "true")
    t.sql(
        """BEGIN
          DECLARE n INT DEFAULT 2;
          CREATE TABLE t (id INT) USING delta;
          WHILE n > 0 DO
            INSERT INTO t VALUES (n);
            SET n = n - 1;
          END WHILE;
          DELETE FROM t WHERE id = 1;
          SELECT * FROM t;
        END"""
    )
    t.history("t")


def case_script_of_statements_of_delta(t: Recorder) -> None:
    files(t)
    t.spark.sql("CREATE TABLE t (id INT) USING delta")
    t.conf(SCRIPTING, "true")
    t.sql("BEGIN ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0); END")
    t.sql("BEGIN INSERT INTO t VALUES (0); END")
    t.sql("BEGIN ALTER TABLE t DROP CONSTRAINT c; END")
    t.sql("BEGIN CREATE TABLE u (id INT, CONSTRAINT c CHECK (id > 0)) USING delta; END")
    t.sql("BEGIN CREATE TABLE w (id INT, n INT GENERATED ALWAYS AS (id + 1)) USING delta; END")
    t.sql(f"BEGIN CONVERT TO DELTA parquet.`{t.path}`; END")
    t.attempt("history", lambda: t.spark.sql("BEGIN DESCRIBE HISTORY t; END"))
    t.attempt("detail", lambda: t.spark.sql("BEGIN DESCRIBE DETAIL t; END"))
    t.sql("SHOW TABLES")


def case_script_that_ends_in_an_error(t: Recorder) -> None:
    t.conf(SCRIPTING, "true")
    t.sql(
        """BEGIN
          CREATE TABLE t (id INT NOT NULL) USING delta;
          INSERT INTO t VALUES (1);
          INSERT INTO t VALUES (NULL);
          INSERT INTO t VALUES (3);
        END"""
    )
    t.sql("SELECT * FROM t")


def _explained(t: Recorder, *texts: str) -> None:
    for text in texts:
        t.attempt(f"EXPLAIN {text}", lambda text=text: t.spark.sql(f"EXPLAIN {text}").collect())


def case_explain_of_statements(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id INT) USING delta")
    _explained(
        t,
        "SELECT * FROM t",
        "INSERT INTO t VALUES (1)",
        "DELETE FROM t WHERE id = 1",
        "UPDATE t SET id = 2",
        "MERGE INTO t USING (SELECT 1 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
        "ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)",
        "ALTER TABLE t DROP CONSTRAINT IF EXISTS c",
        "CREATE TABLE u (id INT, n INT GENERATED ALWAYS AS (id + 1)) USING delta",
        "DESCRIBE HISTORY t",
        "DESCRIBE DETAIL t",
        "OPTIMIZE t",
        "VACUUM t",
    )
    t.history("t")
    t.sql("SHOW TABLES")


def case_names_by_identifier(t: Recorder) -> None:
    files(t)
    t.spark.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO IDENTIFIER('t') VALUES (1)")
    t.sql("UPDATE IDENTIFIER('t') SET id = 2")
    t.sql("ALTER TABLE IDENTIFIER('t') SET TBLPROPERTIES ('k' = 'v')")
    t.sql("ALTER TABLE IDENTIFIER('t') ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("INSERT INTO t VALUES (0)")
    t.sql("ALTER TABLE IDENTIFIER('t') DROP CONSTRAINT c")
    t.sql(f"CONVERT TO DELTA IDENTIFIER('parquet.`{t.path}`')")
    t.sql("SELECT * FROM IDENTIFIER('t')")
