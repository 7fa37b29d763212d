"""Values of generated columns: their types, what else must hold, what is told of wrong ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.generating import (
    LATER,
    NOON,
    after,
    dated,
    generated_table,
    query,
    refused,
    summed,
)
from tests.parity.saving import save_table

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def case_what_is_told_of_a_wrong_value(t: Recorder) -> None:
    dated(t)
    refused(
        t,
        f"INSERT INTO t VALUES (3, {NOON}, DATE'2024-03-02')",
        f"INSERT INTO t VALUES (4, {NOON}, NULL)",
        "INSERT INTO t VALUES (6, NULL, DATE'2024-03-01')",
    )
    generated_table(
        t,
        "A INT",
        "`b c` STRING".replace("`b c`", "b"),
        "s STRUCT<x: INT, y: STRING>",
        "G STRING := concat(s.y, a, B)",
        "k INT := 1 + 1",
        table="u",
    )
    refused(
        t,
        "INSERT INTO u VALUES (1, 'x', named_struct('x', 2, 'y', 'z'), 'wrong', 2)",
        "INSERT INTO u VALUES (1, 'x', named_struct('x', 2, 'y', 'z'), 'z1x', 3)",
        "INSERT INTO u VALUES (1, 'x', named_struct('x', 2, 'y', 'z'), 'wrong', 3)",
        "INSERT INTO u (g) VALUES ('wrong')",
    )
    after(t, "INSERT INTO u VALUES (1, 'x', named_struct('x', 2, 'y', 'z'), 'z1x', 2)", table="u")


def case_order_of_rules(t: Recorder) -> None:
    generated_table(t, "a INT NOT NULL", "b VARCHAR(3)", "c INT := a + 1", "e INT := a + 2")
    t.sql("ALTER TABLE t ADD CONSTRAINT small CHECK (a < 10)")
    for values in (
        "(20, 'x', 21, 22)",
        "(20, 'x', 22, 22)",
        "(20, 'xxxx', 22, 22)",
        "(NULL, 'xxxx', 22, 22)",
        "(NULL, 'x', NULL, NULL)",
        "(1, 'xxxx', 2, 4)",
        "(1, 'xxx', 3, 4)",
        "(NULL, 'xxxx', NULL, NULL)",
    ):
        refused(t, f"INSERT INTO t VALUES {values}")
        t.sql(f"INSERT INTO t VALUES {values}")
    after(t, "INSERT INTO t (a, b) VALUES (NULL, 'x')", "INSERT INTO t (a) VALUES (11)")


def case_order_of_rules_of_columns(t: Recorder) -> None:
    generated_table(t, "a INT", "b VARCHAR(3) NOT NULL", "c INT := a + 1", "e INT := a + 2")
    for values in ("(1, NULL, 9, 9)", "(1, 'xxxx', 9, 9)", "(1, 'x', 9, 9)", "(1, 'x', 2, 9)"):
        refused(t, f"INSERT INTO t VALUES {values}")
        t.sql(f"INSERT INTO t VALUES {values}")


def case_values_of_other_types(t: Recorder) -> None:
    dated(t)
    after(
        t,
        "INSERT INTO t SELECT 1L, '2024-03-01 10:11:12', '2024-03-01'",
        "INSERT INTO t SELECT '2', DATE'2024-03-02', TIMESTAMP'2024-03-02 10:00:00'",
        "INSERT INTO t (id, ts) SELECT 3.7, DATE'2024-03-03'",
        "INSERT INTO t (id, ts) SELECT 4, TIMESTAMP_NTZ'2024-03-03 23:00:00'",
        "INSERT INTO t (id, ts) VALUES (5, '2024-03-01')",
        "INSERT INTO t (id, ts) VALUES (6, 'soon')",
        "INSERT INTO t (id, ts, d) VALUES (7, NULL, 'soon')",
        "INSERT INTO t (id, ts) VALUES (8, true)",
    )
    summed(t, table="u")
    after(
        t,
        "INSERT INTO u (a, b) VALUES (2147483647, 1)",
        "INSERT INTO u VALUES (2147483647, 1, 0)",
        "INSERT INTO u (a, b) VALUES (2147483648, 1)",
        "INSERT INTO u (a, b) VALUES (1.4D, 2.6D)",
        "INSERT INTO u SELECT 1L, 2L, 3L",
        table="u",
    )


def case_without_ansi(t: Recorder) -> None:
    summed(t)
    t.conf("spark.sql.ansi.enabled", "false")
    after(t, "INSERT INTO t (a, b) VALUES (2147483647, 1)")
    t.conf("spark.sql.storeAssignmentPolicy", "LEGACY")
    after(t, "INSERT INTO t (a, b) VALUES ('x', 1)", "INSERT INTO t VALUES ('1', '2', '3')")


def case_nested_base(t: Recorder) -> None:
    generated_table(t, "s STRUCT<x: INT, y: STRUCT<z: STRING>>", "g STRING := concat(s.x, s.y.z)")
    after(
        t,
        "INSERT INTO t (s) VALUES (named_struct('x', 1, 'y', named_struct('z', 'q')))",
        "INSERT INTO t VALUES (named_struct('x', 1, 'y', named_struct('z', 'q')), '1q')",
        "INSERT INTO t VALUES (named_struct('x', 1, 'y', named_struct('z', 'q')), '1p')",
        "INSERT INTO t (s) VALUES (named_struct('x', 1, 'y', NULL))",
        "INSERT INTO t (s) VALUES (NULL)",
        "INSERT INTO t (s) VALUES (named_struct('y', named_struct('z', 'o'), 'x', 9))",
        "INSERT INTO t BY NAME SELECT named_struct('y', named_struct('z', 'o'), 'x', 9) AS s",
    )
    other = "named_struct('y', named_struct('z', 'o'), 'x', 8) AS s"
    save_table(t, "fields turned", query(t, other), "append")
    save_table(t, "with a value", query(t, f"{other}, '8o' AS g"), "append")
    save_table(t, "with a wrong one", query(t, f"{other}, 'o8' AS g"), "append")
    t.sql("SELECT * FROM t")


def case_base_in_arrays_and_maps(t: Recorder) -> None:
    columns = ("l ARRAY<STRUCT<x: INT>>", "m MAP<STRING, INT>")

    def made(table: str, generated: str) -> None:
        t.attempt(table, lambda: generated_table(t, *columns, generated, table=table))

    made("t", "n INT := size(m)")
    made("u", "k INT := m['k']")
    made("v", "f INT := l[0].x")
    for table in ("t", "u", "v"):
        t.sql(f"INSERT INTO {table} (l, m) VALUES (array(named_struct('x', 4)), map('k', 1))")
        t.sql(f"INSERT INTO {table} VALUES (array(named_struct('x', 1)), map('k', 1), 1)")
        t.sql(f"INSERT INTO {table} VALUES (array(named_struct('x', 4)), map('k', 5), 6)")
        t.sql(f"INSERT INTO {table} (l) VALUES (array(named_struct('x', 7)))")
        t.sql(f"SELECT * FROM {table}")


def case_constraints_on_generated_columns(t: Recorder) -> None:
    summed(t)
    t.sql("ALTER TABLE t ADD CONSTRAINT small CHECK (c < 10)")
    after(
        t,
        "INSERT INTO t (a, b) VALUES (1, 2)",
        "INSERT INTO t (a, b) VALUES (5, 6)",
        "INSERT INTO t VALUES (5, 6, 9)",
        "INSERT INTO t VALUES (5, 6, 12)",
        "INSERT INTO t (a) VALUES (5)",
    )
    refused(t, "INSERT INTO t (a, b) VALUES (5, 6)", "INSERT INTO t VALUES (5, 6, 12)")


def case_not_null_generated_columns(t: Recorder) -> None:
    generated_table(t, "a INT", "b INT", "c INT NOT NULL := a + b")
    after(
        t,
        "INSERT INTO t (a, b) VALUES (1, 2)",
        "INSERT INTO t (a) VALUES (1)",
        "INSERT INTO t VALUES (1, NULL)",
        "INSERT INTO t VALUES (1, NULL, NULL)",
        "INSERT INTO t VALUES (1, 2, NULL)",
        "INSERT INTO t VALUES (1, 2, 3)",
    )
    save_table(t, "frame", query(t, "3 AS a, 4 AS b"), "append")
    save_table(t, "frame of one", query(t, "3 AS a"), "append")
    t.sql("SELECT * FROM t")


def case_lengths_of_generated_columns(t: Recorder) -> None:
    generated_table(t, "s STRING", "v VARCHAR(3) := substring(s, 1, 4)", table="t")
    after(t, "INSERT INTO t (s) VALUES ('abc')", "INSERT INTO t (s) VALUES ('abcd')")
    t.attempt(
        "char", lambda: generated_table(t, "s STRING", "v CHAR(4) := substring(s, 1, 4)", table="u")
    )
    after(
        t,
        "INSERT INTO u (s) VALUES ('abc')",
        "INSERT INTO u VALUES ('abc', 'abc')",
        "INSERT INTO u VALUES ('abc', 'abc ')",
        "INSERT INTO u (s) VALUES ('abcd')",
        table="u",
    )
    t.attempt(
        "base",
        lambda: generated_table(
            t, "c CHAR(4)", "v VARCHAR(4) := c", "w INT := length(c)", table="v"
        ),
    )
    after(
        t,
        "INSERT INTO v (c) VALUES ('ab')",
        "INSERT INTO v VALUES ('ab', 'ab', 2)",
        "INSERT INTO v VALUES ('ab', 'ab  ', 4)",
        "INSERT INTO v (c) VALUES ('abcde')",
        table="v",
    )


def case_empty_texts_in_partitions(t: Recorder) -> None:
    generated_table(t, "s STRING", "p STRING := substring(s, 1, 1)", by="p")
    after(
        t,
        "INSERT INTO t (s) VALUES ('a'), (''), (NULL)",
        "INSERT INTO t VALUES ('', '')",
        "INSERT INTO t VALUES ('', NULL)",
        "INSERT INTO t VALUES (NULL, '')",
    )
    generated_table(t, "p STRING", "n INT := length(p)", "i INT", by="p", table="u")
    after(
        t,
        "INSERT INTO u (p) VALUES ('a'), (''), (NULL)",
        "INSERT INTO u (p, n) VALUES ('', 0)",
        "INSERT INTO u (p, n) VALUES ('', NULL)",
        table="u",
    )


def case_floats_and_timestamps(t: Recorder) -> None:
    generated_table(
        t, "f DOUBLE", "g DOUBLE := f * 2", "ts TIMESTAMP", "u TIMESTAMP := date_trunc('HOUR', ts)"
    )
    after(
        t,
        "INSERT INTO t (f) VALUES (1.5), (double('NaN')), (-0.0D)",
        "INSERT INTO t (f, g) VALUES (double('NaN'), double('NaN'))",
        "INSERT INTO t (f, g) VALUES (0.0D, -0.0D)",
        "INSERT INTO t (f, g) VALUES (0.1D, 0.2D)",
        "INSERT INTO t (f, g) VALUES (0.1D, 0.20000000000000001D)",
        f"INSERT INTO t (ts) VALUES ({LATER})",
        f"INSERT INTO t (ts, u) VALUES ({LATER}, TIMESTAMP'2024-03-02 23:00:00')",
        f"INSERT INTO t (ts, u) VALUES ({LATER}, {LATER})",
    )
