"""Constraints while the schema of the table changes, or the table itself, by the same write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.saving import refusal

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tests.parity.recorder import Recorder

DEFAULTS = "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"


def _rows(t: Recorder, values: str, columns: str = "id, p") -> DataFrame:
    return t.spark.sql(f"SELECT * FROM VALUES {values} AS x({columns})")


def _append(t: Recorder, label: str, frame: DataFrame, **options: str) -> None:
    to = frame.write.format("delta").mode("append").options(**options)
    t.attempt(label, lambda: to.saveAsTable("t"))


def _overwrite(t: Recorder, label: str, frame: DataFrame, *by: str, **options: str) -> None:
    to = frame.write.format("delta").mode("overwrite").options(**options)
    t.attempt(label, lambda: (to.partitionBy(*by) if by else to).saveAsTable("t"))


def case_columns_left_out(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id INT, p STRING, x INT DEFAULT 7, y INT) USING delta {DEFAULTS}")
    t.sql("ALTER TABLE t ADD CONSTRAINT xx CHECK (x > 5)")
    t.sql("ALTER TABLE t ADD CONSTRAINT yy CHECK (y IS NULL OR y > 5)")
    t.sql("INSERT INTO t (id) VALUES (1)")
    t.sql("INSERT INTO t (id, y) VALUES (2, 1)")
    t.sql("INSERT INTO t (id, x) VALUES (3, NULL)")
    t.sql("INSERT INTO t VALUES (4, 'a', DEFAULT, 6)")
    _append(t, "without x and y", _rows(t, "(5, 'a')"))
    t.sql("SELECT * FROM t ORDER BY id")


def case_partition_columns(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.sql("ALTER TABLE t ADD CONSTRAINT pp CHECK (p <> 'x')")
    for value in ("''", "NULL", "'x'", "'y'"):
        refusal(t, value, lambda v=value: t.spark.sql(f"INSERT INTO t VALUES (1, {v})"))
    t.sql("INSERT INTO t SELECT id, CAST(id AS STRING) FROM range(0, 4, 1, 2)")
    t.sql("SELECT * FROM t ORDER BY p")


def case_merge_schema(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT big CHECK (id > 5)")
    _append(t, "bad", _rows(t, "(1, 'a', 1)", "id, p, z"), mergeSchema="true")
    _append(t, "good", _rows(t, "(6, 'a', 1)", "id, p, z"), mergeSchema="true")
    _append(t, "bad again", _rows(t, "(1, 'a', 1)", "id, p, z"))
    t.sql("ALTER TABLE t ADD CONSTRAINT zz CHECK (z IS NULL OR z > 0)")
    _append(t, "bad z", _rows(t, "(7, 'a', 0)", "id, p, z"))
    _append(t, "no z", _rows(t, "(7, 'a')"))
    t.sql("SELECT * FROM t ORDER BY id")


def case_overwrite_schema(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING, x INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT xx CHECK (x > 5)")
    t.sql("INSERT INTO t VALUES (1, 'a', 10)")
    _overwrite(t, "without x", _rows(t, "(1, 'a')"), overwriteSchema="true")
    _overwrite(t, "bad x", _rows(t, "(1, 5)", "id, x"), overwriteSchema="true")
    _overwrite(t, "text x", _rows(t, "(1, 'z')", "id, x"), overwriteSchema="true")
    t.sql("SELECT * FROM t")
    _overwrite(t, "good x", _rows(t, "(1, 6, 'new')", "id, x, n"), overwriteSchema="true")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("INSERT INTO t VALUES (2, 5, 'new')")
    t.sql("SELECT * FROM t")


def case_overwrite_schema_where_null_is_right(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, x INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT xx CHECK (x IS NULL OR x > 5)")
    _overwrite(t, "without x", _rows(t, "(1, 'a')"), overwriteSchema="true")
    t.sql("SELECT * FROM t")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("INSERT INTO t VALUES (2, 'b')")
    t.sql("SELECT * FROM t ORDER BY id")


def case_ctas_with_constraints(t: Recorder) -> None:
    constraint = "TBLPROPERTIES ('delta.constraints.big' = 'id > 5')"
    t.sql(f"CREATE TABLE t USING delta {constraint} AS SELECT 1 AS id")
    t.sql(f"CREATE TABLE t USING delta {constraint} AS SELECT id FROM range(0, 10, 1, 2)")
    t.sql(f"CREATE TABLE t USING delta {constraint} AS SELECT 10 AS id")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("SELECT * FROM t")
    t.sql("SHOW TBLPROPERTIES t")


def case_replace_table(t: Recorder) -> None:
    constraint = "TBLPROPERTIES ('delta.constraints.big' = 'id > 5')"
    t.sql(f"CREATE TABLE t (id INT) USING delta {constraint}")
    t.sql("INSERT INTO t VALUES (10)")
    t.sql(f"CREATE OR REPLACE TABLE t USING delta {constraint} AS SELECT 1 AS id")
    t.sql("SELECT * FROM t")
    t.sql("CREATE OR REPLACE TABLE t USING delta AS SELECT 1 AS id")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("INSERT INTO t VALUES (2)")
    t.sql(f"REPLACE TABLE t (id INT, v STRING) USING delta {constraint}")
    t.sql("INSERT INTO t VALUES (2, 'a')")
    t.sql("SELECT * FROM t")


def case_save_as_table_overwrites(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT big CHECK (id > 5)")
    t.sql("INSERT INTO t VALUES (10)")
    _overwrite(t, "bad", _rows(t, "(1)", "id"))
    _overwrite(t, "good", _rows(t, "(11)", "id"))
    t.attempt("create", lambda: _rows(t, "(1)", "id").writeTo("t").using("delta").createOrReplace())
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("SELECT * FROM t")


def case_replace_where(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, c INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT cc CHECK (c > 1)")
    t.sql("INSERT INTO t VALUES (1, 5), (2, 5)")
    _overwrite(t, "good", _rows(t, "(1, 6)", "id, c"), replaceWhere="id = 1")
    _overwrite(t, "elsewhere", _rows(t, "(2, 6)", "id, c"), replaceWhere="id = 1")
    _overwrite(t, "null", _rows(t, "(NULL, 6)", "id, c"), replaceWhere="id = 1")
    t.sql("INSERT INTO t REPLACE WHERE id = 1 VALUES (2, 6)")
    t.sql("SELECT * FROM t ORDER BY id, c")


def case_replace_where_and_constraint(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, c INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT cc CHECK (c > 1)")
    t.sql("INSERT INTO t VALUES (1, 5), (2, 5)")
    _overwrite(t, "constraint", _rows(t, "(1, 0)", "id, c"), replaceWhere="id = 1")
    _overwrite(t, "both", _rows(t, "(2, 0)", "id, c"), replaceWhere="id = 1")
    t.sql("SELECT * FROM t ORDER BY id, c")


def case_replace_on_and_using(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, c INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT cc CHECK (c > 1)")
    t.sql("INSERT INTO t VALUES (1, 5), (2, 5)")
    for name, values in (("bad", "(1, 0)"), ("good", "(1, 9)")):
        _overwrite(t, f"{name} using", _rows(t, values, "id, c"), replaceUsing="id")
    t.sql("SELECT * FROM t ORDER BY id, c")


def case_views_and_temporary_views(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT big CHECK (id > 5)")
    t.sql("CREATE TEMPORARY VIEW source AS SELECT CAST(id AS INT) AS id FROM range(0, 3)")
    t.sql("INSERT INTO t SELECT * FROM source")
    t.sql("INSERT INTO t SELECT id + 6 FROM source")
    t.sql("SELECT * FROM t ORDER BY id")


def case_restored_rules(t: Recorder) -> None:
    """A constraint dropped and added again counts from then on."""
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t ADD CONSTRAINT big CHECK (id > 5)")
    t.sql("ALTER TABLE t DROP CONSTRAINT big")
    t.sql("INSERT INTO t VALUES (6)")
    t.sql("ALTER TABLE t ADD CONSTRAINT BIG CHECK (id > 4)")
    t.sql("INSERT INTO t VALUES (4)")
    t.sql("INSERT INTO t VALUES (5)")
    t.sql("SELECT * FROM t ORDER BY id")
