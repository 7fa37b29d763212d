"""Defaults beside generated columns, and the keyword DEFAULT for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.generating import after, generated_table, summed
from tests.parity.saving import save_table

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

DEFAULTS = {"delta.feature.allowColumnDefaults": "supported"}


def case_keyword_for_a_generated_column(t: Recorder) -> None:
    summed(t)
    after(
        t,
        "INSERT INTO t VALUES (1, 2, DEFAULT)",
        "INSERT INTO t (a, b, c) VALUES (3, 4, DEFAULT)",
        "INSERT INTO t (c, b, a) VALUES (DEFAULT, 6, 5)",
        "INSERT INTO t VALUES (7, DEFAULT, DEFAULT)",
        "INSERT INTO t VALUES (DEFAULT, DEFAULT, DEFAULT)",
        "INSERT INTO t VALUES (1, 2, DEFAULT), (1, 2, 3)",
        "INSERT INTO t SELECT 1, 2, DEFAULT",
        "INSERT OVERWRITE t VALUES (8, 9, DEFAULT)",
    )


def case_base_columns_with_defaults(t: Recorder) -> None:
    summed(t, properties=DEFAULTS)
    t.sql("ALTER TABLE t ALTER COLUMN b SET DEFAULT 40")
    after(
        t,
        "INSERT INTO t (a) VALUES (1)",
        "INSERT INTO t (a, b) VALUES (2, DEFAULT)",
        "INSERT INTO t VALUES (3)",
        "INSERT INTO t VALUES (4, DEFAULT)",
        "INSERT INTO t VALUES (5, DEFAULT, DEFAULT)",
        "INSERT INTO t (a, c) VALUES (6, 46)",
        "INSERT INTO t (a, c) VALUES (7, 8)",
        "INSERT INTO t (a, b) VALUES (8, NULL)",
        "INSERT INTO t BY NAME SELECT 9 AS a",
    )
    save_table(t, "frame", t.spark.sql("SELECT 10 AS a"), "append")
    save_table(t, "given", t.spark.sql("SELECT 11 AS a, 51 AS c"), "append")
    save_table(t, "wrong", t.spark.sql("SELECT 12 AS a, 12 AS c"), "append")
    t.sql("SELECT * FROM t")


def case_defaults_that_are_expressions(t: Recorder) -> None:
    generated_table(
        t,
        "id INT",
        "s STRING",
        "u STRING := upper(s)",
        "k INT",
        "l INT := k + id",
        properties=DEFAULTS,
    )
    t.sql("ALTER TABLE t ALTER COLUMN s SET DEFAULT concat('a', 'b')")
    t.sql("ALTER TABLE t ALTER COLUMN k SET DEFAULT 1 + 1")
    after(
        t,
        "INSERT INTO t (id) VALUES (1)",
        "INSERT INTO t (id, s) VALUES (2, 'x')",
        "INSERT INTO t (id, u) VALUES (3, 'AB')",
        "INSERT INTO t (id, u) VALUES (4, 'ab')",
        "INSERT INTO t (id, k) VALUES (5, DEFAULT)",
        "INSERT INTO t (id, k) VALUES (6, NULL)",
    )


def case_a_default_for_a_generated_column(t: Recorder) -> None:
    summed(t, properties=DEFAULTS)
    after(
        t,
        "ALTER TABLE t ALTER COLUMN c SET DEFAULT 5",
        "ALTER TABLE t ALTER COLUMN c DROP DEFAULT",
        "INSERT INTO t (a, b) VALUES (1, 2)",
        "INSERT INTO t VALUES (1, 2, DEFAULT)",
    )
    t.log("t", 1)


def case_default_of_another_type(t: Recorder) -> None:
    generated_table(t, "id INT", "n BIGINT", "m BIGINT := n + id", properties=DEFAULTS)
    t.sql("ALTER TABLE t ALTER COLUMN n SET DEFAULT '12'")
    t.sql("ALTER TABLE t ALTER COLUMN n SET DEFAULT 12")
    after(t, "INSERT INTO t (id) VALUES (1)", "INSERT INTO t (id, m) VALUES (2, 14)")
    t.sql("ALTER TABLE t ALTER COLUMN n DROP DEFAULT")
    after(t, "INSERT INTO t (id) VALUES (3)")


def case_nulls_refused_for_what_is_left_out(t: Recorder) -> None:
    summed(t, properties=DEFAULTS)
    t.sql("ALTER TABLE t ALTER COLUMN b SET DEFAULT 40")
    t.conf("spark.sql.defaultColumn.useNullsForMissingDefaultValues", "false")
    after(
        t,
        "INSERT INTO t (a) VALUES (1)",
        "INSERT INTO t (b) VALUES (2)",
        "INSERT INTO t (a, b) VALUES (3, 4)",
        "INSERT INTO t VALUES (5)",
        "INSERT INTO t VALUES (6, 7)",
        "INSERT INTO t VALUES (6, 7, DEFAULT)",
    )
    save_table(t, "frame", t.spark.sql("SELECT 8 AS a"), "append")
    save_table(t, "frame without", t.spark.sql("SELECT 8 AS b"), "append")
    t.sql("SELECT * FROM t")


def case_partition_clause_beside_defaults(t: Recorder) -> None:
    generated_table(
        t,
        "id INT",
        "n INT",
        "p INT := n % 10",
        by="p",
        properties=DEFAULTS,
    )
    t.sql("ALTER TABLE t ALTER COLUMN n SET DEFAULT 42")
    after(
        t,
        "INSERT INTO t (id) VALUES (1)",
        "INSERT INTO t PARTITION (p = 2) (id) VALUES (2)",
        "INSERT INTO t PARTITION (p = 3) (id) VALUES (3)",
        "INSERT INTO t PARTITION (p = 2) VALUES (4, DEFAULT)",
        "INSERT INTO t PARTITION (p = 5) (id, n) VALUES (5, 25)",
    )


def case_columns_added_beside(t: Recorder) -> None:
    summed(t, properties=DEFAULTS)
    after(
        t,
        "INSERT INTO t (a, b) VALUES (1, 2)",
        "ALTER TABLE t ADD COLUMN n INT",
        "ALTER TABLE t ALTER COLUMN n SET DEFAULT 9",
        "INSERT INTO t (a, b) VALUES (3, 4)",
        "INSERT INTO t VALUES (5, 6)",
        "INSERT INTO t VALUES (5, 6, 11)",
        "INSERT INTO t VALUES (5, 6, DEFAULT, DEFAULT)",
    )
