"""REORG TABLE ... APPLY (PURGE): files are written anew without what is deleted from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.cases.optimize import files, shown
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
    from tests.parity.recorder import Recorder

PARTED = "id INT, v STRING, p STRING"
PARTED_ROWS = (
    "(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', 'y'), (5, 'e', NULL), (6, 'f', NULL)"
)


def purge(t: Recorder, clauses: str = "APPLY (PURGE)", table: str = "t") -> None:
    """Purge a table; show what the statement says, without sizes and times."""
    text = f"REORG TABLE {table} {clauses}"
    shown(t, text, lambda: t.spark.sql(text))


def case_purge_of_vectors(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 2")
    t.show("columns", lambda: t.spark.sql("REORG TABLE t APPLY (PURGE)").select("metrics.numBins"))
    files(t)
    t.history("t")
    t.log("t", 4)
    purge(t)
    versions(t)
    t.sql("SELECT * FROM t VERSION AS OF 3")
    t.sql("SELECT * FROM t VERSION AS OF 2")


def case_purge_tells_its_columns(t: Recorder) -> None:
    make(t, "(1, 'a')")
    text = "REORG TABLE t APPLY (PURGE)"
    t.rows("schema", lambda: t.spark.sql(text).schema.simpleString().split(","))


def case_purge_of_one_file(t: Recorder) -> None:
    make(t, "(1, 'a'), (2, 'b'), (3, 'c')", properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 2")
    purge(t)
    files(t)
    t.log("t", 3)


def case_purge_of_several_files(t: Recorder) -> None:
    make(t, *(f"({n}, 'a'), ({n + 100}, 'b')" for n in range(5)), properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id IN (1, 102, 3)")
    purge(t)
    files(t)
    t.log("t", 7)


def case_purge_of_several_bins(t: Recorder) -> None:
    t.conf("spark.databricks.delta.optimize.maxFileSize", "1500")
    make(t, *(f"({n}, 'a'), ({n + 100}, 'b')" for n in range(5)), properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id > 99")
    purge(t)
    files(t)
    t.history("t")


def case_purge_of_files_with_nothing_to_purge(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    purge(t)
    make(t, *THREE_AND_TWO, table="plain")
    purge(t, table="plain")
    versions(t)
    versions(t, "plain")
    t.spark.sql("CREATE TABLE nothing (id INT) USING delta")
    purge(t, table="nothing")
    versions(t, "nothing")


def case_purge_partitions(t: Recorder) -> None:
    make(t, PARTED_ROWS, columns=PARTED, by="p", properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id IN (2, 4, 6)")
    purge(t, "WHERE p = 'x' APPLY (PURGE)")
    t.log("t", 3)
    purge(t, "WHERE p = 'none' APPLY (PURGE)")
    purge(t, "WHERE p IS NULL OR p = 'x' APPLY (PURGE)")
    files(t)
    purge(t)
    files(t)
    t.history("t")


def case_purge_files_of_partitions(t: Recorder) -> None:
    rows = ("(1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y'), (4, 'd', 'y')",)
    make(t, *rows, *rows, *rows, columns=PARTED, by="p", properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id IN (2, 3)")
    put(t, "(9, 'new', 'x')")
    purge(t)
    files(t)
    t.log("t", 6)


def case_purge_by_conditions(t: Recorder) -> None:
    make(t, PARTED_ROWS, columns=PARTED, by="p", properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id IN (2, 4, 6)")
    purge(t, "WHERE id = 1 APPLY (PURGE)")
    purge(t, "WHERE p = 'x' AND id = 1 APPLY (PURGE)")
    purge(t, "WHERE nope = 1 APPLY (PURGE)")
    purge(t, "WHERE p = APPLY (PURGE)")
    purge(t, "WHERE APPLY (PURGE)")
    purge(t, "WHERE p IN (SELECT 'x') APPLY (PURGE)")
    purge(t, "WHERE rand() < 2 APPLY (PURGE)")
    purge(t, "WHERE false APPLY (PURGE)")
    purge(t, "WHERE upper(p) LIKE 'X%' APPLY (PURGE)")
    purge(t, "WHERE P = 'y' APPLY (PURGE)")
    purge(t, "WHERE true APPLY (PURGE)")
    t.history("t")


def case_purge_by_condition_without_partitions(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 2")
    purge(t, "WHERE id = 1 APPLY (PURGE)")
    purge(t, "WHERE true APPLY (PURGE)")
    versions(t)


def case_purge_by_path(t: Recorder) -> None:
    place = f"delta.`{t.path}`"
    make(t, *THREE_AND_TWO, properties=VECTORS, table=place)
    t.spark.sql(f"DELETE FROM {place} WHERE id = 2")
    purge(t, table=f"'{t.path}'")
    purge(t, table=place)
    files(t, place)


def case_purge_of_what_is_no_table(t: Recorder) -> None:
    t.spark.sql("CREATE TABLE p (id INT) USING parquet")
    t.spark.sql("CREATE TABLE d (id INT) USING delta")
    t.spark.sql("CREATE VIEW v AS SELECT * FROM d")
    t.spark.sql("CREATE TEMPORARY VIEW tv AS SELECT * FROM d")
    purge(t, table="nothing")
    purge(t, table="no_schema.nothing")
    purge(t, table="p")
    purge(t, table="v")
    purge(t, table="tv")
    purge(t, table=f"delta.`{t.folder('none')}`")
    purge(t, table=f"parquet.`{t.place('p')}`")
    purge(t, table="spark_catalog.default.d.x.y")


def case_purge_in_any_letters(t: Recorder) -> None:
    make(t, "(1, 'a')")
    purge(t, "apply (purge)")
    purge(t, "Apply /* it */ ( Purge ) ;")
    purge(t, "-- all of it\n APPLY\t(PURGE)")
    purge(t, table=f"{t.schema}.t")
    purge(t, table="spark_catalog.`" + t.schema + "` . `t`")
    shown(t, "reorg table", lambda: t.spark.sql("  reorg table t apply(purge)"))


def case_purge_misspelled(t: Recorder) -> None:
    make(t, "(1, 'a')")
    purge(t, "APPLY (VACUUM)")
    purge(t, "APPLY PURGE")
    purge(t, "APPLY ()")
    purge(t, "APPLY")
    purge(t, "")
    purge(t, "PURGE")
    purge(t, "APPLY (PURGE) more")
    purge(t, "APPLY (PURGE, PURGE)")
    purge(t, "APPLY (PURGE) WHERE true")
    t.sql("REORG t APPLY (PURGE)")
    t.sql("REORG TABLE APPLY (PURGE)")
    t.sql("REORG")


def case_purge_of_dropped_columns(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=MAPPED)
    t.spark.sql("ALTER TABLE t DROP COLUMN v")
    put(t, "(6)")
    purge(t)
    files(t)
    t.log("t", 6)
    purge(t)
    versions(t)


def case_purge_of_dropped_fields(t: Recorder) -> None:
    columns = "id INT, s STRUCT<a: INT, b: INT>, l ARRAY<STRUCT<a: INT, b: INT>>"
    rows = "(1, named_struct('a', 1, 'b', 2), array(named_struct('a', 1, 'b', 2)))"
    make(t, rows, columns=columns, properties=MAPPED)
    t.spark.sql("ALTER TABLE t DROP COLUMN s.b")
    purge(t)
    files(t)
    t.spark.sql("ALTER TABLE t DROP COLUMN l.element.a")
    purge(t)
    files(t)
    purge(t)


def case_purge_of_dropped_columns_with_other_changes(t: Recorder) -> None:
    make(t, PARTED_ROWS, columns=PARTED, by="p", properties={**MAPPED, **VECTORS})
    t.spark.sql("ALTER TABLE t RENAME COLUMN v TO w")
    purge(t)
    t.spark.sql("ALTER TABLE t ADD COLUMN n INT")
    purge(t)
    t.spark.sql("ALTER TABLE t DROP COLUMN n")
    purge(t)
    t.spark.sql("DELETE FROM t WHERE id = 2")
    t.spark.sql("ALTER TABLE t DROP COLUMN w")
    purge(t, "WHERE p = 'x' APPLY (PURGE)")
    purge(t, "WHERE p = 'y' APPLY (PURGE)")
    files(t)
    t.history("t")


def case_purge_of_files_without_columns_mapped_by_id(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={"delta.columnMapping.mode": "id"})
    purge(t)
    t.spark.sql("ALTER TABLE t DROP COLUMN v")
    purge(t)
    files(t)


def case_purge_of_widened_types(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={"delta.enableTypeWidening": "true"})
    t.spark.sql("ALTER TABLE t ALTER COLUMN id TYPE BIGINT")
    purge(t)
    versions(t)


def case_purge_of_an_append_only_table(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 2")
    t.spark.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = 'true')")
    purge(t)
    files(t)


def case_purge_keeps_row_ids(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={**VECTORS, **TRACKED})
    t.spark.sql("DELETE FROM t WHERE id = 2")
    ids = "SELECT id, _metadata.row_id AS r, _metadata.row_commit_version AS c FROM t"
    t.sql(ids)
    purge(t)
    t.sql(ids)
    t.log("t", 4)


def case_purge_tells_no_changes(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties={**VECTORS, **FEED})
    t.spark.sql("DELETE FROM t WHERE id = 2")
    purge(t)
    t.sql("SELECT * EXCEPT (_commit_timestamp) FROM table_changes('t', 3)")
    t.log("t", 4)


def case_purge_of_files_without_counts(t: Recorder) -> None:
    t.conf("spark.databricks.delta.stats.collect", "false")
    make(t, *THREE_AND_TWO, properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 2")
    purge(t)
    files(t)
    t.log("t", 4)


def case_purge_of_a_clustered_table(t: Recorder) -> None:
    t.spark.sql(
        "CREATE TABLE t (id INT, v STRING) USING delta CLUSTER BY (id)"
        " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    put(t, THREE_AND_TWO[0])
    put(t, THREE_AND_TWO[1])
    t.spark.sql("DELETE FROM t WHERE id = 2")
    purge(t)
    files(t)
    t.log("t", 4)
    purge(t, "WHERE id = 1 APPLY (PURGE)")


def case_purge_then_the_feature_can_go(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 2")
    t.spark.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')")
    purge(t)
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors")
    t.sql("SELECT * FROM t")


def case_purge_with_settings(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id = 2")
    t.conf("spark.databricks.delta.commitInfo.userMetadata", "by me")
    t.conf("spark.databricks.delta.history.metricsEnabled", "false")
    purge(t)
    t.history("t")


def case_purge_upgrades_uniform(t: Recorder) -> None:
    make(t, "(1, 'a')")
    purge(t, "APPLY (UPGRADE UNIFORM (ICEBERG_COMPAT_VERSION = 2))")
