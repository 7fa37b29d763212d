"""CHECK constraints that a table is made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_declared_by_property(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.constraints.c' = 'id > 5')")
    t.sql("SHOW TBLPROPERTIES t")
    t.history("t")
    t.detail("t")
    t.log("t")
    t.sql("INSERT INTO t VALUES (3)")
    t.sql("INSERT INTO t VALUES (6)")
    t.sql("ALTER TABLE t ADD CONSTRAINT c CHECK (id > 0)")
    t.sql("ALTER TABLE t DROP CONSTRAINT c")
    t.sql("INSERT INTO t VALUES (3)")


def case_declared_by_property_of_no_sense(t: Recorder) -> None:
    t.sql("CREATE TABLE a (id INT) USING delta TBLPROPERTIES ('delta.constraints.c' = 'nope > 5')")
    t.sql("CREATE TABLE b (id INT) USING delta TBLPROPERTIES ('delta.constraints.c' = 'id >')")
    t.sql("CREATE TABLE d (id INT) USING delta TBLPROPERTIES ('delta.constraints.c' = 'id')")
    t.sql("SHOW TABLES")


def case_declared_in_the_columns(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, CONSTRAINT c CHECK (id > 5)) USING delta")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("INSERT INTO t VALUES (3)")


def case_declared_at_a_column(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT CONSTRAINT c CHECK (id > 5), s STRING) USING delta")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("INSERT INTO t VALUES (3, 'x')")


def case_declared_as_keys(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT PRIMARY KEY) USING delta")
    t.sql("CREATE TABLE t (id INT, UNIQUE (id)) USING delta")
    t.sql("CREATE TABLE t (id INT REFERENCES u (id)) USING delta")
    t.sql("SHOW TABLES")


def case_declared_with_as_select(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t USING delta TBLPROPERTIES ('delta.constraints.c' = 'id > 5')"
        " AS SELECT 7 AS id"
    )
    t.sql("INSERT INTO t VALUES (3)")
    t.sql(
        "CREATE TABLE u USING delta TBLPROPERTIES ('delta.constraints.c' = 'id > 5')"
        " AS SELECT 3 AS id"
    )
    t.sql("SHOW TABLES")


def case_declared_by_the_builder(t: Recorder) -> None:
    builder = t.tables.DeltaTable.create(t.spark).tableName("t").addColumn("id", "INT")
    t.attempt("create", builder.property("delta.constraints.c", "id > 5").execute)
    t.sql("INSERT INTO t VALUES (3)")
    t.history("t")


def case_declared_and_replaced(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.constraints.c' = 'id > 5')")
    t.sql("REPLACE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.constraints.d' = 'id < 5')")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("INSERT INTO t VALUES (3)")
    t.sql("INSERT INTO t VALUES (7)")
    t.history("t")
