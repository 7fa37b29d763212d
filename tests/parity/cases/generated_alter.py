"""Changes of base columns and of generated columns: refused, followed or harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.generating import MAPPED, after, dated, generated_table, summed
from tests.parity.saving import save_table

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder


def _alter(t: Recorder, *changes: str, table: str = "t") -> None:
    for change in changes:
        t.sql(f"ALTER TABLE {table} {change}")


def _told(t: Recorder, change: str) -> None:
    """Record what the error says of the columns."""

    def said() -> str:
        try:
            t.spark.sql(f"ALTER TABLE t {change}")
        except Exception as error:  # noqa: BLE001  # what it says is the observation
            parameters = error.getMessageParameters()  # type: ignore[attr-defined]
            return str(sorted((parameters or {}).items()))
        return "no error"

    t.value(f"told: {change}", said)


def case_base_column(t: Recorder) -> None:
    summed(t, properties=MAPPED)
    _alter(
        t,
        "RENAME COLUMN a TO x",
        "RENAME COLUMN B TO x",
        "DROP COLUMN a",
        "DROP COLUMNS (A, c)",
        "ALTER COLUMN a TYPE BIGINT",
        "ALTER COLUMN a TYPE INT",
    )
    _told(t, "RENAME COLUMN a TO x")
    _told(t, "DROP COLUMN A")
    _told(t, "ALTER COLUMN a TYPE BIGINT")
    _alter(
        t,
        "ALTER COLUMN a COMMENT 'base'",
        "ALTER COLUMN b FIRST",
        "ALTER COLUMN a AFTER c",
        "ALTER COLUMN a SET NOT NULL",
        "ALTER COLUMN a DROP NOT NULL",
    )
    after(t, "INSERT INTO t (a, b) VALUES (1, 2)", "INSERT INTO t VALUES (1, 3, 2)")
    t.history("t")


def case_base_column_without_mapping(t: Recorder) -> None:
    summed(t)
    _alter(
        t,
        "RENAME COLUMN a TO x",
        "DROP COLUMN a",
        "ALTER COLUMN a TYPE BIGINT",
        "ALTER COLUMN a COMMENT 'base'",
        "ALTER COLUMN b FIRST",
    )
    after(t, "INSERT INTO t (a, b) VALUES (1, 2)")
    t.log("t", 1)


def case_generated_column(t: Recorder) -> None:
    summed(t, properties=MAPPED)
    _alter(t, "ALTER COLUMN c COMMENT 'sum'", "ALTER COLUMN c FIRST", "ALTER COLUMN c TYPE BIGINT")
    after(t, "INSERT INTO t (a, b) VALUES (1, 2)", "INSERT INTO t VALUES (9, 1, 2)")
    _alter(t, "RENAME COLUMN c TO total")
    after(t, "INSERT INTO t (a, b) VALUES (3, 4)", "INSERT INTO t VALUES (9, 1, 2)")
    t.log("t", 1)
    _alter(t, "DROP COLUMN total")
    after(t, "INSERT INTO t VALUES (5, 6)")
    _alter(t, "RENAME COLUMN a TO x", "DROP COLUMN b")
    t.detail("t")


def case_generated_column_must_have_values(t: Recorder) -> None:
    summed(t)
    t.sql("INSERT INTO t (a, b) VALUES (1, NULL)")
    _alter(t, "ALTER COLUMN c SET NOT NULL")
    t.sql("INSERT OVERWRITE t (a, b) VALUES (1, 2)")
    _alter(t, "ALTER COLUMN c SET NOT NULL")
    after(t, "INSERT INTO t (a) VALUES (1)", "INSERT INTO t (a, b) VALUES (3, 4)")
    _alter(t, "ALTER COLUMN c DROP NOT NULL")
    after(t, "INSERT INTO t (a) VALUES (1)")


def case_fields_of_a_base_column(t: Recorder) -> None:
    generated_table(
        t,
        "s STRUCT<x: INT, y: INT, z: STRUCT<q: INT>>",
        "b INT",
        "c INT := s.x + s.z.q",
        properties=MAPPED,
    )
    _alter(
        t,
        "RENAME COLUMN s TO r",
        "RENAME COLUMN s.x TO r",
        "RENAME COLUMN s.z TO r",
        "DROP COLUMN s.x",
        "DROP COLUMN s",
        "DROP COLUMN s.z",
        "ALTER COLUMN s.z.q TYPE BIGINT",
        "ALTER COLUMN s.y TYPE BIGINT",
        "RENAME COLUMN s.y TO r",
        "ALTER COLUMN s.r FIRST",
        "ADD COLUMN s.n INT",
        "DROP COLUMN s.r",
        "DROP COLUMN b",
    )
    after(
        t,
        "INSERT INTO t (s) VALUES (named_struct('x', 1, 'z', named_struct('q', 2), 'n', 3))",
    )


def case_base_column_of_elements(t: Recorder) -> None:
    columns = ("l ARRAY<STRUCT<x: INT>>", "m MAP<STRING, INT>", "n INT")
    generated_table(t, *columns, "k INT := size(m)", "j INT := size(l)", properties=MAPPED)
    _alter(
        t,
        "RENAME COLUMN l TO x",
        "RENAME COLUMN m TO x",
        "RENAME COLUMN l.element.x TO y",
        "DROP COLUMN m",
        "ALTER COLUMN m.value TYPE BIGINT",
        "RENAME COLUMN n TO o",
    )
    after(t, "INSERT INTO t (l, m) VALUES (array(), map('k', 1))")


def case_fields_of_a_struct_that_is_read_whole(t: Recorder) -> None:
    def made(table: str, generated: str) -> None:
        t.attempt(
            table,
            lambda: generated_table(
                t, "s STRUCT<x: INT>", generated, table=table, properties=MAPPED
            ),
        )

    made("t", "g STRUCT<x: INT> := s")
    made("u", "g STRING := to_json(s)")
    made("v", "g INT := hash(s)")
    for table in ("t", "u", "v"):
        _alter(t, "ADD COLUMN s.n INT", "ALTER COLUMN s.x TYPE BIGINT", table=table)
        after(t, f"INSERT INTO {table} (s) VALUES (named_struct('x', 1, 'n', 2))", table=table)
        t.sql(f"INSERT INTO {table} (s) VALUES (named_struct('x', 1))")
    t.conf("spark.databricks.delta.schema.autoMerge.enabled", "true")
    for table in ("t", "u", "v"):
        grown = "SELECT named_struct('x', 1, 'n', 2, 'm', 3) AS s"
        after(t, f"INSERT INTO {table} (s) {grown}", table=table)


def case_partitioned_by_it(t: Recorder) -> None:
    dated(t, by="d", properties=MAPPED)
    t.sql("INSERT INTO t (id, ts) VALUES (1, TIMESTAMP'2024-03-01 12:00:00')")
    _alter(t, "DROP COLUMN d", "RENAME COLUMN ts TO time", "RENAME COLUMN d TO day")
    after(
        t,
        "INSERT INTO t (id, ts) VALUES (2, TIMESTAMP'2024-03-02 12:00:00')",
        "INSERT INTO t VALUES (3, TIMESTAMP'2024-03-02 12:00:00', DATE'2020-01-01')",
        "SELECT id FROM t WHERE ts < TIMESTAMP'2024-03-02 00:00:00'",
    )
    t.detail("t")


def case_constraints_that_name_it(t: Recorder) -> None:
    summed(t, properties=MAPPED)
    t.sql("INSERT INTO t (a, b) VALUES (1, 2), (3, 4)")
    _alter(
        t,
        "ADD CONSTRAINT tiny CHECK (c < 5)",
        "ADD CONSTRAINT small CHECK (c < 50)",
        "RENAME COLUMN c TO total",
        "RENAME COLUMN a TO x",
        "DROP COLUMN c",
    )
    _told(t, "RENAME COLUMN a TO x")
    _alter(
        t,
        "DROP CONSTRAINT small",
        "RENAME COLUMN c TO total",
        "ADD CONSTRAINT e CHECK (total = a + b)",
    )
    after(t, "INSERT INTO t (a, b) VALUES (100, 2)")
    _alter(t, "ADD CONSTRAINT base CHECK (a > 0)", "RENAME COLUMN a TO x")


def case_columns_added(t: Recorder) -> None:
    summed(t)
    _alter(
        t,
        "ADD COLUMN n INT",
        "ADD COLUMN z INT FIRST",
        "ADD COLUMN C INT",
        "ADD COLUMN m INT AFTER c",
    )
    after(
        t,
        "INSERT INTO t (a, b) VALUES (1, 2)",
        "INSERT INTO t VALUES (0, 1, 2, 3, 4, 5)",
        "INSERT INTO t VALUES (0, 1, 2)",
    )
    t.log("t", 1)


def case_columns_replaced(t: Recorder) -> None:
    summed(t)
    _alter(t, "REPLACE COLUMNS (a INT, b INT, c INT)")
    after(t, "INSERT INTO t (a, b) VALUES (1, 2)", "INSERT INTO t VALUES (1, 2, 4)")
    _alter(t, "REPLACE COLUMNS (a INT, b INT)", "REPLACE COLUMNS (a INT, b INT, c INT, e INT)")
    t.log("t", 1)


def case_widened_by_a_write(t: Recorder) -> None:
    generated_table(t, "a INT", "b INT", "c INT := a + 1", "e INT := b + 1", properties=MAPPED)
    t.conf("spark.databricks.delta.schema.autoMerge.enabled", "true")
    after(
        t,
        "INSERT INTO t (a, b) SELECT 5L, 6",
        "INSERT INTO t SELECT 5L AS a, 6 AS b, 6 AS c, 7 AS e",
        "INSERT INTO t SELECT 5 AS a, 6 AS b, 6L AS c, 7 AS e",
        "INSERT INTO t SELECT 5 AS a, 6 AS b, 6L AS c, 8L AS e",
        "INSERT INTO t BY NAME SELECT 3000000000 AS a, 6 AS b",
    )
    save_table(t, "frame", t.spark.sql("SELECT 5L AS a, 6 AS b"), "append")
    save_table(t, "frame of generated", t.spark.sql("SELECT 5 AS a, 6 AS b, 6L AS c"), "append")
    t.sql("SELECT * FROM t")


def case_mapping_turned_on(t: Recorder) -> None:
    summed(t)
    t.sql("INSERT INTO t (a, b) VALUES (1, 2)")
    _alter(t, "SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    _alter(t, "RENAME COLUMN c TO total", "RENAME COLUMN a TO x")
    after(t, "INSERT INTO t (a, b) VALUES (3, 4)", "INSERT INTO t VALUES (3, 4, 8)")


def case_generation_in_a_statement(t: Recorder) -> None:
    summed(t)
    _alter(
        t,
        "ADD COLUMN n INT GENERATED ALWAYS AS (a + 1)",
        "ALTER COLUMN b SET DEFAULT 1",
        "SET TBLPROPERTIES ('delta.minWriterVersion' = '3')",
        "DROP FEATURE generatedColumns",
    )
    t.detail("t")


def case_protocol_grows_around_it(t: Recorder) -> None:
    summed(t)
    t.detail("t")
    _alter(t, "SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    after(t, "INSERT INTO t (a, b) VALUES (1, 2)", "INSERT INTO t VALUES (1, 2, 4)")
    t.detail("t")
    summed(t, table="u", properties={"delta.feature.appendOnly": "supported"})
    t.detail("u")
