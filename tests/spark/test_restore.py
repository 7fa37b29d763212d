"""RESTORE in a session: rows, constraints and dry runs, by name, path and time."""

import pytest

from puredelta import DeltaTable
from puredelta.errors import DeltaAnalysisError, DeltaIllegalArgumentError
from puredelta.log import open_table


@pytest.fixture
def path(spark, tmp_path):
    """A table with partitions and vectors: rows 0 to 9, then a DELETE and an UPDATE."""
    place = str(tmp_path / "t")
    spark.sql(
        f"CREATE TABLE delta.`{place}` (id BIGINT, p STRING) USING delta PARTITIONED BY (p)"
        " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true',"
        " 'delta.enableChangeDataFeed' = 'true')"
    )
    rows = spark.range(10).selectExpr("id", "IF(id % 2 = 0, 'even', 'odd') p").coalesce(1)
    rows.write.format("delta").mode("append").save(place)
    spark.sql(f"DELETE FROM delta.`{place}` WHERE id = 3")
    spark.sql(f"UPDATE delta.`{place}` SET id = id + 100 WHERE p = 'even'")
    return place


def ids(spark, path):
    return sorted(row.id for row in spark.read.format("delta").load(path).collect())


@pytest.mark.parametrize("version", [0, 1, 2])
def test_each_version_comes_back(spark, path, version):
    wanted = spark.read.format("delta").option("versionAsOf", version).load(path)
    rows = sorted(row.id for row in wanted.collect())

    spark.sql(f"RESTORE TABLE delta.`{path}` TO VERSION AS OF {version}")

    assert ids(spark, path) == rows
    spark.sql(f"RESTORE TABLE delta.`{path}` TO VERSION AS OF 3")
    assert ids(spark, path) == [1, 5, 7, 9, 100, 102, 104, 106, 108]


def test_feed_shows_what_a_restore_changed(spark, path):
    spark.sql(f"RESTORE TABLE delta.`{path}` TO VERSION AS OF 1")

    changes = spark.sql(f"SELECT id, _change_type kind FROM table_changes_by_path('{path}', 4)")
    found = {kind: sorted(r.id for r in changes.collect() if r.kind == kind) for kind in KINDS}
    assert found == {"delete": [100, 102, 104, 106, 108], "insert": [0, 2, 3, 4, 6, 8]}


KINDS = ("delete", "insert")


def test_cached_frames_see_the_restored_rows(spark, path):
    frame = spark.read.format("delta").load(path).cache()
    assert frame.count() == 9

    DeltaTable.forPath(spark, path).restoreToVersion(1)

    assert spark.read.format("delta").load(path).count() == 10
    frame.unpersist()


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo", "+02:00", "GMT-03:00"])
def test_a_time_is_read_in_the_zone_of_the_session(spark, path, setting, zone):
    setting("spark.sql.session.timeZone", zone)
    history = spark.sql(f"DESCRIBE HISTORY delta.`{path}`").where("version = 1")
    [made] = history.selectExpr("CAST(timestamp AS STRING)").first()

    [result] = DeltaTable.forPath(spark, path).restoreToTimestamp(made).collect()

    assert result.num_restored_files == 2
    assert ids(spark, path) == list(range(10))
    last = spark.sql(f"DESCRIBE HISTORY delta.`{path}` LIMIT 1").first()
    assert last.operationParameters["version"] is None
    assert made.startswith(last.operationParameters["timestamp"].rstrip("0").rstrip("."))


def test_dry_run_writes_nothing(spark, path):
    shown = DeltaTable.forPath(spark, path).restoreToVersion(1, dryRun=True)

    assert (shown.restored_rows, shown.removed_rows) == (10, 9)
    assert (shown.target, shown.would_succeed) == (1, True)
    assert open_table(path).version == 3


def test_missing_files_are_refused_before_anything_is_written(spark, path, tmp_path):
    gone = open_table(path, 1).files()["path"].to_pylist()[0]
    (tmp_path / "t" / gone).unlink()

    with pytest.raises(DeltaIllegalArgumentError) as refused:
        spark.sql(f"RESTORE TABLE delta.`{path}` TO VERSION AS OF 1")

    assert refused.value.condition == "PUREDELTA_RESTORE_FILES_MISSING"
    assert gone in refused.value.parameters["files"]
    assert open_table(path).version == 3


def test_versions_past_the_retention_are_refused(spark, path):
    spark.sql(
        f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES "
        "('delta.deletedFileRetentionDuration' = 'interval 0 hours')"
    )

    with pytest.raises(DeltaAnalysisError, match="BEYOND_DELETED_FILE_RETENTION"):
        spark.sql(f"RESTORE TABLE delta.`{path}` TO VERSION AS OF 1")


def test_restore_of_identity_columns_gives_no_number_twice(spark, tmp_path):
    table = f"delta.`{tmp_path / 'numbers'}`"
    spark.sql(f"CREATE TABLE {table} (id BIGINT GENERATED ALWAYS AS IDENTITY, v INT) USING delta")
    spark.sql(f"INSERT INTO {table} (v) VALUES (1), (2)")
    spark.sql(f"INSERT INTO {table} (v) VALUES (3), (4)")

    spark.sql(f"RESTORE TABLE {table} TO VERSION AS OF 1")
    spark.sql(f"INSERT INTO {table} (v) VALUES (5)")

    rows = sorted(tuple(row) for row in spark.sql(f"SELECT v, id FROM {table}").collect())
    assert [number for number, _ in rows] == [1, 2, 5]
    assert len({identity for _, identity in rows}) == 3
    assert rows[-1][1] > 4


def test_health_names_the_table_as_statements_do(spark, path):
    report = DeltaTable.forPath(spark, path).health()

    [finding] = report.findings
    assert finding.statement == f"REORG TABLE delta.`file:{path}` APPLY (PURGE)"
    spark.sql(finding.statement)
    assert DeltaTable.forPath(spark, path).health().is_healthy
