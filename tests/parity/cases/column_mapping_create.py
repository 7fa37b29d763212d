"""Tables that map columns from the start: created, replaced, copied, with names of any kind.

Without a clustered table that loses its mapping: delta-spark cannot load that any more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

NAME = "TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"
ID = "TBLPROPERTIES ('delta.columnMapping.mode' = 'id')"
NESTED = """(i INT, s STRUCT<x: INT, y: ARRAY<STRUCT<z: INT>>>,
    m MAP<STRUCT<k: INT>, STRUCT<v: INT>>, b STRING)"""


def case_mapped_by_name(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t {NESTED} USING delta PARTITIONED BY (b) {NAME}")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql(
        "INSERT INTO t VALUES (1, named_struct('x', 1, 'y', array(named_struct('z', 2))),"
        " map(named_struct('k', 1), named_struct('v', 2)), 'p q'), (2, NULL, NULL, NULL)"
    )
    t.sql("SELECT * FROM t ORDER BY i")
    t.sql("SELECT i, s.y[0].z, s.x FROM t WHERE b = 'p q' AND s.x = 1")
    t.sql("DESCRIBE t")
    t.detail("t")
    t.log("t")
    t.history("t")


def case_mapped_by_id(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t {NESTED} USING delta {ID}")
    t.sql(
        "INSERT INTO t VALUES (1, named_struct('x', 1, 'y', array(named_struct('z', 2))),"
        " map(named_struct('k', 1), named_struct('v', 2)), 'p q'), (2, NULL, NULL, NULL)"
    )
    t.sql("SELECT * FROM t ORDER BY i")
    t.sql("SELECT i, s.y[0].z FROM t WHERE s.x = 1")
    t.log("t")


def case_mapped_with_special_names(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (`a b` INT, `p=q` STRING, `x.y` INT, s STRUCT<`c,d`: INT, `e;f`: STRING>)"
        f" USING delta PARTITIONED BY (`p=q`) {NAME}"
    )
    t.sql("INSERT INTO t VALUES (1, 'u=v w', 3, named_struct('c,d', 4, 'e;f', 'g'))")
    t.sql("INSERT INTO t (`x.y`, `a b`) VALUES (8, 7)")
    t.sql("SELECT * FROM t ORDER BY `a b`")
    t.sql("SELECT s.`c,d` FROM t WHERE `p=q` = 'u=v w' AND `x.y` > 2")
    t.sql("SELECT min(`a b`), max(`x.y`), count(*), count(DISTINCT `p=q`) FROM t")
    t.log("t")


def case_special_names_need_mapping(t: Recorder) -> None:
    t.sql("CREATE TABLE t (`a b` INT) USING delta")
    t.sql("CREATE TABLE t (a INT, `p=q` INT) USING delta PARTITIONED BY (`p=q`)")
    t.sql("CREATE TABLE t USING delta AS SELECT 1 AS `a;b`")
    t.sql(f"CREATE TABLE t (a INT, A INT) USING delta {NAME}")
    t.sql(f"CREATE TABLE t (a INT, b INT) USING delta PARTITIONED BY (c) {NAME}")


def case_mapped_as_select(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t USING delta {NAME} AS SELECT 1 AS `a b`, named_struct('x', 2) AS c")
    t.sql("SELECT * FROM t")
    t.log("t")


def case_max_id_is_not_the_users(t: Recorder) -> None:
    key = "delta.columnMapping.maxColumnId"
    t.sql(f"CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('{key}' = '40')")
    t.sql(
        "CREATE TABLE t (a INT) USING delta TBLPROPERTIES"
        f" ('delta.columnMapping.mode' = 'name', '{key}' = '40')"
    )
    t.sql(f"CREATE TABLE t (a INT) USING delta {NAME}")
    t.sql(f"ALTER TABLE t SET TBLPROPERTIES ('{key}' = '40')")
    t.sql(f"ALTER TABLE t UNSET TBLPROPERTIES ('{key}')")
    t.log("t")


def case_mapped_with_versions(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (a INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name',"
        " 'delta.minReaderVersion' = '2', 'delta.minWriterVersion' = '5')"
    )
    t.log("t")
    t.sql(
        "CREATE TABLE u (a INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name',"
        " 'delta.enableDeletionVectors' = 'true')"
    )
    t.log("u")


def case_mode_as_a_default_of_the_session(t: Recorder) -> None:
    t.conf("spark.databricks.delta.properties.defaults.columnMapping.mode", "name")
    t.sql("CREATE TABLE t (a INT) USING delta")
    t.log("t")
    frame = t.spark.sql("SELECT 1 AS a, 'x' AS `b c`")
    t.attempt("save", lambda: frame.write.format("delta").save(t.path))
    t.log(t.path)


def case_mode_as_an_option_of_the_writer(t: Recorder) -> None:
    frame = t.spark.sql("SELECT 1 AS a, 'x' AS `b c`")
    write = frame.write.format("delta").option("delta.columnMapping.mode", "id")
    t.attempt("save", lambda: write.save(t.path))
    t.log(t.path)
    t.show("load", t.spark.read.format("delta").load(t.path))


def case_mapped_and_clustered(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (i INT, j STRUCT<k: INT>) USING delta CLUSTER BY (j.k) {NAME}")
    t.sql("INSERT INTO t VALUES (1, named_struct('k', 2))")
    t.detail("t")
    t.log("t")
    t.sql("ALTER TABLE t CLUSTER BY (i)")
    t.detail("t")


def case_mapped_with_chosen_statistics(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (a INT, b INT, s STRUCT<`x y`: INT>) USING delta TBLPROPERTIES"
        " ('delta.columnMapping.mode' = 'name', 'delta.dataSkippingStatsColumns' = 'b,s.`x y`')"
    )
    t.sql("INSERT INTO t VALUES (1, 2, named_struct('x y', 3))")
    t.sql("SELECT * FROM t WHERE b = 2 AND s.`x y` = 3")
    t.sql(
        "CREATE TABLE u (a INT) USING delta TBLPROPERTIES"
        " ('delta.columnMapping.mode' = 'name', 'delta.dataSkippingStatsColumns' = 'c')"
    )


def case_replaced_columns_keep_their_ids(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (i INT, s STRUCT<x: INT, y: INT>, n INT, p STRING) USING delta"
        f" PARTITIONED BY (p) {NAME}"
    )
    t.sql("INSERT INTO t VALUES (1, named_struct('x', 1, 'y', 2), 3, 'a')")
    t.sql(
        f"CREATE OR REPLACE TABLE t (I INT, s STRUCT<x: INT, w: INT>, n STRING) USING delta {NAME}"
    )
    t.sql("INSERT INTO t VALUES (2, named_struct('x', 1, 'w', 2), 'n')")
    t.sql(f"REPLACE TABLE t USING delta {NAME} AS SELECT 5 AS i, 'm' AS n, 6 AS o")
    t.sql("SELECT * FROM t")
    t.log("t")


def case_replacing_takes_the_mapping_away(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (i INT, j INT) USING delta {NAME}")
    t.sql("INSERT INTO t VALUES (1, 2)")
    t.sql("CREATE OR REPLACE TABLE t (i INT, k INT) USING delta")
    t.sql("INSERT INTO t VALUES (3, 4)")
    t.sql("SELECT * FROM t")
    t.log("t")


def case_replacing_brings_the_mapping(t: Recorder) -> None:
    t.sql("CREATE TABLE t (i INT, j INT) USING delta")
    t.sql("INSERT INTO t VALUES (1, 2)")
    t.sql(f"CREATE OR REPLACE TABLE t (i INT, `k l` INT) USING delta {ID}")
    t.sql("INSERT INTO t VALUES (3, 4)")
    t.sql("SELECT * FROM t")
    t.log("t")


def case_like_a_mapped_table(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (`a b` INT, p STRING) USING delta PARTITIONED BY (p) {NAME}")
    t.sql("INSERT INTO t VALUES (1, 'x')")
    t.sql("CREATE TABLE u LIKE t")
    t.sql("INSERT INTO u VALUES (2, 'y')")
    t.sql("SELECT * FROM u")
    t.log("u")


def case_created_where_a_mapped_table_is(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (a INT, s STRUCT<x: INT>) USING delta LOCATION '{t.path}' {NAME}")
    t.sql(f"CREATE TABLE u USING delta LOCATION '{t.path}'")
    t.sql(f"CREATE TABLE v (a INT, s STRUCT<x: INT>) USING delta LOCATION '{t.path}'")
    t.sql(f"CREATE TABLE w (a INT, s STRUCT<x: INT>) USING delta LOCATION '{t.path}' {NAME}")
    t.sql(f"CREATE TABLE z (a INT, b INT) USING delta LOCATION '{t.path}'")
    t.sql("CREATE TABLE IF NOT EXISTS t (a INT) USING delta")


def case_builder_makes_a_mapped_table(t: Recorder) -> None:
    builder = (
        t.tables.DeltaTable.create(t.spark)
        .tableName("t")
        .addColumn("a b", "INT", comment="c")
        .addColumn("p", "STRING")
        .partitionedBy("p")
        .property("delta.columnMapping.mode", "name")
    )
    t.attempt("execute", builder.execute)
    t.sql("INSERT INTO t VALUES (1, 'x')")
    t.sql("DESCRIBE t")
    t.sql("SELECT * FROM t")
