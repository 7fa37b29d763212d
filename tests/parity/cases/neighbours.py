"""Tables of other formats in the same catalog, and Delta as the default format."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_neighbour_parquet_table(t: Recorder) -> None:
    t.sql("CREATE TABLE p (id INT, q STRING) USING parquet PARTITIONED BY (q)")
    t.sql("INSERT INTO p VALUES (1, 'a'), (2, 'b')")
    t.sql("INSERT OVERWRITE p PARTITION (q = 'a') VALUES (3)")
    t.sql("SELECT * FROM p")
    t.sql("SHOW PARTITIONS p")
    t.sql("ALTER TABLE p SET TBLPROPERTIES ('x' = 'y')")
    t.sql("ALTER TABLE p ADD COLUMNS (n INT)")
    t.sql("SELECT * FROM p")
    t.sql("ALTER TABLE p RENAME TO r")
    t.sql("SELECT count(*) AS n FROM r")
    t.sql("DROP TABLE r")
    t.sql("SHOW TABLES")


def case_neighbour_other_formats(t: Recorder) -> None:
    t.sql("CREATE TABLE c (id INT, s STRING) USING csv")
    t.sql("INSERT INTO c VALUES (1, 'x')")
    t.sql("SELECT * FROM c")
    t.sql("CREATE TABLE j USING json AS SELECT 1 AS id")
    t.sql("SELECT * FROM j")
    t.sql(f"CREATE TABLE o USING orc LOCATION '{t.path}' AS SELECT 2 AS id")
    t.sql("SELECT * FROM o JOIN j ON o.id = j.id + 1")
    t.attempt("save", lambda: t.spark.range(2).write.parquet(t.folder("q")))
    t.sql(f"SELECT * FROM parquet.`{t.folder('q')}`")
    t.attempt(
        "bucketed",
        lambda: t.spark.range(4).write.format("parquet").bucketBy(2, "id").saveAsTable("b"),
    )
    t.sql("SELECT count(*) AS n FROM b")


def case_neighbour_create_errors_are_sparks(t: Recorder) -> None:
    t.sql("CREATE TABLE p (id INT) USING parquet")
    t.sql("CREATE TABLE p (id INT) USING parquet")
    t.sql("REPLACE TABLE p (id INT) USING parquet")
    t.sql("CREATE OR REPLACE TABLE q USING parquet AS SELECT 1 AS id")
    t.sql("SELECT * FROM p VERSION AS OF 1")
    t.sql("SHOW TBLPROPERTIES p")
    t.sql("INSERT INTO p VALUES ('x')")
    t.sql("INSERT INTO p VALUES (1, 2)")


def case_neighbour_delta_by_default(t: Recorder) -> None:
    t.conf("spark.sql.sources.default", "delta")
    t.sql("CREATE TABLE t (id INT)")
    t.attempt("saveAsTable", lambda: t.spark.range(2).write.saveAsTable("u"))
    t.attempt("save", lambda: t.spark.range(3).write.save(t.path))
    t.show("load", lambda: t.spark.read.load(t.path))
    t.sql("CREATE TABLE v AS SELECT 1 AS id")
    t.sql("CREATE TABLE w (id INT) USING parquet")
    t.attempt("writeTo", lambda: t.spark.range(1).writeTo("x").create())
    for name in "tuvwx":
        t.show(
            f"format of {name}", lambda n=name: t.spark.sql(f"DESCRIBE DETAIL {n}").select("format")
        )


def case_neighbour_legacy_default_provider(t: Recorder) -> None:
    t.conf("spark.sql.legacy.createHiveTableByDefault", "false")
    t.sql("CREATE TABLE t (id INT)")
    t.show("format", lambda: t.spark.sql("DESCRIBE DETAIL t").select("format"))


def case_neighbour_views_functions_and_schemas(t: Recorder) -> None:
    t.sql("CREATE TEMP FUNCTION parity_twice(x INT) RETURNS INT RETURN x * 2")
    t.sql("CREATE TABLE t USING delta AS SELECT parity_twice(2) AS id")
    t.sql("SELECT parity_twice(id) AS four FROM t")
    t.sql("DROP TEMPORARY FUNCTION parity_twice")
    t.sql("SHOW VIEWS")
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.sql("SHOW VIEWS")
    t.sql("SHOW TABLES")
    t.sql("DESCRIBE v")


def case_neighbour_mixed_join_and_insert(t: Recorder) -> None:
    t.sql("CREATE TABLE d USING delta AS SELECT 1 AS id, 'x' AS s")
    t.sql("CREATE TABLE p USING parquet AS SELECT 1 AS id, 'y' AS s")
    t.sql("SELECT d.s, p.s AS other FROM d JOIN p ON d.id = p.id")
    t.sql("INSERT INTO p SELECT * FROM d")
    t.sql("INSERT INTO d SELECT * FROM p")
    t.sql("SELECT * FROM d")
    t.sql("SELECT * FROM p")
    t.sql("SELECT 1 AS one")
    t.sql("SELECT * FROM range(2)")
