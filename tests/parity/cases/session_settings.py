"""Settings of the session that commands honour: spark.databricks.delta.*."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

DELTA = "spark.databricks.delta."


def log_names(t: Recorder, table: str, pattern: str) -> None:
    """Record the files of the log whose names match a pattern, without what varies."""
    log = t.place(table) / "_delta_log"
    t.rows(f"files {pattern}", lambda: sorted(p.name for p in log.glob(pattern)))


def case_user_metadata_of_the_session(t: Recorder) -> None:
    t.conf(DELTA + "commitInfo.userMetadata", "by the session")
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql(
        "ALTER TABLE t SET TBLPROPERTIES ('x' = 'y', 'delta.feature.domainMetadata' = 'supported')"
    )
    t.sql("ALTER TABLE t DROP FEATURE domainMetadata")
    t.attempt(
        "option wins",
        lambda: (
            t.spark.range(1)
            .selectExpr("int(id) id")
            .write.format("delta")
            .mode("append")
            .option("userMetadata", "by the write")
            .saveAsTable("t")
        ),
    )
    t.log("t")


def case_application_transactions_of_the_session(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.conf(DELTA + "write.txnAppId", "app")
    t.conf(DELTA + "write.txnVersion", "5")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("SELECT * FROM t")
    t.conf(DELTA + "write.txnVersion", "6")
    t.sql("INSERT OVERWRITE t VALUES (2)")
    t.attempt(
        "option wins",
        lambda: (
            t.spark.range(1)
            .selectExpr("int(id) id")
            .write.format("delta")
            .mode("append")
            .option("txnAppId", "other")
            .option("txnVersion", "1")
            .saveAsTable("t")
        ),
    )
    t.log("t", 1)
    t.sql("SELECT * FROM t ORDER BY id")


def case_application_transaction_half_said(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.conf(DELTA + "write.txnAppId", "app")
    t.sql("INSERT INTO t VALUES (1)")
    t.conf(DELTA + "write.txnAppId", "")
    t.conf(DELTA + "write.txnVersion", "3")
    t.sql("INSERT INTO t VALUES (1)")
    t.history("t")


def case_application_version_resets_itself(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.conf(DELTA + "write.txnAppId", "app")
    t.conf(DELTA + "write.txnVersion", "5")
    t.conf(DELTA + "write.txnVersion.autoReset.enabled", "true")
    t.sql("INSERT INTO t VALUES (1)")
    t.value("version", lambda: t.spark.conf.get(DELTA + "write.txnVersion", "0"))
    t.value("id", lambda: t.spark.conf.get(DELTA + "write.txnAppId", "none"))


def case_last_commit_of_the_session(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.value("after create", lambda: t.spark.conf.get(DELTA + "lastCommitVersionInSession", "none"))
    t.sql("INSERT INTO t VALUES (1)")
    t.value("after insert", lambda: t.spark.conf.get(DELTA + "lastCommitVersionInSession", "none"))
    t.sql("CREATE TABLE u USING delta AS SELECT 1 AS id")
    t.value("after ctas", lambda: t.spark.conf.get(DELTA + "lastCommitVersionInSession", "none"))


def case_history_without_metrics(t: Recorder) -> None:
    t.conf(DELTA + "history.metricsEnabled", "false")
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.log("t")
    t.history("t")


def case_checksum_files(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    log_names(t, "t", "0*.crc")
    t.conf(DELTA + "writeChecksumFile.enabled", "false")
    t.sql("INSERT INTO t VALUES (1)")
    log_names(t, "t", "0*.crc")


def case_checkpoint_part_size(t: Recorder) -> None:
    t.conf(DELTA + "checkpoint.partSize", "2")
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '4')")
    for n in range(4):
        t.sql(f"INSERT INTO t VALUES ({n})")
    log_names(t, "t", "0*.checkpoint*")
    t.sql("SELECT * FROM t ORDER BY id")


def case_checkpoint_top_level_format(t: Recorder) -> None:
    t.conf(DELTA + "checkpointV2.topLevelFileFormat", "parquet")
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.checkpointInterval' = '2',"
        " 'delta.checkpointPolicy' = 'v2')"
    )
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("INSERT INTO t VALUES (2)")
    t.rows(
        "formats",
        lambda: sorted(
            p.suffix
            for p in (t.place("t") / "_delta_log").glob("0*.checkpoint.*")
            if not p.name.startswith(".")
        ),
    )
    t.conf(DELTA + "checkpointV2.topLevelFileFormat", "json")
    t.sql("INSERT INTO t VALUES (3)")
    t.sql("INSERT INTO t VALUES (4)")
    t.rows(
        "formats",
        lambda: sorted(
            p.suffix
            for p in (t.place("t") / "_delta_log").glob("0*.checkpoint.*")
            if not p.name.startswith(".")
        ),
    )
    t.sql("SELECT * FROM t ORDER BY id")


def case_empty_schema_may_be_refused(t: Recorder) -> None:
    t.conf(DELTA + "createEmptySchemaTable.enabled", "false")
    t.sql("CREATE TABLE t USING delta")
    t.sql("SHOW TABLES")


def case_type_check_switched_off(t: Recorder) -> None:
    t.conf(DELTA + "constraints.allowUnenforcedNotNull.enabled", "true")
    t.sql("CREATE TABLE t (a ARRAY<STRUCT<x: INT NOT NULL>>) USING delta")
    t.log("t")


def case_identifiers_with_versions_switched_off(t: Recorder) -> None:
    t.sql(f"CREATE TABLE delta.`{t.path}` (id INT) USING delta")
    t.sql(f"INSERT INTO delta.`{t.path}` VALUES (1)")
    t.sql(f"SELECT * FROM delta.`{t.path}@v0`")
    t.conf(DELTA + "timeTravel.resolveOnIdentifier.enabled", "false")
    t.sql(f"SELECT * FROM delta.`{t.path}@v0`")
    t.show("load", lambda: t.spark.read.format("delta").load(f"{t.path}@v0"))


def case_dynamic_overwrite_switched_off(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    t.conf(DELTA + "dynamicPartitionOverwrite.enabled", "false")
    t.conf("spark.sql.sources.partitionOverwriteMode", "dynamic")
    t.sql("INSERT OVERWRITE t VALUES (3, 'a')")
    t.sql("SELECT * FROM t ORDER BY id")
    frame = t.spark.sql("SELECT 4 AS id, 'b' AS p")
    t.attempt(
        "option",
        lambda: (
            frame.write.format("delta")
            .mode("overwrite")
            .option("partitionOverwriteMode", "dynamic")
            .saveAsTable("t")
        ),
    )
    t.sql("SELECT * FROM t ORDER BY id")


def case_replace_where_without_a_check(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT, p STRING) USING delta PARTITIONED BY (p)")
    t.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    frame = t.spark.sql("SELECT 3 AS id, 'b' AS p")
    t.attempt(
        "checked",
        lambda: (
            frame.write.format("delta")
            .mode("overwrite")
            .option("replaceWhere", "p = 'a'")
            .saveAsTable("t")
        ),
    )
    t.conf(DELTA + "replaceWhere.constraintCheck.enabled", "false")
    t.attempt(
        "unchecked",
        lambda: (
            frame.write.format("delta")
            .mode("overwrite")
            .option("replaceWhere", "p = 'a'")
            .saveAsTable("t")
        ),
    )
    t.sql("SELECT * FROM t ORDER BY id")


def case_overwrites_without_removal_metrics(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.conf(DELTA + "insertOverwrite.removeMetrics.enabled", "false")
    t.sql("INSERT OVERWRITE t VALUES (2)")
    t.history("t")


def case_statistics_switched_off(t: Recorder) -> None:
    t.conf(DELTA + "stats.collect", "false")
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1), (2)")
    t.log("t", 1)
    t.sql("SELECT * FROM t ORDER BY id")


def case_commit_attempts(t: Recorder) -> None:
    t.conf(DELTA + "maxCommitAttempts", "1")
    t.conf(DELTA + "maxNonConflictCommitAttempts", "1")
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.history("t")


def case_replace_may_lower_the_protocol(t: Recorder) -> None:
    t.conf(DELTA + "replace.protocolDowngradeAllowed", "true")
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    t.sql("REPLACE TABLE t (id INT) USING delta")
    t.log("t", 1)


def case_unknown_settings_pass(t: Recorder) -> None:
    t.conf(DELTA + "nope.enabled", "true")
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("SELECT * FROM t")


def case_malformed_settings(t: Recorder) -> None:
    t.attempt("set", lambda: t.spark.conf.set(DELTA + "maxCommitAttempts", "many"))
    t.attempt("flag", lambda: t.spark.conf.set(DELTA + "writeChecksumFile.enabled", "perhaps"))
    t.attempt(
        "reset",
        lambda: [
            t.spark.conf.unset(DELTA + key)
            for key in ("maxCommitAttempts", "writeChecksumFile.enabled")
        ],
    )


def case_files_in_a_folder_of_their_own(t: Recorder) -> None:
    t.conf(DELTA + "write.dataFilesToSubdir", "true")
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.rows("folders", lambda: sorted(p.name for p in t.place("t").iterdir() if p.is_dir()))
    t.sql("SELECT * FROM t")
