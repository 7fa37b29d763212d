"""MERGE: what each kind of clause does, in which order, and what the commit says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import THREE_AND_TWO, change, make, merge, put, source, versions

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

TWO_KNOWN_ONE_NEW = "(2, 'two'), (4, 'four'), (9, 'nine')"


def _both(t: Recorder, rows: str = TWO_KNOWN_ONE_NEW) -> None:
    make(t, *THREE_AND_TWO)
    source(t, rows)


def case_merge_upserts(t: Recorder) -> None:
    _both(t)
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")
    t.log("t", 3)
    t.history("t")


def case_merge_updates_only(t: Recorder) -> None:
    _both(t)
    merge(t, "MATCHED THEN UPDATE SET v = s.v")
    t.log("t", 3)
    merge(t, "MATCHED AND t.v = 'two' THEN UPDATE SET t.v = concat(t.v, s.id)")


def case_merge_deletes_only(t: Recorder) -> None:
    _both(t)
    merge(t, "MATCHED AND s.v = 'two' THEN DELETE")
    merge(t, "MATCHED THEN DELETE")
    t.log("t", 3)


def case_merge_inserts_only(t: Recorder) -> None:
    _both(t)
    merge(t, "NOT MATCHED THEN INSERT *")
    merge(t, "NOT MATCHED THEN INSERT *")
    merge(t, "NOT MATCHED AND s.id < 0 THEN INSERT *", on="t.id = s.id + 100")
    t.log("t", 3)


def case_merge_inserts_several_kinds(t: Recorder) -> None:
    _both(t, "(2, 'two'), (10, 'ten'), (11, NULL), (12, 'twelve')")
    merge(
        t,
        "NOT MATCHED AND s.id = 10 THEN INSERT (id) VALUES (s.id)",
        "NOT MATCHED BY TARGET AND s.v IS NOT NULL THEN INSERT (v, id) VALUES (upper(v), id + 1)",
    )
    t.log("t", 3)


def case_merge_by_source_deletes(t: Recorder) -> None:
    _both(t)
    merge(t, "NOT MATCHED BY SOURCE THEN DELETE")
    t.log("t", 3)


def case_merge_by_source_updates(t: Recorder) -> None:
    _both(t)
    merge(
        t,
        "NOT MATCHED BY SOURCE AND t.id = 1 THEN UPDATE SET v = 'one', id = 100",
        "NOT MATCHED BY SOURCE AND v IS NULL THEN UPDATE SET t.v = 'was null'",
    )
    t.log("t", 3)


def case_merge_all_kinds_of_clauses(t: Recorder) -> None:
    _both(t, "(1, 'one'), (2, 'two'), (4, NULL), (9, 'nine'), (10, 'ten')")
    merge(
        t,
        "MATCHED AND s.v IS NULL THEN DELETE",
        "MATCHED AND s.id = 1 THEN UPDATE SET v = 'first'",
        "MATCHED THEN UPDATE SET *",
        "NOT MATCHED AND s.id = 9 THEN INSERT *",
        "NOT MATCHED BY SOURCE AND t.id = 3 THEN DELETE",
        "NOT MATCHED BY SOURCE THEN UPDATE SET v = 'gone'",
    )
    t.log("t", 3)
    t.history("t")


def case_merge_takes_the_first_clause_that_holds(t: Recorder) -> None:
    _both(t, "(1, 'x'), (2, NULL)")
    merge(
        t,
        "MATCHED AND s.v = 'x' THEN UPDATE SET v = 'first'",
        "MATCHED AND s.id < 5 THEN UPDATE SET v = 'second'",
        "MATCHED THEN DELETE",
    )


def case_merge_keeps_rows_without_a_clause(t: Recorder) -> None:
    _both(t)
    merge(t, "MATCHED AND s.id = 2 THEN UPDATE SET *", "NOT MATCHED AND false THEN INSERT *")
    merge(t, "MATCHED AND NULL THEN DELETE")
    t.log("t", 3)


def case_merge_without_a_change_makes_no_version(t: Recorder) -> None:
    _both(t)
    merge(t, "MATCHED THEN UPDATE SET *", on="t.id = s.id + 100")
    merge(t, "MATCHED AND s.id > 100 THEN DELETE")
    source(t, "(1, 'a')", name="none")
    t.sql("""MERGE INTO t USING (SELECT * FROM none WHERE false) s ON t.id = s.id
        WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *""")
    versions(t)


def case_merge_of_an_empty_source_with_by_source(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.sql("""MERGE INTO t USING (SELECT 1 AS id, 'a' AS v WHERE false) s ON t.id = s.id
        WHEN NOT MATCHED BY SOURCE AND t.id > 3 THEN DELETE""")
    t.sql("SELECT * FROM t")
    t.log("t", 3)


def case_merge_into_an_empty_table(t: Recorder) -> None:
    make(t)
    source(t, TWO_KNOWN_ONE_NEW)
    merge(t, "MATCHED THEN DELETE", "NOT MATCHED BY SOURCE THEN DELETE")
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")
    t.log("t", 1)


def case_merge_deletes_whole_files(t: Recorder) -> None:
    _both(t, "(4, ''), (5, '')")
    merge(t, "MATCHED THEN DELETE")
    t.log("t", 3)


def case_merge_nulls_do_not_match(t: Recorder) -> None:
    make(t, "(1, 'a'), (NULL, 'n')")
    source(t, "(1, 'b'), (NULL, 'm')")
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")
    merge(t, "MATCHED AND t.v = 'n' THEN DELETE", on="t.id <=> s.id AND t.v <> s.v")


def case_merge_on_any_condition(t: Recorder) -> None:
    _both(t, "(2, 'b'), (40, 'd')")
    merge(t, "MATCHED THEN UPDATE SET v = 'same'", on="t.v = s.v AND t.id < s.id")
    merge(t, "MATCHED THEN UPDATE SET v = 'range'", on="t.id BETWEEN s.id - 30 AND s.id - 35 + 0")
    merge(t, "MATCHED THEN DELETE", on="t.id * 20 = s.id")
    merge(t, "NOT MATCHED THEN INSERT *", on="false")
    t.log("t", 3)


def case_merge_on_true(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    source(t, "(7, 'seven')")
    merge(t, "MATCHED AND t.id > 3 THEN UPDATE SET v = s.v", on="true")
    t.log("t", 3)


def case_merge_with_conditions_of_the_target_alone(t: Recorder) -> None:
    rows = "(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', NULL)"
    make(t, rows, columns="id INT, v STRING, p STRING", by="p")
    source(t, "(1, 'one', 'x'), (3, 'three', 'y'), (9, 'nine', 'z')", "id, v, p")
    merge(t, "MATCHED THEN UPDATE SET *", on="t.id = s.id AND t.p = 'x'")
    merge(
        t,
        "MATCHED THEN UPDATE SET p = 'moved'",
        "NOT MATCHED THEN INSERT *",
        on="t.id = s.id AND t.p = s.p",
    )
    t.log("t", 2)


def case_merge_with_aliases(t: Recorder) -> None:
    _both(t)
    t.sql("""MERGE INTO t AS a USING s AS b ON a.id = b.id
        WHEN MATCHED THEN UPDATE SET a.v = b.v WHEN NOT MATCHED THEN INSERT *""")
    t.sql("""MERGE INTO t AS a USING s AS b ON t.id = b.id WHEN MATCHED THEN DELETE""")
    t.sql("""MERGE INTO t a USING (SELECT id AS k, v AS w FROM s) ON id = k
        WHEN MATCHED THEN UPDATE SET v = w || '!'""")
    t.sql("""MERGE INTO t USING s ON id = id WHEN MATCHED THEN DELETE""")
    t.sql("SELECT * FROM t")


def case_merge_into_a_path(t: Recorder) -> None:
    place = f"delta.`{t.path}`"
    make(t, *THREE_AND_TWO, table=place)
    source(t, TWO_KNOWN_ONE_NEW)
    change(
        t,
        f"""MERGE INTO {place} AS t USING s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""",
        table=place,
    )
    t.log(t.path, 3)


def case_merge_into_temporary_views(t: Recorder) -> None:
    _both(t)
    t.sql("CREATE TEMPORARY VIEW plain AS SELECT * FROM t")
    t.sql("MERGE INTO plain p USING s ON p.id = s.id WHEN MATCHED THEN UPDATE SET *")
    t.sql("CREATE TEMPORARY VIEW named AS SELECT v AS name, id AS key FROM t")
    t.sql("MERGE INTO named USING s ON key = id WHEN MATCHED THEN UPDATE SET name = 'view'")
    t.sql("CREATE TEMPORARY VIEW picked AS SELECT * FROM t WHERE id > 4")
    t.sql("MERGE INTO picked p USING s ON p.id = s.id WHEN MATCHED THEN DELETE")
    t.sql("SELECT * FROM t")


def case_merge_from_sources_of_kinds(t: Recorder) -> None:
    _both(t)
    make(t, "(1, 'table')", table="u")
    tail = "ON t.id = x.id WHEN MATCHED THEN UPDATE SET *"
    t.sql(f"MERGE INTO t USING u AS x {tail}")
    put(t, "(2, 'later')", "u")
    t.sql(f"MERGE INTO t USING (SELECT * FROM u VERSION AS OF 1 WHERE id = 1) AS x {tail}")
    t.sql(f"MERGE INTO t USING (VALUES (3, 'values')) AS x (id, v) {tail}")
    t.sql(f"MERGE INTO t USING (WITH c AS (SELECT 4 AS id, 'cte' AS v) TABLE c) AS x {tail}")
    t.sql(f"MERGE INTO t USING (SELECT DISTINCT 5 AS id, 'f' || id AS v FROM range(1)) x {tail}")
    change(t, f"MERGE INTO t USING (SELECT id + 1 AS id, 'self' AS v FROM t) AS x {tail}")


def case_merge_the_table_with_itself(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    change(
        t,
        """MERGE INTO t USING t AS s ON t.id = s.id AND s.id > 3
        WHEN MATCHED THEN UPDATE SET v = s.v || '!'
        WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id + 10, s.v)""",
    )
    t.log("t", 3)


def case_merge_into_partitions(t: Recorder) -> None:
    rows = "(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', NULL)"
    make(t, rows, columns="id INT, v STRING, p STRING", by="p")
    source(t, "(1, 'one', 'x'), (3, 'three', 'z'), (4, NULL, NULL), (9, 'nine', 'y')", "id, v, p")
    merge(
        t,
        "MATCHED AND s.v IS NULL THEN DELETE",
        "MATCHED THEN UPDATE SET *",
        "NOT MATCHED THEN INSERT *",
    )
    t.log("t", 2)


def case_merge_of_duplicate_rows_to_insert(t: Recorder) -> None:
    _both(t, "(9, 'nine'), (9, 'nine'), (9, 'other')")
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")


def case_merge_into_duplicate_target_rows(t: Recorder) -> None:
    make(t, "(1, 'a'), (1, 'b')", "(1, 'c')")
    source(t, "(1, 'all')")
    merge(t, "MATCHED THEN UPDATE SET *", "NOT MATCHED THEN INSERT *")
    t.log("t", 3)
