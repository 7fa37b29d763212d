"""Asking for a protocol: by methods, features, versions, and the defaults of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

DEFAULTS = "spark.databricks.delta.properties.defaults."


def case_api_upgrade_table_protocol(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    table = t.tables.DeltaTable.forName(t.spark, "t")
    t.value("the same", lambda: table.upgradeTableProtocol(1, 2))
    t.attempt("lower", lambda: table.upgradeTableProtocol(1, 1))
    t.attempt("writer 3", lambda: table.upgradeTableProtocol(1, 3))
    t.attempt("writer 5", lambda: table.upgradeTableProtocol(2, 5))
    t.attempt("features", lambda: table.upgradeTableProtocol(3, 7))
    t.attempt("by keyword", lambda: table.upgradeTableProtocol(readerVersion=1, writerVersion=7))
    t.log("t", 1)
    t.history("t")
    t.sql("SHOW TBLPROPERTIES t")


def case_api_upgrade_table_protocol_refusals(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    table = t.tables.DeltaTable.forName(t.spark, "t")
    t.attempt("reader 4", lambda: table.upgradeTableProtocol(4, 7))
    t.attempt("writer 8", lambda: table.upgradeTableProtocol(1, 8))
    t.attempt("reader 0", lambda: table.upgradeTableProtocol(0, 2))
    t.attempt("reader 3 without writer 7", lambda: table.upgradeTableProtocol(3, 6))
    t.attempt("reader 2 with writer 2", lambda: table.upgradeTableProtocol(2, 2))
    t.attempt("text", lambda: table.upgradeTableProtocol("1", 2))
    t.attempt("float", lambda: table.upgradeTableProtocol(1, 2.0))
    t.attempt("flag", lambda: table.upgradeTableProtocol(True, 2))
    t.history("t")


def case_api_upgrade_to_writer_seven_only(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    table = t.tables.DeltaTable.forName(t.spark, "t")
    t.attempt("writer 7", lambda: table.upgradeTableProtocol(1, 7))
    t.attempt("writer 6", lambda: table.upgradeTableProtocol(1, 6))
    t.attempt("reader 2", lambda: table.upgradeTableProtocol(2, 6))
    t.log("t", 1)


def case_api_add_feature_support(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    table = t.tables.DeltaTable.forName(t.spark, "t")
    t.value("writer feature", lambda: table.addFeatureSupport("domainMetadata"))
    t.attempt("again", lambda: table.addFeatureSupport("domainMetadata"))
    t.attempt("reader-writer feature", lambda: table.addFeatureSupport("deletionVectors"))
    t.attempt("legacy feature", lambda: table.addFeatureSupport("checkConstraints"))
    t.attempt("already implied", lambda: table.addFeatureSupport("appendOnly"))
    t.attempt("lower case", lambda: table.addFeatureSupport("v2checkpoint"))
    t.attempt("unknown", lambda: table.addFeatureSupport("nope"))
    t.attempt("no text", lambda: table.addFeatureSupport(1))
    t.log("t", 1)
    t.history("t")


def case_api_feature_that_needs_another(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    table = t.tables.DeltaTable.forName(t.spark, "t")
    t.attempt("typeWidening", lambda: table.addFeatureSupport("typeWidening"))
    t.attempt("vacuumProtocolCheck", lambda: table.addFeatureSupport("vacuumProtocolCheck"))
    t.attempt("inCommitTimestamp", lambda: table.addFeatureSupport("inCommitTimestamp"))
    t.attempt("timestampNtz", lambda: table.addFeatureSupport("timestampNtz"))
    t.attempt("allowColumnDefaults", lambda: table.addFeatureSupport("allowColumnDefaults"))
    t.log("t", 1)


def case_feature_properties(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.deletionVectors' ="
        " 'enabled', 'DELTA.FEATURE.v2Checkpoint' = 'Supported')"
    )
    t.log("t")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.feature.domainMetadata' = 'enabled', 'x' = 'y')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.feature.domainMetadata' = 'disabled')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.feature.clustering' = 'supported')")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.feature.domainMetadata')")
    t.sql("ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('delta.minReaderVersion')")
    t.sql("SHOW TBLPROPERTIES t")
    t.log("t", 1)
    t.sql(
        "CREATE TABLE c (id INT) USING delta TBLPROPERTIES ('delta.feature.clustering' ="
        " 'supported')"
    )


def case_version_properties_at_create(t: Recorder) -> None:
    for reader, writer in (("1", "1"), ("1", "3"), ("2", "5"), ("2", "6"), ("2", "7"), ("3", "7")):
        t.sql(
            f"CREATE TABLE t{reader}{writer} (id INT) USING delta TBLPROPERTIES"
            f" ('delta.minReaderVersion' = '{reader}', 'delta.minWriterVersion' = '{writer}')"
        )
        t.log(f"t{reader}{writer}")
    t.sql("CREATE TABLE a (id INT) USING delta TBLPROPERTIES ('delta.minReaderVersion' = '3')")
    t.log("a")
    t.sql("CREATE TABLE b (id INT) USING delta TBLPROPERTIES ('delta.minReaderVersion' = '2')")
    t.log("b")
    t.sql(
        "CREATE TABLE c (id INT) USING delta TBLPROPERTIES ('delta.minReaderVersion' = '3',"
        " 'delta.minWriterVersion' = '5')"
    )
    t.log("c")
    t.sql(
        "CREATE TABLE d (id INT NOT NULL) USING delta TBLPROPERTIES ('delta.minReaderVersion' ="
        " '1', 'delta.minWriterVersion' = '1', 'delta.appendOnly' = 'true')"
    )
    t.log("d")
    t.sql(
        "CREATE TABLE e (id INT) USING delta TBLPROPERTIES ('delta.ignoreProtocolDefaults' ="
        " 'true')"
    )
    t.log("e")
    t.sql("CREATE TABLE f (id INT) USING delta TBLPROPERTIES ('delta.minReaderVersion' = '0')")
    t.sql(
        "CREATE TABLE g (id INT) USING delta TBLPROPERTIES ('delta.minWriterVersion' = '3',"
        " 'delta.feature.deletionVectors' = 'supported')"
    )
    t.log("g")


def case_version_properties_at_alter(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql(
        "ALTER TABLE t SET TBLPROPERTIES ('delta.minReaderVersion' = '2',"
        " 'delta.minWriterVersion' = '5')"
    )
    t.sql(
        "ALTER TABLE t SET TBLPROPERTIES ('delta.minReaderVersion' = '3',"
        " 'delta.minWriterVersion' = '7')"
    )
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.minWriterVersion' = '6', 'x' = 'y')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.minReaderVersion' = '1')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.minReaderVersion' = '3')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.minWriterVersion' = '8')")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.ignoreProtocolDefaults' = 'true')")
    t.log("t", 1)
    t.sql("SHOW TBLPROPERTIES t")


def case_defaults_of_properties(t: Recorder) -> None:
    t.conf(DEFAULTS + "appendOnly", "true")
    t.conf(DEFAULTS + "checkpointInterval", "7")
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'false')")
    t.log("t")
    t.sql("CREATE TABLE c USING delta AS SELECT 1 AS id")
    t.history("c")
    t.attempt("save", lambda: t.spark.range(1).write.format("delta").save(t.path))
    t.log(t.path)
    t.sql("CREATE OR REPLACE TABLE t (id INT) USING delta")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('x' = 'y')")
    t.log("t", 1)


def case_defaults_in_other_letters_and_wrong(t: Recorder) -> None:
    t.conf(DEFAULTS + "APPENDONLY", "true")
    t.sql("CREATE TABLE a (id INT) USING delta")
    t.sql("SHOW TBLPROPERTIES a")
    t.conf(DEFAULTS + "checkpointInterval", "0")
    t.sql("CREATE TABLE b (id INT) USING delta")
    t.conf(DEFAULTS + "checkpointInterval", "3")
    t.conf(DEFAULTS + "nope", "3")
    t.sql("CREATE TABLE c (id INT) USING delta")
    t.sql("SHOW TBLPROPERTIES c")


def case_defaults_of_the_protocol(t: Recorder) -> None:
    t.conf(DEFAULTS + "minReaderVersion", "2")
    t.conf(DEFAULTS + "minWriterVersion", "5")
    t.sql("CREATE TABLE a (id INT) USING delta")
    t.log("a")
    t.sql(
        "CREATE TABLE b (id INT) USING delta TBLPROPERTIES ('delta.ignoreProtocolDefaults' ="
        " 'true')"
    )
    t.log("b")
    t.sql("CREATE TABLE c (id INT) USING delta TBLPROPERTIES ('delta.minWriterVersion' = '3')")
    t.log("c")
    t.sql(
        "CREATE TABLE d (id INT) USING delta TBLPROPERTIES ('delta.minReaderVersion' = '1',"
        " 'delta.minWriterVersion' = '2')"
    )
    t.log("d")


def case_defaults_of_features(t: Recorder) -> None:
    t.conf(DEFAULTS + "feature.deletionVectors", "supported")
    t.conf(DEFAULTS + "enableInCommitTimestamps", "true")
    t.sql("CREATE TABLE a (id INT) USING delta")
    t.log("a")
    t.sql(
        "CREATE TABLE b (id INT) USING delta TBLPROPERTIES ('delta.ignoreProtocolDefaults' ="
        " 'true', 'delta.feature.v2Checkpoint' = 'supported')"
    )
    t.log("b")
    t.conf(DEFAULTS + "feature.nope", "supported")
    t.sql("CREATE TABLE c (id INT) USING delta")


def case_defaults_ignoring_the_protocol(t: Recorder) -> None:
    t.conf(DEFAULTS + "ignoreProtocolDefaults", "true")
    t.conf(DEFAULTS + "minWriterVersion", "5")
    t.sql("CREATE TABLE a (id INT) USING delta")
    t.log("a")
    t.sql("CREATE TABLE b (id INT) USING delta TBLPROPERTIES ('delta.appendOnly' = 'true')")
    t.log("b")


def case_replace_keeps_the_protocol(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' ="
        " 'true', 'x' = 'y')"
    )
    t.sql(
        "CREATE OR REPLACE TABLE t (id INT) USING delta TBLPROPERTIES"
        " ('delta.feature.domainMetadata' = 'supported')"
    )
    t.sql(
        "REPLACE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.minReaderVersion' = '1',"
        " 'delta.minWriterVersion' = '2')"
    )
    t.sql("REPLACE TABLE t USING delta AS SELECT 1 AS id")
    t.log("t", 1)


def case_defaults_leave_an_existing_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.conf(DEFAULTS + "appendOnly", "true")
    t.sql("INSERT INTO t VALUES (1)")
    t.attempt(
        "overwrite",
        lambda: (
            t.spark.range(1)
            .selectExpr("int(id) id")
            .write.format("delta")
            .mode("overwrite")
            .saveAsTable("t")
        ),
    )
    t.sql("CREATE TABLE IF NOT EXISTS t (id INT) USING delta")
    t.sql("SHOW TBLPROPERTIES t")
    t.log("t", 1)
