"""OPTIMIZE: small files of a partition become one; what is said of it, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.parity.changing import (
    FEED,
    MAPPED,
    THREE_AND_TWO,
    TRACKED,
    VECTORS,
    make,
    put,
    versions,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, Row

    from tests.parity.recorder import Recorder

PARTED = "id INT, v STRING, p STRING"
PARTED_ROWS = (
    "(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y')",
    "(4, 'd', 'y'), (5, 'e', NULL), (6, 'f', NULL)",
    "(7, 'g', 'x'), (8, 'h', NULL), (9, 'i', 'z')",
)
SIZES = {"min", "max", "avg", "totalSize", "size"}
OF_THE_SESSION = {"startTimeMs", "totalClusterParallelism"}


def optimize(t: Recorder, clauses: str = "", table: str = "t") -> None:
    """Optimize a table; show what the statement says, without sizes and times."""
    text = f"OPTIMIZE {table} {clauses}".strip()
    shown(t, text, lambda: t.spark.sql(text))


def shown(t: Recorder, label: str, act: Callable[[], DataFrame]) -> None:
    """Show the row that an OPTIMIZE answers with."""
    t.rows(label, lambda: list(map(_line, act().collect())))


def _line(row: Row) -> str:
    found = row.asDict(recursive=True)
    return f"{found['path']} {_shown(found['metrics'])}"


def _shown(metrics: dict[str, Any]) -> dict[str, Any]:
    return {key: _value(key, value) for key, value in metrics.items()}


def _value(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        return _shown(value)
    if key in OF_THE_SESSION or (key in SIZES and value):
        return "<n>"
    return value


def files(t: Recorder, table: str = "t") -> None:
    """Show the rows, the versions, and in how many files the rows lie."""
    t.sql(f"SELECT * FROM {table}")
    t.value("files", lambda: t.spark.sql(f"DESCRIBE DETAIL {table}").first()["numFiles"])
    versions(t, table)


def case_small_files_become_one(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    optimize(t)
    files(t)
    t.history("t")
    t.log("t", 3)
    optimize(t)
    versions(t)
    t.sql("SELECT * FROM t VERSION AS OF 2")


def case_columns_of_the_answer(t: Recorder) -> None:
    make(t, "(1, 'a')")
    t.rows("schema", lambda: t.spark.sql("OPTIMIZE t").schema.simpleString().split(","))


def case_empty_table(t: Recorder) -> None:
    make(t)
    optimize(t)
    versions(t)


def case_partitions(t: Recorder) -> None:
    make(t, *PARTED_ROWS, columns=PARTED, by="p")
    optimize(t, "WHERE p = 'x'")
    files(t)
    optimize(t, "WHERE p = 'x'")
    optimize(t, "WHERE p IS NULL")
    files(t)
    optimize(t)
    files(t)
    t.log("t", 4)
    t.history("t")


def case_partitions_by_conditions(t: Recorder) -> None:
    make(t, *PARTED_ROWS, columns=PARTED, by="p")
    optimize(t, "WHERE p IN ('x', 'z') OR p IS NULL")
    optimize(t, "WHERE p = 'nope'")
    optimize(t, "WHERE P = 'y'")
    optimize(t, "WHERE (p = 'y') AND true -- all of it")
    optimize(t, "WHERE id = 1")
    optimize(t, "WHERE p = 'x' AND id = 1")
    optimize(t, "WHERE p = (SELECT 'x')")
    optimize(t, "WHERE p IN (SELECT id FROM t)")
    optimize(t, "WHERE p = ")
    optimize(t, "WHERE p = 'x' AND")
    optimize(t, "WHERE")
    versions(t)


def case_condition_on_an_unpartitioned_table(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    optimize(t, "WHERE id = 1")
    optimize(t, "WHERE true")
    versions(t)


def case_values_of_one_partition_written_in_two_ways(t: Recorder) -> None:
    make(t, columns="id INT, n INT", by="n")
    t.spark.sql("INSERT INTO t VALUES (1, 1)")
    t.spark.sql("INSERT INTO t VALUES (2, 1)")
    optimize(t)
    files(t)


def case_deletion_vectors(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b'), (3, 'c')", "(4, 'd'), (5, 'e')", properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 2")
    optimize(t)
    files(t)
    t.history("t")
    t.log("t", 4)


def case_lone_file_with_deleted_rows_stays(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b'), (3, 'c')", properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 2")
    optimize(t)
    versions(t)


def case_large_files_with_many_deleted_rows(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b'), (3, 'c')", "(4, 'd'), (5, 'e')", "(6, 'f')", properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id IN (2, 4)")
    t.conf("spark.databricks.delta.optimize.minFileSize", "1")
    optimize(t)
    files(t)


def case_deleted_rows_of_a_ratio(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b'), (3, 'c')", "(4, 'd'), (5, 'e')", "(6, 'f')", properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id IN (2, 4)")
    t.conf("spark.databricks.delta.optimize.minFileSize", "1")
    t.conf("spark.databricks.delta.optimize.maxDeletedRowsRatio", "0.4")
    optimize(t)
    files(t)


def case_files_that_are_large_enough(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.conf("spark.databricks.delta.optimize.minFileSize", "10")
    optimize(t)
    versions(t)


def case_bins_of_a_size(t: Recorder) -> None:
    make(t, "(1, 'a')", "(2, 'b')", "(3, 'c')", "(4, 'd')", "(5, 'e')")
    t.conf("spark.databricks.delta.optimize.maxFileSize", "1600")
    optimize(t)
    files(t)


def case_batches(t: Recorder) -> None:
    make(t, *PARTED_ROWS, columns=PARTED, by="p")
    t.conf("spark.databricks.delta.optimize.batchSize", "1")
    optimize(t)
    files(t)
    t.history("t")


def case_shuffled_to_one_task(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    t.conf("spark.databricks.delta.optimize.repartition.enabled", "true")
    optimize(t)
    files(t)


def case_row_ids_stay(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=TRACKED)
    optimize(t)
    t.sql("SELECT id, _metadata.row_id, _metadata.row_commit_version FROM t")
    t.log("t", 3)


def case_mapped_columns(t: Recorder) -> None:
    make(t, *PARTED_ROWS, columns=PARTED, by="p", properties=MAPPED)
    t.spark.sql("ALTER TABLE t RENAME COLUMN p TO q")
    t.spark.sql("ALTER TABLE t DROP COLUMN v")
    optimize(t, "WHERE q = 'x'")
    optimize(t, "WHERE p = 'x'")
    optimize(t)
    files(t)


def case_no_changes_are_told(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=FEED)
    optimize(t)
    t.sql("SELECT id, _change_type, _commit_version FROM table_changes('t', 1)")


def case_append_only_table(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={"delta.appendOnly": "true"})
    optimize(t)
    files(t)


def case_generated_and_checked_columns(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id INT, v STRING) USING delta")
    t.spark.sql("ALTER TABLE t ADD CONSTRAINT positive CHECK (id > 0)")
    put(t, "(1, 'a')")
    put(t, "(2, 'b')")
    optimize(t)
    files(t)


def case_older_columns(t: Recorder) -> None:
    make(t, "(1, 'a')")
    t.spark.sql("ALTER TABLE t ADD COLUMN w INT")
    put(t, "(2, 'b', 7)")
    optimize(t)
    files(t)


def case_forms_of_the_target(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    put(t, "(6, 'f')")
    optimize(t, table=f"delta.`{t.place('t')}`")
    put(t, "(7, 'g')")
    optimize(t, table=f"'{t.place('t')}'")
    put(t, "(8, 'h')")
    shown(t, "optimize in small letters", lambda: t.spark.sql("  optimize t ;"))
    versions(t)


def case_what_is_no_table(t: Recorder) -> None:
    make(t, "(1, 'a')")
    t.spark.sql("CREATE VIEW w AS SELECT * FROM t")
    t.spark.sql("CREATE TEMPORARY VIEW tw AS SELECT 1 AS id")
    t.spark.sql("CREATE TABLE p (id INT) USING parquet")
    optimize(t, table="w")
    optimize(t, table="tw")
    optimize(t, table="p")
    optimize(t, table="nope")
    optimize(t, table=f"delta.`{t.folder('none')}`")
    optimize(t, table=f"'{t.folder('none')}'")


def case_misspelled(t: Recorder) -> None:
    make(t, "(1, 'a')")
    t.sql("OPTIMIZE")
    t.sql("OPTIMIZE t FULL FULL")
    t.sql("OPTIMIZE t ZORDER")
    t.sql("OPTIMIZE t ZORDER BY")
    t.sql("OPTIMIZE t ZORDER BY ()")
    t.sql("OPTIMIZE t ZORDER BY (id, )")
    t.sql("OPTIMIZE t ZORDER BY (id")
    t.sql("OPTIMIZE t ZORDER BY (id) WHERE true")
    t.sql("OPTIMIZE TABLE t")
    t.sql("OPTIMIZE t more")


def case_full_of_a_table_without_clustering(t: Recorder) -> None:
    make(t, *THREE_AND_TWO)
    optimize(t, "FULL")
    versions(t)


def case_z_order_that_is_refused(t: Recorder) -> None:
    properties = {"delta.dataSkippingNumIndexedCols": "1"}
    make(t, *PARTED_ROWS, columns=PARTED, by="p", properties=properties)
    optimize(t, "ZORDER BY (p)")
    optimize(t, "ZORDER BY (P)")
    optimize(t, "ZORDER BY (nope)")
    optimize(t, "ZORDER BY (id.x)")
    optimize(t, "ZORDER BY (id, nope, p)")
    optimize(t, "ZORDER BY (v)")
    optimize(t, "ZORDER BY id, v")
    optimize(t, "WHERE id = 1 ZORDER BY (nope)")
    versions(t)


def case_clustered_table_refuses(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE t (id INT, v STRING) USING delta CLUSTER BY (id)")
    put(t, "(1, 'a')")
    optimize(t, "WHERE id = 1")
    optimize(t, "ZORDER BY (v)")
    t.spark.sql("ALTER TABLE t CLUSTER BY NONE")
    optimize(t, "WHERE id = 1")
    optimize(t, "ZORDER BY (v)")
    optimize(t, "FULL")
    put(t, "(2, 'b')")
    optimize(t)
    files(t)
    t.history("t")


def case_builder(t: Recorder) -> None:
    make(t, *PARTED_ROWS, columns=PARTED, by="p")

    def start() -> Any:
        return t.tables.DeltaTable.forName(t.spark, "t").optimize()

    shown(t, "where", lambda: start().where("p = 'x'").executeCompaction())
    twice = ("p = 'y' OR p IS NULL", "p = 'y' OR p = 'x'")
    shown(t, "where twice", lambda: start().where(twice[0]).where(twice[1]).executeCompaction())
    t.history("t")
    shown(t, "all", lambda: start().executeCompaction())
    shown(t, "no columns", lambda: start().executeZOrderBy())
    shown(t, "data", lambda: start().where("id = 1").executeCompaction())
    shown(t, "no text", lambda: start().executeZOrderBy(1))
    versions(t)
