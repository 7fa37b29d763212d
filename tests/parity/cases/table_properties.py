"""The delta.* table properties: what each takes and refuses, wherever it is set."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

DURATIONS = (
    "delta.logRetentionDuration",
    "delta.checkpointRetentionDuration",
    "delta.sampleRetentionDuration",
    "delta.setTransactionRetentionDuration",
    "delta.dropFeatureTruncateHistory.retentionDuration",
)
FLAGS = (
    "delta.appendOnly",
    "delta.autoOptimize",
    "delta.autoOptimize.optimizeWrite",
    "delta.checkpoint.writeStatsAsJson",
    "delta.checkpoint.writeStatsAsStruct",
    "delta.compatibility.symlinkFormatManifest.enabled",
    "delta.enableExpiredLogCleanup",
    "delta.enableFullRetentionRollback",
    "delta.randomizeFilePrefixes",
    "delta.castIcebergTimeType",
    "delta.ignoreIcebergBucketPartition",
    "delta.universalFormat.iceberg.atomicConversion.supported",
)
NUMBERS = (
    "delta.checkpointInterval",
    "delta.dataSkippingNumIndexedCols",
    "delta.dataSkippingStringPrefixLength",
    "delta.randomPrefixLength",
    "delta.requireCheckpointProtectionBeforeVersion",
)


def set_each(t: Recorder, key: str, values: tuple[str, ...]) -> None:
    """Set a property to one value after the other."""
    for value in values:
        t.sql(f"ALTER TABLE t SET TBLPROPERTIES ('{key}' = '{value}')")


def kept(t: Recorder) -> None:
    """Record what is stored in the end."""
    t.sql("SHOW TBLPROPERTIES t")


def case_durations(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    for key in DURATIONS:
        set_each(t, key, ("interval 40 days", "50 days", "1 month", "-1 days", "", "soon"))
    kept(t)


def case_duration_forms(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    for text in (
        "interval 1 week 2 days",
        "INTERVAL 3 Hours",
        "90 minutes 5 seconds",
        "1 day 12 hours",
        "100 milliseconds",
        "interval 0 hours",
        "2 years",
        "interval",
        "12",
        "interval 1.5 hours",
    ):
        t.sql(f"ALTER TABLE t SET TBLPROPERTIES ('delta.sampleRetentionDuration' = '{text}')")
    kept(t)


def case_retentions_fit_together(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql(
        "ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 31"
        " days')"
    )
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 1 day')")
    t.sql(
        "ALTER TABLE t SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 1 day',"
        " 'delta.deletedFileRetentionDuration' = 'interval 1 day')"
    )
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.deletedFileRetentionDuration')")
    t.sql(
        "CREATE TABLE u (id INT) USING delta TBLPROPERTIES ('delta.logRetentionDuration' ="
        " 'interval 1 day')"
    )
    t.conf(
        "spark.databricks.delta.vacuum.enforceDeletedFileAndLogRetentionDurationCompatibility",
        "false",
    )
    t.sql(
        "ALTER TABLE t SET TBLPROPERTIES ('delta.deletedFileRetentionDuration' = 'interval 31"
        " days')"
    )
    kept(t)


def case_flags(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    for key in FLAGS:
        set_each(t, key, ("true", "perhaps", "", "1", "FALSE"))
    kept(t)


def case_numbers(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    for key in NUMBERS:
        set_each(t, key, ("5", "0", "-1", "-2", "1.5", "many", "99999999999", " 3 "))
    kept(t)


def case_words(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    set_each(t, "delta.isolationLevel", ("Serializable", "serializable", "WriteSerializable", "x"))
    set_each(t, "delta.autoOptimize.autoCompact", ("true", "auto", "FALSE"))
    set_each(t, "delta.parquet.format.version", ("1.0.0", "2.12.0", "2.12", "3.0.0", "x"))
    set_each(t, "delta.universalFormat.enabledFormats", ("delta", "hudi,hudi"))
    set_each(t, "delta.checkpointPolicy", ("classic", "v3"))
    kept(t)


def case_keys_of_the_engine(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    for key in (
        "delta.columnMapping.maxColumnId",
        "delta.rowTracking.materializedRowIdColumnName",
        "delta.rowTracking.materializedRowCommitVersionColumnName",
        "delta.inCommitTimestampEnablementVersion",
        "delta.inCommitTimestampEnablementTimestamp",
        "delta.lastUpdateVersion",
        "delta.lastCommitTimestamp",
        "clusteringColumns",
        "delta.parquet.compression.codec",
    ):
        t.sql(f"ALTER TABLE t SET TBLPROPERTIES ('{key}' = '5')")
    kept(t)


def case_keys_of_the_engine_at_create(t: Recorder) -> None:
    for name, key in (
        ("a", "delta.columnMapping.maxColumnId"),
        ("b", "delta.rowTracking.materializedRowIdColumnName"),
        ("c", "delta.inCommitTimestampEnablementVersion"),
        ("d", "clusteringColumns"),
        ("e", "delta.requireCheckpointProtectionBeforeVersion"),
    ):
        t.sql(f"CREATE TABLE {name} (id INT) USING delta TBLPROPERTIES ('{key}' = '5')")
    t.sql("SHOW TABLES")


def case_columns_with_statistics(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, s STRUCT<a: INT, b: BINARY>, m MAP<STRING, INT>, p INT) USING"
        " delta PARTITIONED BY (p)"
    )
    set_each(
        t,
        "delta.dataSkippingStatsColumns",
        ("id", "id,s.a", "`id`, `s`.`a`", "nope", "p", "m", "id,id", "", "s", "id,,s"),
    )
    kept(t)


def case_unknown_keys(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    set_each(t, "delta.nope", ("1",))
    set_each(t, "Delta.Nope", ("1",))
    set_each(t, "delta.universalformat.config.iceberg.x", ("1",))
    t.conf("spark.databricks.delta.allowArbitraryProperties.enabled", "true")
    set_each(t, "delta.nope", ("1",))
    set_each(t, "delta.appendOnly", ("perhaps",))
    set_each(t, "appendOnly", ("perhaps",))
    t.sql("CREATE TABLE u (id INT) USING delta TBLPROPERTIES ('delta.Other.Key' = 'V')")
    t.sql("SHOW TBLPROPERTIES u")
    kept(t)


def case_unset_in_other_letters(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta COMMENT 'c' TBLPROPERTIES ('delta.appendOnly' ="
        " 'true', 'Own.Key' = '1')"
    )
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('DELTA.APPENDONLY')")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('own.key')")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('comment')")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.nope')")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.constraints.c')")
    t.log("t", 1)
    t.detail("t")


def case_set_in_other_letters(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true')")
    t.sql(
        "ALTER TABLE t SET TBLPROPERTIES ('delta.APPENDONLY' = 'false',"
        " 'delta.CheckpointInterval' = '4')"
    )
    t.history("t")
    kept(t)
    t.sql("INSERT INTO t VALUES (1)")


def case_properties_through_the_builder(t: Recorder) -> None:
    def build(key: str, value: str) -> object:
        builder = t.tables.DeltaTable.createOrReplace(t.spark).tableName("t").addColumn("id", "INT")
        return builder.property(key, value).execute()

    for key, value in (
        ("delta.checkpointInterval", "0"),
        ("delta.nope", "1"),
        ("delta.logRetentionDuration", "1 month"),
        ("delta.columnMapping.maxColumnId", "1"),
        ("delta.AppendOnly", "true"),
        ("delta.feature.nope", "supported"),
        ("delta.feature.domainMetadata", "supported"),
        ("delta.minWriterVersion", "9"),
        ("Own.Key", "Own.Value"),
    ):
        t.attempt(f"{key}={value}", lambda key=key, value=value: build(key, value))
    kept(t)
    t.history("t")


def case_properties_through_the_writer(t: Recorder) -> None:
    def save(key: str, value: str) -> object:
        return t.spark.range(1).write.format("delta").option(key, value).save(t.path)

    t.attempt("bad", lambda: save("delta.checkpointInterval", "0"))
    t.attempt("unknown", lambda: save("delta.nope", "0"))
    t.attempt("good", lambda: save("delta.checkpointINTERVAL", "3"))
    t.log(t.path)
    t.attempt(
        "v2",
        lambda: (
            t.spark.range(1)
            .writeTo("v")
            .using("delta")
            .tableProperty("delta.appendOnly", "x")
            .create()
        ),
    )
    t.attempt(
        "v2 good",
        lambda: (
            t.spark.range(1)
            .writeTo("v")
            .using("delta")
            .tableProperty("delta.appendOnly", "true")
            .tableProperty("k", "v")
            .create()
        ),
    )
    t.sql("SHOW TBLPROPERTIES v")


def case_properties_that_exclude_each_other(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE a (id INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true',"
        " 'delta.rowTrackingSuspended' = 'true')"
    )
    t.sql(
        "CREATE TABLE b (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' ="
        " 'true', 'delta.compatibility.symlinkFormatManifest.enabled' = 'true')"
    )
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.rowTrackingSuspended' = 'true')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    kept(t)


def case_column_mapping_mode_changes(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    set_each(t, "delta.columnMapping.mode", ("none", "id", "NONE", "x"))
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.columnMapping.mode')")
    t.history("t")


def case_change_data_feed_under_its_old_name(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableChangeDataCapture' ="
        " 'true')"
    )
    t.log("t")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'false')")
    t.sql("INSERT INTO t VALUES (1)")
    kept(t)
