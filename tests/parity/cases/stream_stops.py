"""What stops a stream over a Delta table, and the options that let it go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.parity.streaming import Reading, insert, properties, table_of

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

A, B, C = "(1, 'a')", "(2, 'b')", "(3, 'c')"


def _each(t: Recorder, *choices: str, start: int = 1) -> None:
    """Run a fresh query from a version on without any option, and with each of some options."""
    Reading(t, "plain").run("no option", startingVersion=start)
    for name in choices:
        Reading(t, name).run(name, startingVersion=start, **{name: "true"})


def case_deleted_files(t: Recorder) -> None:
    table_of(t, A, B)
    t.sql("DELETE FROM t WHERE id = 1")
    insert(t, C)
    _each(t, "ignoreDeletes", "ignoreChanges", "skipChangeCommits", "ignoreFileDeletion")


def case_changed_rows(t: Recorder) -> None:
    table_of(t, A, B)
    t.sql("UPDATE t SET v = 'z' WHERE id = 1")
    insert(t, C)
    _each(t, "ignoreDeletes", "ignoreChanges", "skipChangeCommits")


def case_marked_rows(t: Recorder) -> None:
    t.sql(f"CREATE TABLE t (id BIGINT) USING delta {properties('enableDeletionVectors=true')}")
    t.spark.range(0, 4, 1, 1).write.format("delta").mode("append").saveAsTable("t")
    t.sql("DELETE FROM t WHERE id = 1")
    t.spark.range(4, 5, 1, 1).write.format("delta").mode("append").saveAsTable("t")
    _each(t, "ignoreDeletes", "ignoreChanges", "skipChangeCommits")


def case_merged_rows(t: Recorder) -> None:
    table_of(t, A, B)
    t.sql(
        "MERGE INTO t USING (SELECT 2L AS id, 'y' AS v UNION ALL SELECT 9L, 'n') s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    _each(t, "ignoreChanges", "skipChangeCommits", start=2)


def case_overwritten_and_restored(t: Recorder) -> None:
    table_of(t, A)
    t.sql("INSERT OVERWRITE t VALUES (5, 'e')")
    _each(t, "ignoreChanges", "skipChangeCommits", start=2)
    t.spark.sql("RESTORE TABLE t TO VERSION AS OF 1")
    Reading(t, "restored").run("restored", startingVersion=3)
    Reading(t, "skipped").run("skipped", startingVersion=3, skipChangeCommits="true")


def case_change_while_it_stands_still(t: Recorder) -> None:
    table_of(t, A, B)
    query = Reading(t)
    query.run("snapshot")
    t.sql("DELETE FROM t WHERE id = 1")
    query.run("deleted")
    query.run("with the option", ignoreDeletes="true")
    insert(t, C)
    query.run("one batch later", ignoreDeletes="true")


def case_added_column(t: Recorder) -> None:
    table_of(t, A)
    query = Reading(t)
    query.run("snapshot")
    t.sql("ALTER TABLE t ADD COLUMN w INT")
    insert(t, "(2, 'b', 3)")
    query.run("first start")
    query.run("second start")
    Reading(t, "fresh").run("from the start", startingVersion=0)


def case_replaced_table(t: Recorder) -> None:
    table_of(t, A)
    query = Reading(t)
    query.run("snapshot")
    t.sql("CREATE OR REPLACE TABLE t (id BIGINT, v STRING) USING delta")
    insert(t, B)
    query.run("replaced")
    t.sql("DROP TABLE t")
    table_of(t, C)
    query.run("dropped and created")


def case_renamed_and_dropped_columns(t: Recorder) -> None:
    table_of(t, A, more=properties("columnMapping.mode=name"))
    query = Reading(t)
    query.run("snapshot")
    t.sql("ALTER TABLE t RENAME COLUMN v TO w")
    insert(t, B)
    query.run("renamed")
    query.run("again")
    Reading(t, "fresh").run("fresh")
    Reading(t, "old").run("from before", startingVersion=1)
    t.conf(
        "spark.databricks.delta.streaming."
        "unsafeReadOnIncompatibleColumnMappingSchemaChanges.enabled",
        "true",
    )
    query.run("unsafe")


def case_mapping_switched_on(t: Recorder) -> None:
    table_of(t, A)
    query = Reading(t)
    query.run("snapshot")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    insert(t, B)
    query.run("mapped")
    t.sql("ALTER TABLE t DROP COLUMN v")
    t.spark.sql("INSERT INTO t VALUES (3)")
    query.run("dropped")


def case_widened_type(t: Recorder) -> None:
    table_of(t, "(1)", columns="id INT", more=properties("enableTypeWidening=true"))
    query = Reading(t)
    query.run("snapshot")
    t.sql("ALTER TABLE t ALTER COLUMN id TYPE BIGINT")
    insert(t, "(5000000000)")
    query.run("first start")
    query.run("second start")


def case_constraints_of_columns_dropped(t: Recorder) -> None:
    table_of(t, A, columns="id BIGINT NOT NULL, v STRING")
    query = Reading(t)
    query.run("snapshot")
    t.sql("ALTER TABLE t ALTER COLUMN id DROP NOT NULL")
    insert(t, B)
    query.run("first start")
    query.run("second start")
    t.sql("ALTER TABLE t ALTER COLUMN id COMMENT 'the key'")
    insert(t, C)
    query.run("comment")


def case_missing_commits(t: Recorder) -> None:
    table_of(t, A, B, C)
    query = Reading(t)
    query.run("to the end")
    insert(t, "(4, 'd')", "(5, 'e')", "(6, 'f')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointInterval' = '1')")
    insert(t, "(7, 'g')")
    for version in (4, 5):
        (t.place("t") / "_delta_log" / f"{version:020}.json").unlink()
        (t.place("t") / "_delta_log" / f"{version:020}.crc").unlink(missing_ok=True)
    query.run("gone")
    query.run("allowed", failOnDataLoss="false")


def case_missing_data_file(t: Recorder) -> None:
    table_of(t, A)
    query = Reading(t)
    for file in t.place("t").glob("*.parquet"):
        file.unlink()
    query.run("gone")
