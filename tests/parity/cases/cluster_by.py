"""CLUSTER BY: declared, shown, kept and changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_cluster_declared(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, name STRING, s STRUCT<a: INT>) USING delta CLUSTER BY (id, name)"
    )
    t.log("t")
    t.history("t")
    t.detail("t")
    t.sql("DESCRIBE t")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("INSERT INTO t VALUES (1, 'a', NULL), (2, 'b', NULL)")
    t.log("t", 1)
    t.sql("SELECT * FROM t")


def case_cluster_extended(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT COMMENT 'k', s STRUCT<a: INT, b: STRING>) USING delta"
        " CLUSTER BY (s.b, id)"
    )
    t.log("t")
    t.sql("DESCRIBE t")
    t.detail("t")
    t.history("t")


def case_cluster_by_names_in_other_case(t: Recorder) -> None:
    t.sql("CREATE TABLE t (Id INT, `a b` INT, `x.y` INT) USING delta CLUSTER BY (ID)")
    t.sql("CREATE TABLE u (Id INT, `x.y` INT) USING delta CLUSTER BY (ID, `x.y`)")
    t.log("u")
    t.detail("u")
    t.sql("DESCRIBE u")


def case_cluster_refused(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta CLUSTER BY (nope)")
    t.sql("CREATE TABLE t (id INT, p INT) USING delta PARTITIONED BY (p) CLUSTER BY (id)")
    t.sql(
        "CREATE TABLE t (a INT, b INT, c INT, d INT, e INT) USING delta CLUSTER BY (a, b, c, d, e)"
    )
    t.sql("CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (a, a)")
    t.sql("CREATE TABLE t (a INT, s STRUCT<x: INT>) USING delta CLUSTER BY (s)")
    t.sql("CREATE TABLE t (a INT, s STRUCT<x: INT>) USING delta CLUSTER BY (s.nope)")
    t.sql("CREATE TABLE t (a BOOLEAN) USING delta CLUSTER BY (a)")
    t.sql("CREATE TABLE t (a BINARY) USING delta CLUSTER BY (a)")
    t.sql("CREATE TABLE t (a ARRAY<INT>) USING delta CLUSTER BY (a)")
    t.sql("CREATE TABLE t (a MAP<INT, INT>) USING delta CLUSTER BY (a)")
    t.sql(
        "CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (b)"
        " TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '1')"
    )
    t.sql(
        "CREATE TABLE t (a INT, b INT) USING delta CLUSTER BY (b)"
        " TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'a')"
    )
    t.sql(
        "CREATE TABLE t (a INT) USING delta"
        " TBLPROPERTIES ('delta.feature.clustering' = 'supported')"
    )
    t.sql("CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('clusteringColumns' = '[[\"a\"]]')")
    t.sql("SHOW TABLES")


def case_cluster_types(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (a DATE, b TIMESTAMP, c DECIMAL(10, 2), d DOUBLE) USING delta"
        " CLUSTER BY (a, b, c, d)"
    )
    t.detail("t")
    t.sql(
        "CREATE TABLE u (a TINYINT, b BIGINT, c FLOAT, d VARCHAR(3)) USING delta"
        " CLUSTER BY (a, b, c, d)"
    )
    t.detail("u")


def case_cluster_as_select(t: Recorder) -> None:
    t.sql("CREATE TABLE t USING delta CLUSTER BY (id) AS SELECT id, id % 3 AS m FROM range(5)")
    t.log("t")
    t.history("t")
    t.sql("SELECT * FROM t")
    t.sql("CREATE TABLE u USING delta CLUSTER BY (nope) AS SELECT 1 AS id")
    t.sql("CREATE TABLE u USING delta CLUSTER BY (id) AS SELECT true AS id")
    t.sql("CREATE TABLE u USING delta CLUSTER BY (id) AS SELECT id FROM range(2) WHERE false")
    t.detail("u")


def case_cluster_replace(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, n INT) USING delta CLUSTER BY (id)")
    t.sql("CREATE OR REPLACE TABLE t (id INT, n INT) USING delta CLUSTER BY (n)")
    t.log("t", 1)
    t.sql("REPLACE TABLE t (id INT, n INT) USING delta")
    t.log("t", 2)
    t.detail("t")
    t.sql("DESCRIBE t")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("CREATE OR REPLACE TABLE t USING delta CLUSTER BY (id) AS SELECT 1 AS id, 2 AS n")
    t.log("t", 3)
    t.sql("CREATE OR REPLACE TABLE t USING delta AS SELECT 1 AS id, 2 AS n")
    t.log("t", 4)
    t.history("t")


def case_cluster_replace_by_partitioning(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, n INT) USING delta CLUSTER BY (id)")
    t.sql("INSERT INTO t VALUES (1, 1)")
    t.sql("REPLACE TABLE t (id INT, n INT) USING delta PARTITIONED BY (n)")
    t.log("t", 2)
    t.detail("t")
    t.sql("CREATE TABLE u (id INT, n INT) USING delta PARTITIONED BY (n)")
    t.sql("REPLACE TABLE u (id INT, n INT) USING delta CLUSTER BY (n)")
    t.log("u", 1)
    t.detail("u")


def case_cluster_alter(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, n INT, s STRUCT<a: INT>) USING delta")
    t.sql("INSERT INTO t VALUES (1, 1, NULL)")
    t.sql("ALTER TABLE t CLUSTER BY (id)")
    t.log("t", 2)
    t.sql("CREATE TABLE u (id INT, n INT, s STRUCT<a: INT>) USING delta CLUSTER BY (id)")
    t.sql("ALTER TABLE u CLUSTER BY (n, s.a)")
    t.log("u", 1)
    t.detail("u")
    t.sql("ALTER TABLE u CLUSTER BY (n, s.a)")
    t.sql("ALTER TABLE u CLUSTER BY NONE")
    t.log("u", 2)
    t.detail("u")
    t.sql("DESCRIBE u")
    t.sql("SHOW TBLPROPERTIES u")
    t.sql("ALTER TABLE u CLUSTER BY NONE")
    t.sql("ALTER TABLE u CLUSTER BY (id)")
    t.history("u")


def case_cluster_alter_refused(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (a INT, b INT, c INT, d INT, e INT, f BOOLEAN) USING delta CLUSTER BY (a)"
    )
    t.sql("ALTER TABLE t CLUSTER BY (nope)")
    t.sql("ALTER TABLE t CLUSTER BY (a, a)")
    t.sql("ALTER TABLE t CLUSTER BY (a, b, c, d, e)")
    t.sql("ALTER TABLE t CLUSTER BY (f)")
    t.sql("ALTER TABLE t CLUSTER BY ()")
    t.sql("ALTER TABLE t CLUSTER BY a")
    t.sql("CREATE TABLE p (a INT, b INT) USING delta PARTITIONED BY (b)")
    t.sql("ALTER TABLE p CLUSTER BY (a)")
    t.sql("ALTER TABLE p CLUSTER BY NONE")
    t.sql("CREATE TABLE n (a INT) USING delta")
    t.sql("ALTER TABLE n CLUSTER BY NONE")
    t.history("n")
    t.sql("CREATE TABLE q (a INT) USING parquet")
    t.sql("ALTER TABLE q CLUSTER BY (a)")
    t.sql("ALTER TABLE nope CLUSTER BY (a)")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'b')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('clusteringColumns' = 'b')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.feature.clustering' = 'supported')")
    t.history("t")


def case_cluster_a_path(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT, n INT) USING delta CLUSTER BY (id)")
    t.sql(f"ALTER TABLE delta.`{t.path}` CLUSTER BY (n)")
    t.log(t.path)
    t.detail(f"delta.`{t.path}`")
    t.sql(f"ALTER TABLE delta.`{t.folder('nope')}` CLUSTER BY (n)")


def case_cluster_location(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT, n INT) USING delta CLUSTER BY (id) LOCATION '{t.path}'")
    t.sql(f"CREATE TABLE u USING delta LOCATION '{t.path}'")
    t.sql(f"CREATE TABLE v (id INT, n INT) USING delta CLUSTER BY (id) LOCATION '{t.path}'")
    t.sql(f"CREATE TABLE w (id INT, n INT) USING delta CLUSTER BY (n) LOCATION '{t.path}'")
    t.sql(f"CREATE TABLE x (id INT, n INT) USING delta LOCATION '{t.path}'")
    t.history("t")
    t.sql("SHOW TABLES")


def case_cluster_builder(t: Recorder) -> None:
    api = t.tables.DeltaTable

    def build(label: str, builder: Any, *columns: Any) -> None:
        t.attempt(
            label,
            lambda: (
                builder.addColumn("id", "INT").addColumn("n", "INT").clusterBy(*columns).execute()
            ),
        )

    build("create", api.create(t.spark).tableName("t"), "id")
    t.log("t")
    build("replace", api.replace(t.spark).tableName("t"), ["n", "id"])
    t.log("t", 1)
    build("create or replace", api.createOrReplace(t.spark).tableName("u"), "id")
    build("if not exists", api.createIfNotExists(t.spark).tableName("u"), "n")
    t.detail("u")
    t.history("t")
    build("both", api.create(t.spark).tableName("w").partitionedBy("n"), "id")
    build("unknown", api.create(t.spark).tableName("w"), "nope")
    build("number", api.create(t.spark).tableName("w"), 1)
    build("none", api.create(t.spark).tableName("x"))
    t.detail("x")


def case_cluster_frames(t: Recorder) -> None:
    frame = t.spark.sql("SELECT 1 AS id, 'a' AS name")
    t.attempt("saveAsTable", lambda: frame.write.format("delta").clusterBy("id").saveAsTable("t"))
    t.log("t")
    t.attempt(
        "writeTo create", lambda: frame.writeTo("u").using("delta").clusterBy("name").create()
    )
    t.log("u")
    t.attempt(
        "writeTo createOrReplace",
        lambda: frame.writeTo("u").using("delta").clusterBy("id", "name").createOrReplace(),
    )
    t.log("u", 1)
    t.attempt("writeTo replace", lambda: frame.writeTo("u").using("delta").replace())
    t.log("u", 2)
    t.attempt(
        "both",
        lambda: frame.write.format("delta").partitionBy("id").clusterBy("name").saveAsTable("w"),
    )
    t.attempt("save", lambda: frame.write.format("delta").clusterBy("id").save(t.path))
    t.history("u")


def case_cluster_frame_modes(t: Recorder) -> None:
    frame = t.spark.sql("SELECT 1 AS id, 'a' AS name")

    def save(label: str, mode: str, *columns: str) -> None:
        writer = frame.write.format("delta").mode(mode)
        clustered = writer.clusterBy(*columns) if columns else writer
        t.attempt(label, lambda: clustered.saveAsTable("t"))

    save("overwrite nothing", "overwrite", "id")
    save("append", "append")
    save("append same", "append", "id")
    save("append other", "append", "name")
    save("overwrite", "overwrite")
    t.detail("t")
    save("overwrite same", "overwrite", "id")
    save("overwrite other", "overwrite", "name")
    t.detail("t")
    t.history("t")
    t.log("t", 3)


def case_cluster_writes_keep_it(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, n INT) USING delta CLUSTER BY (id)")
    t.sql("INSERT INTO t VALUES (1, 2)")
    t.sql("INSERT OVERWRITE t VALUES (3, 4)")
    t.sql("TRUNCATE TABLE t")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('x' = 'y')")
    t.sql("COMMENT ON TABLE t IS 'clustered'")
    t.log("t", 1)
    t.detail("t")
    t.sql("CREATE TABLE u LIKE t")
    t.log("u")
