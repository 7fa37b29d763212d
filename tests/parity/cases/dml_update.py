"""UPDATE: which rows change, to what, and what the commit says."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

NESTED = "id INT, s STRUCT<a: INT, b: STRUCT<c: INT, d: STRING>>"
NESTED_ROWS = (
    "(1, named_struct('a', 1, 'b', named_struct('c', 1, 'd', 'x'))),"
    " (2, named_struct('a', 2, 'b', NULL)), (3, NULL)"
)


def case_update_rows_of_one_file(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    change(t, "UPDATE t SET v = 'new' WHERE id = 2")
    t.log("t", 3)
    t.history("t")


def case_update_every_row(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    change(t, "UPDATE t SET id = id + 10")
    t.log("t", 3)
    change(t, "UPDATE t SET v = upper(v) WHERE true")
    t.log("t", 4)


def case_update_without_a_match_makes_no_version(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("UPDATE t SET v = 'x' WHERE id = 77")
    t.sql("UPDATE t SET v = 'x' WHERE v = 'bb'")
    t.sql("UPDATE t SET v = 'x' WHERE false")
    t.sql("UPDATE t SET v = 'x' WHERE NULL")
    make(t, table="u")
    t.sql("UPDATE u SET v = 'x'")
    versions(t)
    versions(t, "u")


def case_update_to_the_same_value_is_a_change(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    change(t, "UPDATE t SET v = v WHERE id < 3")
    t.log("t", 3)


def case_update_keeps_rows_whose_condition_is_null(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    change(t, "UPDATE t SET id = -id WHERE v <> 'a' AND id < 4")
    change(t, "UPDATE t SET v = 'was null' WHERE NOT (v = 'a') OR v IS NULL")


def case_update_reads_the_old_row(t: Recorder) -> None:
    make(t, "(1, 10), (2, 20)", columns="a INT, b INT")
    change(t, "UPDATE t SET a = b, b = a")
    change(t, "UPDATE t SET b = a + b, a = b WHERE a + b = 11")


def case_update_by_partition(t: Recorder) -> None:
    rows = "(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', NULL)"
    make(t, rows, columns="id INT, v STRING, p STRING", by="p")
    change(t, "UPDATE t SET v = 'new' WHERE p = 'x'")
    change(t, "UPDATE t SET v = 'none' WHERE p IS NULL")
    change(t, "UPDATE t SET v = 'both' WHERE p = 'x' AND id = 2")
    t.log("t", 2)


def case_update_moves_rows_to_another_partition(t: Recorder) -> None:
    rows = "(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', NULL)"
    make(t, rows, columns="id INT, v STRING, p STRING", by="p")
    change(t, "UPDATE t SET p = 'z' WHERE id = 1")
    change(t, "UPDATE t SET p = NULL WHERE p = 'y'")
    change(t, "UPDATE t SET p = concat(p, v) WHERE id = 2")
    t.log("t", 2)


def case_update_with_names_and_aliases(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("UPDATE t AS x SET x.v = 'one' WHERE x.id = 1")
    t.sql("UPDATE t SET t.v = 'two' WHERE t.id = 2")
    t.sql("UPDATE t x SET V = 'three' WHERE X.ID = 3")
    t.sql("UPDATE t AS x SET t.v = 'four' WHERE id = 4")
    t.sql("UPDATE t AS x SET v = t.v WHERE id = 4")
    change(t, "UPDATE spark_catalog.p_update_with_names_and_aliases.t SET v = 'e' WHERE id = 5")


def case_update_at_a_path(t: Recorder) -> None:
    place = f"delta.`{t.path}`"
    make(t, *THREE_AND_TWO, table=place)
    change(t, f"UPDATE {place} SET v = 'p' WHERE id < 3", table=place)
    t.sql(f"UPDATE delta.`{t.folder('none')}` SET v = 'p'")
    t.log(t.path, 3)


def case_update_through_temporary_views(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("CREATE TEMPORARY VIEW plain AS SELECT * FROM t")
    t.sql("UPDATE plain SET v = 'one' WHERE id = 1")
    t.sql("CREATE TEMPORARY VIEW named AS SELECT v AS name, id AS key FROM t")
    t.sql("UPDATE named SET name = 'two' WHERE key = 2")
    t.sql("CREATE TEMPORARY VIEW picked AS SELECT * FROM t WHERE id > 4")
    t.sql("UPDATE picked SET v = 'five' WHERE id = 5")
    t.sql("CREATE VIEW w AS SELECT * FROM t")
    change(t, "UPDATE w SET v = 'x' WHERE id = 1")


def case_update_what_is_no_delta_table(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("UPDATE nope SET v = 1")
    t.sql("CREATE TABLE p (id INT) USING parquet")
    t.sql("UPDATE p SET id = 1")
    t.sql("UPDATE t VERSION AS OF 1 SET v = 'x'")


def case_update_with_wrong_assignments(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("UPDATE t SET nope = 1")
    t.sql("UPDATE t SET v = nope")
    t.sql("UPDATE t SET v.x = 1")
    t.sql("UPDATE t SET v = 'x', v = 'y'")
    t.sql("UPDATE t SET v = 'x', V = 'y'")
    t.sql("UPDATE t SET v = max(v)")
    t.sql("UPDATE t SET v = row_number() OVER (ORDER BY id)")
    t.sql("UPDATE t SET v = explode(array('x'))")
    t.sql("UPDATE t SET v = array(1)")
    t.sql("UPDATE t SET id = 'x'")
    t.sql("UPDATE t SET id = DATE'2024-01-01'")
    t.sql("UPDATE t SET")
    versions(t)


def case_update_by_wrong_conditions(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("UPDATE t SET v = 'x' WHERE nope = 1")
    t.sql("UPDATE t SET v = 'x' WHERE id")
    t.sql("UPDATE t SET v = 'x' WHERE rand() < 2")
    t.sql("UPDATE t SET v = 'x' WHERE max(id) > 2")
    t.sql("UPDATE t SET v = 'x' WHERE row_number() OVER (ORDER BY id) = 1")
    t.sql("UPDATE t SET v = 'x' WHERE explode(array(id)) = 1")
    t.sql("UPDATE t SET v = 'x' WHERE 1 / (id - 2) > 0")
    versions(t)


def case_update_with_functions_that_vary(t: Recorder) -> None:
    make(t, "(1, 1D), (2, 2D)", columns="id INT, v DOUBLE")
    t.sql("UPDATE t SET v = rand() WHERE id = 1")
    t.sql("SELECT v BETWEEN 0 AND 1 AS b FROM t")
    t.sql("UPDATE t SET v = year(current_date()) WHERE id = 1")
    t.sql("SELECT v > 2000 AS b FROM t")


def case_update_with_subqueries(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    make(t, "(1, 'one'), (4, 'four')", columns="k INT, w STRING", table="u")
    t.sql("UPDATE t SET v = 'in' WHERE id IN (SELECT k FROM u)")
    t.sql("UPDATE t SET v = 'max' WHERE id = (SELECT max(id) FROM t)")
    t.sql("UPDATE t SET v = 'exists' WHERE EXISTS (SELECT * FROM u WHERE k + 1 = id)")
    t.sql("UPDATE t SET v = (SELECT max(w) FROM u) WHERE id = 3")
    change(t, "UPDATE t SET v = (SELECT w FROM u WHERE k = id) WHERE id = 4")


def case_update_fields_of_structs(t: Recorder) -> None:
    make(t, NESTED_ROWS, columns=NESTED)
    change(t, "UPDATE t SET s.a = 10 WHERE id = 1")
    change(t, "UPDATE t SET s.b.d = 'deep', s.a = s.a + 1")
    change(t, "UPDATE t SET t.s.b.c = id")


def case_update_whole_structs(t: Recorder) -> None:
    make(t, NESTED_ROWS, columns=NESTED)
    inner = "named_struct('d', 'n', 'c', 9)"
    change(t, f"UPDATE t SET s = named_struct('b', {inner}, 'a', 9) WHERE id = 1")
    change(t, f"UPDATE t SET s.b = {inner} WHERE id > 1")
    change(t, "UPDATE t SET s = NULL WHERE id = 1")
    t.sql("UPDATE t SET s = named_struct('a', 1)")
    t.sql("UPDATE t SET s = named_struct('a', 1, 'b', NULL, 'more', 2)")
    t.sql("UPDATE t SET s = 1")


def case_update_fields_that_conflict(t: Recorder) -> None:
    make(t, NESTED_ROWS, columns=NESTED)
    t.sql("UPDATE t SET s.a = 1, s.A = 2")
    t.sql("UPDATE t SET s.b.c = 1, s.b = NULL")
    t.sql("UPDATE t SET s = NULL, s.a = 2")
    t.sql("UPDATE t SET s.nope = 1")
    t.sql("UPDATE t SET s.a.x = 1")
    versions(t)


def case_update_below_arrays_and_maps(t: Recorder) -> None:
    make(
        t,
        "(1, array(named_struct('a', 1)), map('k', 1))",
        columns="id INT, l ARRAY<STRUCT<a: INT>>, m MAP<STRING, INT>",
    )
    t.sql("UPDATE t SET l.a = 2")
    t.sql("UPDATE t SET l[0].a = 2")
    t.sql("UPDATE t SET m.k = 2")
    t.sql("UPDATE t SET m['k'] = 2")
    change(t, "UPDATE t SET l = array(named_struct('a', '7'), NULL), m = map('n', 5L)")
    change(t, "UPDATE t SET l = array(), m = NULL")


def case_update_casts_as_the_column_is(t: Recorder) -> None:
    make(
        t,
        "(1, 1, 1.5, 'x', DATE'2024-01-01')",
        columns="id INT, b TINYINT, n DECIMAL(5, 2), v STRING, d DATE",
    )
    change(t, "UPDATE t SET b = 5L, n = 2, v = 7, d = TIMESTAMP'2024-05-06 07:08:09'")
    t.sql("UPDATE t SET b = 300")
    t.sql("UPDATE t SET n = 12345.6")
    t.sql("UPDATE t SET b = '5'")
    t.sql("UPDATE t SET b = true")
    change(t, "UPDATE t SET n = 1.239, b = NULL")


def case_update_casts_by_policy(t: Recorder) -> None:
    make(t, "(1, 1, 'x')", columns="id INT, b TINYINT, v STRING")
    t.conf("spark.sql.storeAssignmentPolicy", "LEGACY")
    change(t, "UPDATE t SET b = 300, id = '12'")
    change(t, "UPDATE t SET id = 'no number'")
    t.conf("spark.sql.storeAssignmentPolicy", "STRICT")
    t.sql("UPDATE t SET b = 3L")
    change(t, "UPDATE t SET b = 3Y, id = 4S")
    t.conf("spark.databricks.delta.updateAndMergeCastingFollowsAnsiEnabledFlag", "true")
    change(t, "UPDATE t SET b = 3L")


def case_update_to_defaults(t: Recorder) -> None:
    make(
        t,
        "(1, 'a', 5), (2, 'b', 6)",
        columns="id INT, v STRING DEFAULT 'dflt', n INT",
        properties={"delta.feature.allowColumnDefaults": "supported"},
    )
    change(t, "UPDATE t SET v = DEFAULT, n = DEFAULT WHERE id = 1")
    t.sql("UPDATE t SET v = concat(DEFAULT, 'x')")
    t.sql("UPDATE t SET v = 'x' WHERE v = DEFAULT")


def case_update_obeys_constraints(t: Recorder) -> None:
    make(t, "(1, 'a', 5), (2, 'b', 6)", columns="id INT NOT NULL, v STRING, n INT")
    t.sql("ALTER TABLE t ADD CONSTRAINT small CHECK (n < 10)")
    t.sql("UPDATE t SET n = 11 WHERE id = 1")
    t.sql("UPDATE t SET id = NULL WHERE id = 1")
    t.sql("UPDATE t SET n = NULL WHERE id = 1")
    change(t, "UPDATE t SET n = n + 3")
    versions(t)


def case_update_obeys_lengths(t: Recorder) -> None:
    make(t, "(1, 'a', 'a'), (2, 'bc', 'bc')", columns="id INT, c CHAR(3), w VARCHAR(3)")
    change(t, "UPDATE t SET c = 'x', w = 'yyy' WHERE c = 'a'")
    t.sql("UPDATE t SET c = 'four'")
    t.sql("UPDATE t SET w = 'four'")
    change(t, "UPDATE t SET w = 'y    ' WHERE id = 2")


def case_update_with_column_mapping(t: Recorder) -> None:
    columns = "id INT, `a b` STRING, p STRING"
    make(t, "(1, 'a', 'x'), (2, 'b', 'x')", columns=columns, by="p", properties=MAPPED)
    t.sql("ALTER TABLE t RENAME COLUMN id TO key")
    change(t, "UPDATE t SET `a b` = 'new', p = 'y' WHERE key = 1")
    change(t, "UPDATE t SET key = 5 WHERE `a b` = 'b'")
    t.history("t")


def case_update_a_column_that_older_files_lack(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("ALTER TABLE t ADD COLUMN n INT")
    put(t, "(6, 'f', 6)")
    change(t, "UPDATE t SET n = id WHERE n IS NULL AND id > 2")


def case_update_an_append_only_table(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={"delta.appendOnly": "true"})
    t.sql("UPDATE t SET v = 'x' WHERE id = 1")
    t.sql("UPDATE t SET v = 'x' WHERE id = 99")
    versions(t)


def case_update_with_settings_of_the_session(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.conf("spark.databricks.delta.commitInfo.userMetadata", "why")
    t.sql("UPDATE t SET v = 'x' WHERE id = 1")
    t.conf("spark.databricks.delta.write.txnAppId", "app")
    t.conf("spark.databricks.delta.write.txnVersion", "1")
    t.sql("UPDATE t SET v = 'y' WHERE id = 1")
    change(t, "UPDATE t SET v = 'z' WHERE id = 1")
    t.log("t", 3)
