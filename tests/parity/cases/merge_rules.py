"""MERGE: what is refused, and the rules of columns that it obeys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import MAPPED, THREE_AND_TWO, change, make, merge, source, versions
from tests.parity.generating import query, refused, summed
from tests.parity.numbering import numbered_table
from tests.parity.saving import refusal

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

USING = "MERGE INTO t USING s ON t.id = s.id"
DEFAULTS = {"delta.feature.allowColumnDefaults": "supported"}


def _both(t: Recorder, rows: str = "(2, 'two'), (9, 'nine')") -> None:
    make(t, *THREE_AND_TWO)
    source(t, rows)


def case_merge_refuses_several_matches(t: Recorder) -> None:
    _both(t, "(2, 'two'), (2, 'deux'), (9, 'nine')")
    merge(t, "MATCHED THEN UPDATE SET *")
    merge(t, "MATCHED AND s.v = 'two' THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")
    merge(t, "MATCHED AND s.v = 'two' THEN DELETE")
    merge(t, "MATCHED AND s.v = 'two' THEN UPDATE SET *", "MATCHED THEN DELETE")
    versions(t)


def case_merge_allows_several_matches(t: Recorder) -> None:
    _both(t, "(2, 'two'), (2, 'deux'), (9, 'nine')")
    merge(t, "NOT MATCHED THEN INSERT *")
    merge(t, "NOT MATCHED BY SOURCE AND t.id = 1 THEN DELETE")
    merge(t, "MATCHED THEN DELETE", "NOT MATCHED BY SOURCE AND t.id = 5 THEN UPDATE SET v = 'e'")
    t.log("t", 3)


def case_merge_several_matches_and_inserts(t: Recorder) -> None:
    _both(t, "(2, 'two'), (2, 'deux'), (9, 'nine'), (9, 'neuf')")
    merge(t, "MATCHED THEN DELETE", "NOT MATCHED THEN INSERT *")
    t.log("t", 3)


def case_merge_without_clauses_or_with_wrong_order(t: Recorder) -> None:
    _both(t)
    t.sql(USING)
    t.sql(f"{USING} WHEN MATCHED THEN DELETE WHEN MATCHED THEN UPDATE SET *")
    t.sql(f"{USING} WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED AND s.id = 1 THEN INSERT *")
    t.sql(f"""{USING} WHEN NOT MATCHED BY SOURCE THEN DELETE
        WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN DELETE""")
    t.sql(f"{USING} WHEN MATCHED THEN INSERT *")
    t.sql(f"{USING} WHEN NOT MATCHED THEN DELETE")
    t.sql(f"{USING} WHEN NOT MATCHED BY SOURCE THEN UPDATE SET *")
    versions(t)


def case_merge_with_unknown_names(t: Recorder) -> None:
    _both(t)
    t.sql("MERGE INTO t USING s ON t.nope = s.id WHEN MATCHED THEN DELETE")
    t.sql("MERGE INTO t USING nope ON t.id = nope.id WHEN MATCHED THEN DELETE")
    t.sql("MERGE INTO nope USING s ON nope.id = s.id WHEN MATCHED THEN DELETE")
    t.sql(f"{USING} WHEN MATCHED AND s.nope = 1 THEN DELETE")
    t.sql(f"{USING} WHEN MATCHED THEN UPDATE SET nope = 1")
    t.sql(f"{USING} WHEN MATCHED THEN UPDATE SET v = s.nope")
    t.sql(f"{USING} WHEN NOT MATCHED THEN INSERT (id, nope) VALUES (1, 2)")
    t.sql(f"{USING} WHEN NOT MATCHED THEN INSERT (id) VALUES (s.nope)")
    versions(t)


def case_merge_with_names_of_the_wrong_side(t: Recorder) -> None:
    _both(t)
    t.sql(f"{USING} WHEN NOT MATCHED AND t.id = 1 THEN INSERT *")
    t.sql(f"{USING} WHEN NOT MATCHED THEN INSERT (id) VALUES (t.id)")
    t.sql(f"{USING} WHEN NOT MATCHED BY SOURCE AND s.id = 1 THEN DELETE")
    t.sql(f"{USING} WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = s.v")
    t.sql(f"{USING} WHEN MATCHED AND id = 1 THEN DELETE")
    t.sql(f"{USING} WHEN MATCHED THEN UPDATE SET v = id")
    versions(t)


def case_merge_with_stars_that_do_not_fit(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    source(t, "(2), (9)", "id")
    merge(t, "MATCHED THEN UPDATE SET *")
    merge(t, "NOT MATCHED THEN INSERT *")
    source(t, "(2, 'two', 5), (9, 'nine', 6)", "ID, v, more")
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")
    versions(t)


def case_merge_with_wrong_conditions(t: Recorder) -> None:
    _both(t)
    tail = "WHEN MATCHED THEN DELETE"
    t.sql(f"MERGE INTO t USING s ON t.id {tail}")
    t.sql(f"MERGE INTO t USING s ON t.id = s.id AND rand() < 2 {tail}")
    t.sql(f"MERGE INTO t USING s ON max(t.id) = s.id {tail}")
    t.sql(f"MERGE INTO t USING s ON t.id IN (SELECT 1) {tail}")
    t.sql(f"{USING} WHEN MATCHED AND rand() < 2 THEN DELETE")
    t.sql(f"{USING} WHEN MATCHED AND max(s.id) = 2 THEN DELETE")
    t.sql(f"{USING} WHEN MATCHED AND EXISTS (SELECT 1) THEN DELETE")
    t.sql(f"{USING} WHEN NOT MATCHED AND s.id IN (SELECT 9) THEN INSERT *")
    t.sql(f"{USING} WHEN MATCHED AND s.id THEN DELETE")
    versions(t)


def case_merge_with_wrong_assignments(t: Recorder) -> None:
    _both(t)
    t.sql(f"{USING} WHEN MATCHED THEN UPDATE SET v = 'x', V = 'y'")
    t.sql(f"{USING} WHEN NOT MATCHED THEN INSERT (id, ID) VALUES (1, 2)")
    t.sql(f"{USING} WHEN NOT MATCHED THEN INSERT (id, v) VALUES (1)")
    t.sql(f"{USING} WHEN MATCHED THEN UPDATE SET s.v = 'x'")
    t.sql(f"{USING} WHEN MATCHED THEN UPDATE SET v = max(s.v)")
    t.sql(f"{USING} WHEN MATCHED THEN UPDATE SET id = DATE'2024-01-01'")
    t.sql(f"{USING} WHEN MATCHED THEN UPDATE SET v = array(1)")
    t.sql(f"{USING} WHEN MATCHED THEN UPDATE SET id = 'x'")
    versions(t)


def case_merge_with_values_that_vary(t: Recorder) -> None:
    _both(t)
    t.sql(f"{USING} WHEN MATCHED THEN UPDATE SET id = 100 + rand() * 0")
    t.sql(f"{USING} WHEN NOT MATCHED THEN INSERT (id) VALUES (200 + CAST(rand() AS INT))")
    t.sql(f"{USING} WHEN MATCHED THEN UPDATE SET v = (SELECT 'sub')")
    t.sql("SELECT id FROM t")


def case_merge_from_a_source_that_varies(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("""MERGE INTO t USING (SELECT 2 AS id, CAST(rand() AS STRING) AS v) s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
    t.sql("SELECT id, v LIKE '0.%' AS made FROM t WHERE id = 2")


def case_merge_of_nested_fields(t: Recorder) -> None:
    columns = "id INT, s STRUCT<a: INT, b: STRUCT<c: INT, d: STRING>>"
    inner = "named_struct('c', {0}, 'd', 'd')"
    row = "(1, named_struct('a', 1, 'b', " + inner.format(1) + ")), (2, NULL)"
    make(t, row, columns=columns)
    source(t, "(1, 7, 'new'), (2, 8, 'too')", "id, n, w")
    merge(t, "MATCHED THEN UPDATE SET s.b.d = s.w, t.s.a = s.n")
    merge(t, "MATCHED THEN UPDATE SET t.s.b.d = w, s.a = n", on="t.id = s.id AND t.s.a <=> 1")
    merge(t, "MATCHED THEN UPDATE SET s.b = NULL, s.b.c = 1")
    merge(t, "NOT MATCHED THEN INSERT (id, s.a) VALUES (1, 2)")
    versions(t)


def case_merge_casts_as_the_column_is(t: Recorder) -> None:
    make(t, "(1, 1, 1.5, 'x')", columns="id INT, b TINYINT, n DECIMAL(5, 2), v STRING")
    source(t, "(1L, 100L, 2, 7), (2L, 5L, 3, 8)", "id, b, n, v")
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")
    merge(t, "MATCHED THEN UPDATE SET b = s.b * 10")
    merge(t, "MATCHED THEN UPDATE SET b = '12'")
    merge(t, "MATCHED THEN UPDATE SET n = s.id / 3D")
    merge(t, "NOT MATCHED THEN INSERT (id) VALUES (3000000000)", on="false")
    t.conf("spark.sql.storeAssignmentPolicy", "LEGACY")
    merge(t, "MATCHED THEN UPDATE SET b = s.b * 10, id = '77'", on="t.id = s.id AND t.id = 1")


def case_merge_of_defaults(t: Recorder) -> None:
    columns = "id INT, v STRING DEFAULT 'dflt', n INT DEFAULT 5"
    make(t, "(1, 'a', 1), (2, 'b', 2)", columns=columns, properties=DEFAULTS)
    source(t, "(1), (9)", "id")
    merge(
        t,
        "MATCHED THEN UPDATE SET v = DEFAULT, n = n + 1",
        "NOT MATCHED THEN INSERT (id, n) VALUES (id, DEFAULT)",
        "NOT MATCHED BY SOURCE THEN UPDATE SET n = DEFAULT",
    )
    merge(t, "NOT MATCHED THEN INSERT (id) VALUES (s.id + 1)", on="false")
    merge(t, "MATCHED THEN UPDATE SET n = DEFAULT + 1")


def case_merge_obeys_constraints(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b')", columns="id INT NOT NULL, v STRING")
    t.sql("ALTER TABLE t ADD CONSTRAINT short CHECK (length(v) < 5)")
    source(t, "(1, 'too long'), (9, NULL)")
    merge(t, "MATCHED THEN UPDATE SET *")
    merge(t, "NOT MATCHED THEN INSERT *")
    merge(t, "NOT MATCHED THEN INSERT (v) VALUES ('x')")
    merge(t, "NOT MATCHED THEN INSERT (id, v) VALUES (NULL, 'x')")
    merge(t, "MATCHED THEN UPDATE SET id = NULL")
    refused(t, f"{USING} WHEN MATCHED THEN UPDATE SET *")
    versions(t)


def case_merge_obeys_lengths(t: Recorder) -> None:
    make(t, "(1, 'a', 'a')", columns="id INT, c CHAR(3), w VARCHAR(3)")
    source(t, "(1, 'x', 'yyy'), (2, 'four', 'four')", "id, c, w")
    merge(t, "MATCHED THEN UPDATE SET *")
    merge(t, "NOT MATCHED THEN INSERT *")
    merge(t, "NOT MATCHED THEN INSERT (id, c) VALUES (id, 'ok')")


def case_merge_of_generated_columns(t: Recorder) -> None:
    summed(t)
    query(t, "1 AS a, 2 AS b").write.format("delta").mode("append").saveAsTable("t")
    source(t, "(1, 20), (5, 6)", "a, b")
    on = "t.a = s.a"
    merge(
        t, "MATCHED THEN UPDATE SET b = s.b", "NOT MATCHED THEN INSERT (a, b) VALUES (a, b)", on=on
    )
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *", on=on)
    merge(t, "MATCHED THEN UPDATE SET c = 1", on=on)
    merge(t, "NOT MATCHED THEN INSERT (a, c) VALUES (7, 7)", on="false")
    merge(t, "NOT MATCHED BY SOURCE THEN UPDATE SET a = 0", on="t.a = s.a AND s.a = 1")


def case_merge_of_identity_columns(t: Recorder) -> None:
    numbered_table(t, "v STRING")
    t.spark.sql("INSERT INTO t (v) VALUES ('a')")
    source(t, "(1, 'one'), (9, 'nine')")
    merge(t, "NOT MATCHED THEN INSERT *")
    merge(t, "MATCHED THEN UPDATE SET *")
    merge(t, "NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)")
    t.sql(f"{USING} WHEN MATCHED THEN UPDATE SET v = s.v")
    t.sql(f"{USING} AND s.id = 1 WHEN NOT MATCHED THEN INSERT (v) VALUES (s.v)")
    t.sql("SELECT v, id > 1 AS given FROM t")


def case_merge_with_column_mapping(t: Recorder) -> None:
    columns = "id INT, `a b` STRING, p STRING"
    make(t, "(1, 'a', 'x'), (2, 'b', 'x')", columns=columns, by="p", properties=MAPPED)
    t.sql("ALTER TABLE t RENAME COLUMN id TO key")
    source(t, "(1, 'one', 'y'), (9, 'nine', 'x')", "key, `a b`, p")
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *", on="t.key = s.key")
    merge(t, "NOT MATCHED BY SOURCE THEN UPDATE SET `a b` = 'gone'", on="t.key = s.key")
    t.history("t")


def case_merge_into_an_append_only_table(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={"delta.appendOnly": "true"})
    source(t, "(2, 'two'), (9, 'nine')")
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")
    merge(t, "NOT MATCHED THEN INSERT *")
    versions(t)


def case_merge_into_what_is_no_delta_table(t: Recorder) -> None:
    _both(t)
    t.sql("CREATE TABLE p (id INT, v STRING) USING parquet")
    t.sql("MERGE INTO p USING s ON p.id = s.id WHEN MATCHED THEN DELETE")
    t.sql("CREATE VIEW w AS SELECT * FROM t")
    t.sql("MERGE INTO w USING s ON w.id = s.id WHEN MATCHED THEN DELETE")
    t.sql(f"""MERGE INTO delta.`{t.folder("none")}` x USING s ON x.id = s.id
        WHEN MATCHED THEN DELETE""")
    versions(t)


def case_merge_with_settings_of_the_session(t: Recorder) -> None:
    _both(t)
    t.conf("spark.databricks.delta.commitInfo.userMetadata", "why")
    t.conf("spark.databricks.delta.write.txnAppId", "app")
    t.conf("spark.databricks.delta.write.txnVersion", "1")
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")
    merge(t, "MATCHED THEN DELETE")
    t.log("t", 3)


def case_merge_fails_in_a_row(t: Recorder) -> None:
    _both(t)
    merge(t, "MATCHED THEN UPDATE SET id = 1 / (s.id - 2)")
    merge(t, "MATCHED AND 1 / (s.id - 2) > 0 THEN DELETE")
    merge(t, "NOT MATCHED THEN INSERT (id) VALUES (CAST(s.v AS INT))")
    versions(t)


def case_merge_tells_what_a_constraint_saw(t: Recorder) -> None:
    _both(t)
    t.sql("ALTER TABLE t ADD CONSTRAINT small CHECK (id < 9)")
    refusal(t, "insert", lambda: t.spark.sql(f"{USING} WHEN NOT MATCHED THEN INSERT *"))
    refusal(t, "update", lambda: t.spark.sql(f"{USING} WHEN MATCHED THEN UPDATE SET id = 10"))
    change(t, f"{USING} WHEN MATCHED THEN UPDATE SET id = 8")
