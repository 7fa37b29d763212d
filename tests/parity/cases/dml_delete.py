"""DELETE: which rows go, and what the commit says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from tests.parity.changing import (
    MAPPED,
    THREE_AND_TWO,
    change,
    make,
    put,
    versions,
)

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_delete_rows_of_one_file(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    change(t, "DELETE FROM t WHERE id = 2")
    t.log("t", 3)
    t.history("t")


def case_delete_a_whole_file_by_its_rows(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    change(t, "DELETE FROM t WHERE id >= 4")
    t.log("t", 3)


def case_delete_rows_and_a_whole_file(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    change(t, "DELETE FROM t WHERE id > 2")
    t.log("t", 3)


def case_delete_everything(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    change(t, "DELETE FROM t", "DELETE FROM t")
    t.log("t", 3)
    put(t, "(9, 'z')")
    change(t, "DELETE FROM t WHERE true")
    t.log("t", 5)


def case_delete_without_a_match_makes_no_version(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("DELETE FROM t WHERE id = 77")
    t.sql("DELETE FROM t WHERE v = 'bb'")
    t.sql("DELETE FROM t WHERE false")
    t.sql("DELETE FROM t WHERE NULL")
    t.sql("DELETE FROM t WHERE id = NULL")
    versions(t)


def case_delete_from_an_empty_table(t: Recorder) -> None:
    make(t)
    t.sql("DELETE FROM t")
    t.sql("DELETE FROM t WHERE id = 1")
    versions(t)


def case_delete_keeps_rows_whose_condition_is_null(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    change(t, "DELETE FROM t WHERE v <> 'a' AND id < 4")
    change(t, "DELETE FROM t WHERE v NOT IN ('a', NULL)")
    change(t, "DELETE FROM t WHERE NOT (v <=> 'a')")
    t.log("t", 3)


def case_delete_whole_partitions(t: Recorder) -> None:
    rows = "(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', NULL)"
    make(t, rows, "(5, 'e', 'x')", columns="id INT, v STRING, p STRING", by="p")
    change(t, "DELETE FROM t WHERE p = 'x'")
    change(t, "DELETE FROM t WHERE p IS NULL")
    change(t, "DELETE FROM t WHERE p = 'nope'")
    t.log("t", 3)


def case_delete_by_partition_and_data(t: Recorder) -> None:
    rows = "(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', NULL)"
    make(t, rows, columns="id INT, v STRING, p STRING", by="p")
    change(t, "DELETE FROM t WHERE p = 'x' AND id = 1")
    change(t, "DELETE FROM t WHERE p = 'y' OR id = 4")
    t.log("t", 2)


def case_delete_by_partitions_of_types(t: Recorder) -> None:
    make(
        t,
        "(1, DATE'2024-01-01', 1.5), (2, DATE'2024-01-02', 1.5), (3, DATE'2024-02-01', NULL)",
        columns="id INT, d DATE, n DECIMAL(5, 2)",
        by="d, n",
    )
    change(t, "DELETE FROM t WHERE d < '2024-01-02'")
    change(t, "DELETE FROM t WHERE n = 1.50 AND month(d) = 1")
    t.log("t", 2)


def case_delete_where_counts_are_unknown(t: Recorder) -> None:
    t.conf("spark.databricks.delta.stats.collect", "false")
    make(t, *THREE_AND_TWO)
    put(t, "(6, 'f')")
    change(t, "DELETE FROM t WHERE id IN (1, 6)")
    change(t, "DELETE FROM t")
    t.log("t", 4)


def case_delete_with_an_alias(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("DELETE FROM t AS x WHERE x.id = 1")
    t.sql("DELETE FROM t x WHERE x.id = 2")
    t.sql("DELETE FROM t WHERE t.id = 3")
    t.sql("DELETE FROM t AS x WHERE t.id = 4")
    t.sql("DELETE FROM t AS `a b` WHERE `a b`.ID = 5")
    change(t, "DELETE FROM spark_catalog.p_delete_with_an_alias.t WHERE V = 'd'")


def case_delete_from_a_path(t: Recorder) -> None:
    place = f"delta.`{t.path}`"
    make(t, *THREE_AND_TWO, table=place)
    change(t, f"DELETE FROM {place} WHERE id < 3", table=place)
    change(t, f"DELETE FROM {place} AS x WHERE x.id = 4", table=place)
    t.sql(f"DELETE FROM delta.`{t.folder('none')}` WHERE id = 1")
    t.log(t.path, 3)


def case_delete_through_temporary_views(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("CREATE TEMPORARY VIEW plain AS SELECT * FROM t")
    t.sql("DELETE FROM plain WHERE id = 1")
    t.sql("CREATE TEMPORARY VIEW named AS SELECT v AS name, id AS key FROM t")
    t.sql("DELETE FROM named WHERE key = 2")
    t.sql("CREATE TEMPORARY VIEW few AS SELECT id FROM t")
    t.sql("DELETE FROM few WHERE id = 3")
    t.sql("CREATE TEMPORARY VIEW picked AS SELECT * FROM t WHERE id > 4")
    t.sql("DELETE FROM picked WHERE id = 5")
    t.sql("CREATE TEMPORARY VIEW made AS SELECT id + 1 AS id, v FROM t")
    change(t, "DELETE FROM made WHERE id = 5")


def case_delete_from_what_is_no_delta_table(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("CREATE VIEW w AS SELECT * FROM t")
    t.sql("DELETE FROM w WHERE id = 1")
    t.sql("DELETE FROM nope WHERE id = 1")
    t.sql("CREATE TABLE p (id INT) USING parquet")
    t.sql("DELETE FROM p WHERE id = 1")
    t.sql("DELETE FROM t VERSION AS OF 1 WHERE id = 1")
    t.sql("DELETE FROM (SELECT * FROM t) WHERE id = 1")
    t.sql("SELECT * FROM t")


def case_delete_by_wrong_conditions(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("DELETE FROM t WHERE nope = 1")
    t.sql("DELETE FROM t WHERE id.x = 1")
    t.sql("DELETE FROM t WHERE id")
    t.sql("DELETE FROM t WHERE 'x'")
    t.sql("DELETE FROM t WHERE id = 'x'")
    t.sql("DELETE FROM t WHERE rand() < 2")
    t.sql("DELETE FROM t WHERE max(id) > 2")
    t.sql("DELETE FROM t WHERE row_number() OVER (ORDER BY id) = 1")
    t.sql("DELETE FROM t WHERE explode(array(id)) = 1")
    t.sql("DELETE FROM t WHERE nope(id)")
    t.sql("DELETE FROM t WHERE")
    versions(t)


def case_delete_fails_in_a_row(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("DELETE FROM t WHERE 1 / (id - 2) > 0")
    t.sql("DELETE FROM t WHERE CAST(v AS INT) = 1")
    t.sql("SELECT * FROM t")
    versions(t)


def case_delete_by_subqueries(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    make(t, "(1), (4)", columns="k INT", table="u")
    t.sql("DELETE FROM t WHERE id IN (SELECT k FROM u)")
    t.sql("DELETE FROM t WHERE id = (SELECT max(id) FROM t)")
    t.sql("DELETE FROM t WHERE EXISTS (SELECT * FROM u WHERE k + 1 = id)")
    change(t, "DELETE FROM t WHERE id NOT IN (SELECT k FROM u)")


def case_delete_by_nested_values(t: Recorder) -> None:
    make(
        t,
        "(1, named_struct('a', 1, 'b', 'x'), array(1, 2), map('k', 1)),"
        " (2, named_struct('a', 2, 'b', 'y'), array(), map()), (3, NULL, NULL, NULL),"
        " (4, named_struct('a', 4, 'b', NULL), array(4), map('k', 4))",
        columns="id INT, s STRUCT<a: INT, b: STRING>, l ARRAY<INT>, m MAP<STRING, INT>",
    )
    change(t, "DELETE FROM t WHERE s.a = 1")
    change(t, "DELETE FROM t WHERE m['k'] = 4 OR array_contains(l, 9)")
    change(t, "DELETE FROM t WHERE s IS NULL")
    t.log("t", 2)


def case_delete_by_values_of_types(t: Recorder) -> None:
    make(
        t,
        "(1, double('NaN'), TIMESTAMP'2024-01-01 10:00:00.123456', 1.10, true, X'01'),"
        " (2, -0.0D, TIMESTAMP'2024-01-02 10:00:00', 2.20, false, X'02'),"
        " (3, NULL, NULL, NULL, NULL, NULL)",
        columns="id INT, f DOUBLE, ts TIMESTAMP, n DECIMAL(10, 2), b BOOLEAN, x BINARY",
    )
    t.sql("DELETE FROM t WHERE f = 7 OR ts > '2024-02-01' OR n = 3 OR x = X'05'")
    change(t, "DELETE FROM t WHERE f = 0")
    change(t, "DELETE FROM t WHERE f > 1e300 AND b AND n >= 1.1")
    change(t, "DELETE FROM t WHERE ts IS NULL")


def case_delete_by_a_column_that_older_files_lack(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("ALTER TABLE t ADD COLUMN n INT")
    put(t, "(6, 'f', 6), (7, 'g', NULL)")
    change(t, "DELETE FROM t WHERE n IS NULL AND id > 2")
    t.log("t", 5)
    change(t, "DELETE FROM t WHERE n = 6")


def case_delete_with_column_mapping(t: Recorder) -> None:
    make(
        t,
        "(1, 'a', 'x'), (2, 'b', 'x')",
        "(3, 'c', 'y')",
        columns="id INT, `a b` STRING, p STRING",
        by="p",
        properties=MAPPED,
    )
    t.sql("ALTER TABLE t RENAME COLUMN id TO key")
    change(t, "DELETE FROM t WHERE key = 1 AND `a b` = 'a'")
    change(t, "DELETE FROM t WHERE p = 'y'")
    t.history("t")


def case_delete_from_an_append_only_table(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={"delta.appendOnly": "true"})
    t.sql("DELETE FROM t WHERE id = 1")
    t.sql("DELETE FROM t WHERE id = 99")
    t.sql("DELETE FROM t")
    versions(t)


def case_delete_by_the_api(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    table = t.tables.DeltaTable.forName(t.spark, "t")
    t.attempt("text", lambda: table.delete("id = 1"))
    t.attempt("column", lambda: table.delete(f.col("id") == 2))
    t.attempt("alias", lambda: table.alias("x").delete("x.id = 3"))
    t.attempt("by name", lambda: table.delete(condition="id = 4"))
    t.sql("SELECT * FROM t")
    t.attempt("unknown column", lambda: table.delete("nope = 4"))
    t.attempt("unparsable", lambda: table.delete("= 4"))
    t.attempt("a number", lambda: table.delete(4))
    t.attempt("no condition", table.delete)
    t.sql("SELECT * FROM t")
    t.log("t", 3)


def case_delete_with_settings_of_the_session(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.conf("spark.databricks.delta.commitInfo.userMetadata", "why")
    t.sql("DELETE FROM t WHERE id = 1")
    t.conf("spark.databricks.delta.write.txnAppId", "app")
    t.sql("DELETE FROM t WHERE id = 2")
    t.conf("spark.databricks.delta.write.txnVersion", "1")
    t.sql("DELETE FROM t WHERE id = 3")
    change(t, "DELETE FROM t WHERE id = 4")
    t.log("t", 3)


def case_delete_is_seen_by_older_frames_and_caches(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    before = t.spark.table("t")
    t.sql("CACHE TABLE t")
    t.sql("DELETE FROM t WHERE id = 1")
    t.sql("SELECT count(*) AS n FROM t")
    t.show("an older frame", lambda: before.select("id"))
    t.sql("SELECT id FROM t VERSION AS OF 2")


def case_delete_by_padded_texts(t: Recorder) -> None:
    make(t, "(1, 'a', 'a'), (2, 'bc', 'bc')", columns="id INT, c CHAR(4), w VARCHAR(4)")
    change(t, "DELETE FROM t WHERE c = 'a'")
    change(t, "DELETE FROM t WHERE w = 'bc  '")
    change(t, "DELETE FROM t WHERE w LIKE 'b%'")


def case_delete_by_hidden_columns(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("DELETE FROM t WHERE _metadata.file_size < 0")
    t.sql("DELETE FROM t WHERE input_file_name() = 'nope'")
    t.sql("DELETE FROM t WHERE current_date() < DATE'2000-01-01'")
    versions(t)
