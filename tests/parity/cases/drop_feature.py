"""ALTER TABLE DROP FEATURE: writer features, reader-writer features, and what is refused."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from tests.parity.changing import THREE_AND_TWO, VECTORS, make

if TYPE_CHECKING:
    from tests.parity.recorder import Recorder

MOST_SECONDS_OF_A_CASE = 20


def checkpoints(t: Recorder, table: str) -> None:
    """Record the versions that have a checkpoint."""
    log = t.place(table) / "_delta_log"
    t.rows(
        "checkpoints",
        lambda: sorted({str(int(p.name[:20])) for p in log.glob("[0-9]*.checkpoint*")}, key=int),
    )


def case_drop_writer_feature_unused(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.domainMetadata' ="
        " 'supported')"
    )
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t DROP FEATURE domainMetadata")
    t.log("t", 2)
    t.history("t")
    checkpoints(t, "t")
    t.sql("SHOW TBLPROPERTIES t")


def case_drop_feature_with_quotes_and_a_path(t: Recorder) -> None:
    t.sql(
        f"CREATE TABLE delta.`{t.path}` (id INT) USING delta TBLPROPERTIES"
        " ('delta.feature.domainMetadata' = 'supported', 'delta.enableInCommitTimestamps' = 'true')"
    )
    t.sql(f"alter table delta.`{t.path}` drop feature 'domainmetadata'")
    t.sql(f'ALTER TABLE delta.`{t.path}` DROP FEATURE "inCommitTimestamp"')
    t.log(t.path, 1)


def case_drop_feature_refusals(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.domainMetadata' ="
        " 'supported', 'delta.enableRowTracking' = 'true')"
    )
    t.sql("ALTER TABLE t DROP FEATURE nope")
    t.sql("ALTER TABLE t DROP FEATURE appendOnly")
    t.sql("ALTER TABLE t DROP FEATURE invariants TRUNCATE HISTORY")
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors")
    t.sql("ALTER TABLE t DROP FEATURE checkpointProtection")
    t.sql("ALTER TABLE t DROP FEATURE domainMetadata")
    t.sql("ALTER TABLE t DROP FEATURE domainMetadata TRUNCATE HISTORY")
    t.sql("ALTER TABLE t DROP FEATURE rowTracking TRUNCATE HISTORY")
    t.sql("ALTER TABLE t DROP FEATURE 'delta.enableRowTracking'")
    t.sql("ALTER TABLE t DROP FEATURE `delta.enableRowTracking`")
    t.sql("ALTER TABLE t DROP FEATURE delta")
    t.sql("ALTER TABLE nope DROP FEATURE deletionVectors")
    t.sql("ALTER TABLE t DROP FEATURE")
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors TRUNCATE")
    t.sql("ALTER TABLE t DROP FEATURE a b")
    t.history("t")


def case_drop_feature_of_other_things(t: Recorder) -> None:
    t.sql("CREATE TABLE p (id INT) USING parquet")
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("CREATE VIEW v AS SELECT * FROM t")
    t.sql("ALTER TABLE p DROP FEATURE deletionVectors")
    t.sql("ALTER TABLE v DROP FEATURE deletionVectors")
    t.sql(f"ALTER TABLE delta.`{t.folder('nope')}` DROP FEATURE deletionVectors")
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors")


def case_drop_check_constraints(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.checkConstraints' ="
        " 'supported')"
    )
    t.sql("ALTER TABLE t DROP FEATURE checkConstraints")
    t.log("t", 1)
    t.history("t")


def case_drop_feature_of_an_old_protocol(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.minReaderVersion' = '1',"
        " 'delta.minWriterVersion' = '4')"
    )
    t.sql("ALTER TABLE t DROP FEATURE checkConstraints")
    t.sql("ALTER TABLE t DROP FEATURE generatedColumns")
    t.log("t", 1)
    t.sql(
        "CREATE TABLE u (id INT) USING delta TBLPROPERTIES ('delta.minReaderVersion' = '1',"
        " 'delta.minWriterVersion' = '3')"
    )
    t.sql("ALTER TABLE u DROP FEATURE checkConstraints")
    t.log("u", 1)


def case_drop_in_commit_timestamp(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableInCommitTimestamps' ="
        " 'true')"
    )
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t DROP FEATURE inCommitTimestamp")
    t.sql("INSERT INTO t VALUES (2)")
    t.log("t", 2)
    t.history("t")
    checkpoints(t, "t")


def case_drop_in_commit_timestamp_enabled_later(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')")
    t.sql("ALTER TABLE t DROP FEATURE inCommitTimestamp")
    t.rows("keys", lambda: sorted(r["key"] for r in t.spark.sql("SHOW TBLPROPERTIES t").collect()))
    t.history("t")
    t.sql("SELECT * FROM t VERSION AS OF 2")


def case_drop_deletion_vectors_unused(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors")
    t.log("t", 2)
    t.history("t")
    checkpoints(t, "t")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors")
    t.sql("INSERT INTO t VALUES (2)")
    t.sql("SELECT * FROM t ORDER BY id")


def case_drop_deletion_vectors_in_use(t: Recorder) -> None:
    make(t, *THREE_AND_TWO, properties=VECTORS)
    t.spark.sql("DELETE FROM t WHERE id IN (2, 4)")
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors")
    t.sql("SELECT * FROM t")
    t.history("t")
    t.sql("SHOW TBLPROPERTIES t")
    t.sql("DELETE FROM t WHERE id = 1")
    t.sql("SELECT * FROM t")


def case_drop_deletion_vectors_listed_only(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.deletionVectors' ="
        " 'supported')"
    )
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors")
    t.log("t", 1)
    checkpoints(t, "t")


def case_drop_column_mapping_unused(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.columnMapping' ="
        " 'supported')"
    )
    t.sql("ALTER TABLE t DROP FEATURE columnMapping")
    t.log("t", 1)
    checkpoints(t, "t")
    t.sql(
        "CREATE TABLE u (id INT) USING delta TBLPROPERTIES ('delta.minReaderVersion' = '2',"
        " 'delta.minWriterVersion' = '5')"
    )
    t.sql("ALTER TABLE u DROP FEATURE columnMapping")
    t.log("u", 1)


def case_drop_v2_checkpoint(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2')")
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t DROP FEATURE v2Checkpoint")
    t.log("t", 2)
    t.history("t")
    checkpoints(t, "t")
    t.sql("SELECT * FROM t")


def case_drop_vacuum_protocol_check(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.vacuumProtocolCheck'"
        " = 'supported')"
    )
    t.sql("ALTER TABLE t DROP FEATURE vacuumProtocolCheck")
    t.log("t", 1)
    checkpoints(t, "t")


def case_drop_type_widening_unused(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
    t.sql("ALTER TABLE t DROP FEATURE typeWidening")
    t.log("t", 1)
    t.history("t")
    checkpoints(t, "t")


def case_drop_row_tracking(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.rowTracking' ="
        " 'supported', 'delta.rowTrackingSuspended' = 'true')"
    )
    t.sql("ALTER TABLE t DROP FEATURE rowTracking")
    t.log("t", 1)
    t.history("t")
    checkpoints(t, "t")


def case_drop_row_tracking_enabled(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableRowTracking' = 'true')")
    t.sql("INSERT INTO t VALUES (1), (2)")
    t.sql("ALTER TABLE t DROP FEATURE rowTracking")
    t.log("t", 1)
    t.history("t")
    t.sql("SELECT * FROM t ORDER BY id")
    t.sql("ALTER TABLE t DROP FEATURE domainMetadata")
    t.history("t")
    t.log("t", 3)


def case_drop_column_mapping_of_an_empty_table(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    t.sql("ALTER TABLE t DROP FEATURE columnMapping")
    t.log("t", 1)
    t.history("t")


def case_drop_type_widening_truncating_history(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true')")
    t.sql("ALTER TABLE t DROP FEATURE typeWidening TRUNCATE HISTORY")
    t.sql("ALTER TABLE t DROP FEATURE typeWidening TRUNCATE HISTORY")
    t.history("t")


def case_drop_column_mapping_truncating_history(t: Recorder) -> None:
    t.sql("CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = 'name')")
    t.sql("ALTER TABLE t DROP FEATURE columnMapping TRUNCATE HISTORY")
    t.sql("ALTER TABLE t DROP FEATURE columnMapping TRUNCATE HISTORY")
    t.history("t")


def case_drop_in_commit_timestamp_listed_only(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.inCommitTimestamp' ="
        " 'supported')"
    )
    t.sql("ALTER TABLE t DROP FEATURE inCommitTimestamp")
    t.log("t", 1)
    t.sql(
        "CREATE TABLE u (id INT) USING delta TBLPROPERTIES ('delta.feature.v2Checkpoint' ="
        " 'supported', 'delta.enableDeletionVectors' = 'false')"
    )
    t.sql("ALTER TABLE u DROP FEATURE v2Checkpoint")
    t.log("u", 1)
    t.sql("ALTER TABLE u SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    t.sql("ALTER TABLE u SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')")
    t.sql("ALTER TABLE u DROP FEATURE deletionVectors")
    t.log("u", 4)


def case_drop_not_removable(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT, n TIMESTAMP_NTZ) USING delta TBLPROPERTIES"
        " ('delta.feature.allowColumnDefaults' = 'supported', 'delta.enableChangeDataFeed' ="
        " 'true')"
    )
    t.sql("ALTER TABLE t DROP FEATURE timestampNtz")
    t.sql("ALTER TABLE t DROP FEATURE allowColumnDefaults")
    t.sql("ALTER TABLE t DROP FEATURE changeDataFeed")
    t.sql("ALTER TABLE t DROP FEATURE identityColumns")
    t.sql("ALTER TABLE t DROP FEATURE timestampNtz TRUNCATE HISTORY")
    t.history("t")


def case_drop_two_features_one_after_the_other(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.deletionVectors' ="
        " 'supported', 'delta.feature.typeWidening' = 'supported')"
    )
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors")
    t.sql("ALTER TABLE t DROP FEATURE typeWidening")
    t.log("t", 1)
    t.history("t")
    checkpoints(t, "t")


def case_drop_truncating_history_waits(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors TRUNCATE HISTORY")
    t.log("t", 2)
    t.history("t")
    checkpoints(t, "t")
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors TRUNCATE HISTORY")
    t.history("t")
    checkpoints(t, "t")


def case_drop_truncating_history_nothing_to_clean(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.deletionVectors' ="
        " 'supported')"
    )
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors TRUNCATE HISTORY")
    t.log("t", 2)
    t.history("t")
    checkpoints(t, "t")
    t.sql("SELECT * FROM t")


def case_drop_truncating_history_after_the_wait(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.checkpointPolicy' = 'v2',"
        " 'delta.dropFeatureTruncateHistory.retentionDuration' = 'interval 0 hours')"
    )
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t DROP FEATURE v2Checkpoint TRUNCATE HISTORY")
    t.log("t", 2)
    checkpoints(t, "t")
    age_log(t, "t", hours=2)
    t.sql("ALTER TABLE t DROP FEATURE v2Checkpoint TRUNCATE HISTORY")
    t.log("t")
    t.history("t")
    checkpoints(t, "t")
    t.sql("SELECT * FROM t")


def case_drop_truncating_history_of_others(t: Recorder) -> None:
    for name in ("vacuumProtocolCheck", "columnMapping", "typeWidening", "v2Checkpoint"):
        t.sql(
            f"CREATE TABLE {name} (id INT) USING delta TBLPROPERTIES ('delta.feature.{name}' ="
            " 'supported')"
        )
        t.sql(f"INSERT INTO {name} VALUES (1)")
        t.sql(f"ALTER TABLE {name} DROP FEATURE {name} TRUNCATE HISTORY")
        t.history(name)
        checkpoints(t, name)


def case_drop_truncating_history_by_default(t: Recorder) -> None:
    t.conf("spark.databricks.delta.tableFeatures.fastDropFeature.enabled", "false")
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    t.sql("INSERT INTO t VALUES (1)")
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors")
    t.history("t")
    checkpoints(t, "t")
    t.sql(
        "CREATE TABLE u (id INT) USING delta TBLPROPERTIES ('delta.feature.deletionVectors' ="
        " 'supported')"
    )
    t.sql("ALTER TABLE u DROP FEATURE deletionVectors")
    t.history("u")


def _early_in_a_minute() -> None:
    """Wait until a case ends in the minute it begins in: history expires by whole minutes."""
    left = 60 - time.time() % 60
    if left < MOST_SECONDS_OF_A_CASE:
        time.sleep(left)


def case_drop_checkpoint_protection(t: Recorder) -> None:
    _early_in_a_minute()
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.deletionVectors' ="
        " 'supported', 'delta.dropFeatureTruncateHistory.retentionDuration' = 'interval 0 hours')"
    )
    t.sql("ALTER TABLE t DROP FEATURE deletionVectors")
    t.sql("ALTER TABLE t DROP FEATURE checkpointProtection")
    t.sql("ALTER TABLE t DROP FEATURE checkpointProtection TRUNCATE HISTORY")
    age_log(t, "t", hours=2)
    t.sql("ALTER TABLE t DROP FEATURE checkpointProtection TRUNCATE HISTORY")
    t.log("t")
    t.history("t")
    checkpoints(t, "t")


def case_api_drop_feature_support(t: Recorder) -> None:
    t.sql(
        "CREATE TABLE t (id INT) USING delta TBLPROPERTIES ('delta.feature.domainMetadata' ="
        " 'supported', 'delta.enableDeletionVectors' = 'true')"
    )
    table = t.tables.DeltaTable.forName(t.spark, "t")
    t.value("writer feature", lambda: table.dropFeatureSupport("domainMetadata"))
    t.attempt("again", lambda: table.dropFeatureSupport("domainMetadata"))
    t.attempt("truncating", lambda: table.dropFeatureSupport("deletionVectors", True))
    t.attempt(
        "by keyword",
        lambda: table.dropFeatureSupport(featureName="deletionVectors", truncateHistory=False),
    )
    t.attempt("no text", lambda: table.dropFeatureSupport(7))
    t.attempt("no flag", lambda: table.dropFeatureSupport("deletionVectors", "yes"))
    t.attempt("unknown", lambda: table.dropFeatureSupport("nope"))
    t.history("t")


def age_log(t: Recorder, table: str, *, hours: int) -> None:
    """Make every file of a log look older, commits a minute apart."""
    log = t.place(table) / "_delta_log"
    now = time.time() - hours * 3600
    for path in log.iterdir():
        if path.name[:20].isdigit():
            when = now - (100 - int(path.name[:20])) * 60
            os.utime(path, (when, when))
        elif path.name[1:21].isdigit():
            path.unlink()
