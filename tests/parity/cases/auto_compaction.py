"""Auto compaction: the OPTIMIZE that follows a write."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.changing import VECTORS, make, put

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

AUTO = {"delta.autoOptimize.autoCompact": "true"}
ENABLED = "spark.databricks.delta.autoCompact.enabled"
LEAST = "spark.databricks.delta.autoCompact.minNumFiles"


def _append(t: Recorder, first: int, files: int = 2, table: str = "t") -> None:
    rows = t.spark.range(first, first + files, 1, files).selectExpr("cast(id AS INT) id", "'a' v")
    rows.write.format("delta").mode("append").saveAsTable(table)


def _outcome(t: Recorder, table: str = "t") -> None:
    """Show what was done, and in how many files the rows lie."""
    t.sql(f"SELECT * FROM {table}")
    t.value("files", lambda: t.spark.sql(f"DESCRIBE DETAIL {table}").first()["numFiles"])
    text = f"DESCRIBE HISTORY {table}"
    t.rows(
        "operations",
        lambda: [
            f"{row.version} {row.operation} {row.operationParameters.get('auto')}"
            for row in t.spark.sql(text).collect()
        ],
    )


def case_first_write_of_two_files_is_compacted(t: Recorder) -> None:
    make(t, properties=AUTO)
    _append(t, 0)
    _outcome(t)
    _append(t, 10)
    _outcome(t)
    t.history("t")


def case_first_write_of_one_file_uses_the_turn_up(t: Recorder) -> None:
    make(t, "(1, 'a')", properties=AUTO)
    _append(t, 10)
    _outcome(t)


def case_enough_files(t: Recorder) -> None:
    make(t, "(1, 'a')", properties=AUTO)
    t.conf(LEAST, "4")
    _append(t, 10)
    _outcome(t)
    _append(t, 20)
    _outcome(t)
    _append(t, 30, 4)
    _outcome(t)


def case_old_name_of_the_property(t: Recorder) -> None:
    make(t, properties={"delta.autoOptimize": "true"})
    _append(t, 0)
    _outcome(t)


def case_session_before_table(t: Recorder) -> None:
    make(t, properties=AUTO)
    t.conf(ENABLED, "false")
    _append(t, 0)
    _outcome(t)
    t.spark.sql("CREATE TABLE u (id INT, v STRING) USING delta")
    t.conf(ENABLED, "true")
    _append(t, 0, table="u")
    _outcome(t, "u")


def case_partitions_of_the_write(t: Recorder) -> None:
    make(t, columns="id INT, p STRING", by="p")
    put(t, "(1, 'x'), (2, 'y'), (3, 'z')")
    put(t, "(4, 'x'), (5, 'y'), (6, 'z')")
    t.conf(ENABLED, "true")
    put(t, "(7, 'x'), (8, 'y')")
    _outcome(t)
    put(t, "(9, 'z')")
    _outcome(t)


def case_sizes(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')", "(3, 'c')")
    t.conf(ENABLED, "true")
    t.conf("spark.databricks.delta.autoCompact.minFileSize", "1")
    put(t, "(4, 'd')")
    _outcome(t)


def case_changes_of_rows(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b')", "(3, 'c'), (4, 'd')", properties=VECTORS)
    t.conf(ENABLED, "true")
    t.spark.sql("UPDATE t SET v = 'x' WHERE id = 1")
    _outcome(t)
    t.spark.sql("DELETE FROM t WHERE id = 3")
    _outcome(t)


def case_statements_that_rewrite(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b')", "(3, 'c'), (4, 'd')")
    t.conf(ENABLED, "true")
    t.spark.sql("OPTIMIZE t")
    _outcome(t)
    t.spark.sql("ALTER TABLE t ADD COLUMN w INT")
    _outcome(t)
