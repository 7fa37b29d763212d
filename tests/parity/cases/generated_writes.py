"""INSERT into tables with generated columns: computed where absent, checked where given."""

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


def case_given_by_position(t: Recorder) -> None:
    dated(t)
    after(
        t,
        f"INSERT INTO t VALUES (1, {NOON}, DATE'2024-03-01')",
        f"INSERT INTO t SELECT 2, {LATER}, DATE'2024-03-02'",
        f"INSERT INTO t VALUES (3, {NOON}, DATE'2024-03-02')",
        f"INSERT INTO t VALUES (4, {NOON}, NULL)",
        "INSERT INTO t VALUES (5, NULL, NULL)",
        "INSERT INTO t VALUES (6, NULL, DATE'2024-03-01')",
        f"INSERT INTO t VALUES (7, {NOON}, DATE'2024-03-01'), (8, {NOON}, DATE'2024-03-05')",
    )
    t.history("t")


def case_left_out_by_position(t: Recorder) -> None:
    dated(t)
    after(
        t,
        f"INSERT INTO t VALUES (1, {NOON})",
        f"INSERT INTO t SELECT 2, {LATER}",
        "INSERT INTO t VALUES (3)",
        "INSERT INTO t VALUES (4, NULL)",
        f"INSERT INTO t VALUES (5, {NOON}, NULL, 1)",
    )


def case_left_out_in_the_middle(t: Recorder) -> None:
    generated_table(t, "a INT", "c INT := a + b", "b INT")
    after(
        t,
        "INSERT INTO t VALUES (1, 3, 2)",
        "INSERT INTO t VALUES (1, 2)",
        "INSERT INTO t (a, b) VALUES (5, 6)",
        "INSERT INTO t (b, a) SELECT 7, 8",
    )


def case_column_lists(t: Recorder) -> None:
    dated(t)
    after(
        t,
        f"INSERT INTO t (id, ts) VALUES (1, {NOON})",
        f"INSERT INTO t (ts, id) VALUES ({LATER}, 2)",
        f"INSERT INTO t (d, ts, id) VALUES (DATE'2024-03-01', {NOON}, 3)",
        f"INSERT INTO t (d, ts, id) VALUES (DATE'2024-03-09', {NOON}, 4)",
        "INSERT INTO t (id) VALUES (5)",
        "INSERT INTO t (d, id) VALUES (DATE'2024-03-09', 6)",
        "INSERT INTO t (id, d) VALUES (7, NULL)",
        f"INSERT INTO t (ID, TS) VALUES (8, {NOON})",
        f"INSERT INTO t (id, ts, d, D) VALUES (9, {NOON}, NULL, NULL)",
        f"INSERT INTO t (id, ts, nope) VALUES (9, {NOON}, NULL)",
        f"INSERT OVERWRITE t (id, ts) VALUES (10, {NOON})",
    )


def case_by_name(t: Recorder) -> None:
    dated(t)
    after(
        t,
        f"INSERT INTO t BY NAME SELECT {NOON} AS ts, 1 AS id",
        f"INSERT INTO t BY NAME SELECT {NOON} AS TS, 2 AS ID, DATE'2024-03-01' AS D",
        f"INSERT INTO t BY NAME SELECT {NOON} AS ts, 3 AS id, DATE'2024-03-02' AS d",
        "INSERT INTO t BY NAME SELECT 4 AS id",
        "INSERT INTO t BY NAME SELECT 5 AS id, DATE'2024-03-02' AS d",
        f"INSERT OVERWRITE t BY NAME SELECT {LATER} AS ts, 6 AS id",
    )


def case_overwritten(t: Recorder) -> None:
    dated(t)
    after(
        t,
        f"INSERT OVERWRITE t VALUES (1, {NOON}, DATE'2024-03-01')",
        f"INSERT OVERWRITE t VALUES (2, {NOON})",
        f"INSERT OVERWRITE t SELECT 3, {NOON}, DATE'2024-03-03'",
        f"INSERT OVERWRITE t SELECT 4, {LATER}, NULL",
    )


def case_replaced_where(t: Recorder) -> None:
    dated(t, by="d")
    after(
        t,
        f"INSERT INTO t (id, ts) VALUES (1, {NOON}), (2, {LATER})",
        f"INSERT INTO t REPLACE WHERE d = DATE'2024-03-01' SELECT 3, {NOON}, DATE'2024-03-01'",
        f"INSERT INTO t REPLACE WHERE d = DATE'2024-03-01' SELECT 4, {NOON}, DATE'2024-03-02'",
        f"INSERT INTO t REPLACE WHERE d = DATE'2024-03-01' SELECT 5, {NOON}",
    )


def case_partition_clauses(t: Recorder) -> None:
    generated_table(t, "id INT", "s STRING", "p STRING := substring(s, 1, 1)", by="p")
    after(
        t,
        "INSERT INTO t PARTITION (p = 'a') SELECT 1, 'abc'",
        "INSERT INTO t PARTITION (p = 'b') SELECT 2, 'abc'",
        "INSERT INTO t PARTITION (p) SELECT 3, 'bcd', 'b'",
        "INSERT INTO t PARTITION (p) SELECT 4, 'bcd', 'c'",
        "INSERT INTO t PARTITION (p) SELECT 5, 'cde'",
        "INSERT INTO t PARTITION (p = 'a') (s, id) SELECT 'xyz', 6",
        "INSERT INTO t PARTITION (p = 'x') (s, id) SELECT 'xyz', 7",
        "INSERT OVERWRITE t PARTITION (p = 'x') SELECT 8, 'xx'",
        "INSERT OVERWRITE t PARTITION (p = 'x') SELECT 9, 'yy'",
    )
    t.conf("spark.sql.sources.partitionOverwriteMode", "dynamic")
    after(
        t,
        "INSERT OVERWRITE t SELECT 10, 'aaa', 'a'",
        "INSERT OVERWRITE t PARTITION (p) SELECT 11, 'bbb', 'b'",
        "INSERT OVERWRITE t (id, s) SELECT 12, 'xxx'",
        "INSERT OVERWRITE t SELECT 13, 'xxx', 'a'",
    )


def case_some_given_some_computed(t: Recorder) -> None:
    generated_table(t, "a INT", "x INT := a + 1", "y INT := a + 2", "z INT := a * 10")
    after(
        t,
        "INSERT INTO t (a) VALUES (1)",
        "INSERT INTO t (a, y) VALUES (2, 4)",
        "INSERT INTO t (a, y) VALUES (2, 5)",
        "INSERT INTO t (z, x, a) VALUES (30, 4, 3)",
        "INSERT INTO t VALUES (4, 5)",
        "INSERT INTO t VALUES (5, 6, 7, 50)",
    )


def case_absent_base_columns(t: Recorder) -> None:
    generated_table(
        t, "a INT", "b INT", "c INT := coalesce(a, 0) + coalesce(b, 100)", "n INT := a + b"
    )
    after(
        t,
        "INSERT INTO t (a) VALUES (1)",
        "INSERT INTO t (b) VALUES (2)",
        "INSERT INTO t (c) VALUES (100)",
        "INSERT INTO t (c) VALUES (7)",
        "INSERT INTO t (n) VALUES (7)",
        "INSERT INTO t VALUES (1)",
    )
    save_table(t, "frame", query(t, "3 AS a"), "append")
    save_table(t, "frame with a wrong value", query(t, "3 AS a, 4 AS c"), "append")
    t.sql("SELECT * FROM t")
    t.conf("spark.databricks.delta.generatedColumn.allowNullableIngest.enabled", "false")
    after(t, "INSERT INTO t (a) VALUES (1)", "INSERT INTO t (c) VALUES (100)")
    save_table(t, "frame", query(t, "3 AS a"), "append")
    t.conf("spark.sql.defaultColumn.useNullsForMissingDefaultValues", "false")
    after(t, "INSERT INTO t (a) VALUES (1)", "INSERT INTO t (a, b) VALUES (1, 2)")
    save_table(t, "frame of both", query(t, "3 AS a, 4 AS b"), "append")


def case_rows_without_any(t: Recorder) -> None:
    summed(t)
    after(t, "INSERT INTO t SELECT 1, 2 WHERE false", "INSERT INTO t SELECT 1, 2, 9 WHERE false")
    t.history("t")


def case_from_its_own_rows(t: Recorder) -> None:
    summed(t)
    after(
        t,
        "INSERT INTO t (a, b) VALUES (1, 2)",
        "INSERT INTO t SELECT * FROM t",
        "INSERT INTO t SELECT a + 1, b, c FROM t",
        "INSERT INTO t (a, b) SELECT a + 1, b FROM t",
        "INSERT OVERWRITE t SELECT a * 10, b, a * 10 + b FROM t",
    )


def case_names_in_another_case(t: Recorder) -> None:
    generated_table(t, "Id INT", "Name STRING", "Upper STRING := upper(NAME)", by="Upper")
    after(
        t,
        "INSERT INTO t (ID, NAME) VALUES (1, 'a')",
        "INSERT INTO t (id, name, UPPER) VALUES (2, 'b', 'B')",
        "INSERT INTO t (id, name, UPPER) VALUES (3, 'c', 'C ')",
        "INSERT INTO t BY NAME SELECT 4 AS iD, 'd' AS nAME",
    )
    save_table(t, "frame", query(t, "'e' AS NAME, 5 AS iD"), "append")
    save_table(t, "frame with it", query(t, "'F' AS uPPER, 'f' AS NAME, 6 AS iD"), "append")
    t.sql("SELECT * FROM t")
    t.conf("spark.sql.caseSensitive", "true")
    after(t, "INSERT INTO t (Id, Name) VALUES (7, 'g')")


def case_names_to_quote(t: Recorder) -> None:
    made = (
        t.tables.DeltaTable.create(t.spark)
        .tableName("t")
        .property("delta.columnMapping.mode", "name")
        .addColumn("a b", "INT")
        .addColumn("c.d", "INT")
        .addColumn("e`f", "INT", generatedAlwaysAs="`a b` + `c.d`")
    )
    t.attempt("made", made.execute)
    after(
        t,
        "INSERT INTO t (`a b`, `c.d`) VALUES (1, 2)",
        "INSERT INTO t VALUES (1, 2, 3)",
        "INSERT INTO t VALUES (1, 2, 4)",
    )
    refused(t, "INSERT INTO t VALUES (1, 2, 4)")
