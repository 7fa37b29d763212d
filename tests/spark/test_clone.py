"""SHALLOW CLONE: the clone reads the files of its source, and neither changes the other."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta import DeltaTable
from puredelta.api import ClonePreview
from puredelta.errors import (
    DeltaAnalysisError,
    DeltaIllegalArgumentError,
    DeltaIllegalStateError,
    DeltaUnsupportedOperationError,
)
from puredelta.log import open_table
from puredelta.table.check import check_table

VECTORS = "'delta.enableDeletionVectors' = 'true'"
FEED = "'delta.enableChangeDataFeed' = 'true'"
TRACKED = "'delta.enableRowTracking' = 'true'"


@pytest.fixture
def source(spark, tmp_path):
    """A folder whose name the log has to encode, with two files of three rows each."""

    def make(properties="'a' = 'b'", by=""):
        path = str(tmp_path / "so urce%")
        parted = f"PARTITIONED BY ({by})" if by else ""
        spark.sql(
            f"CREATE TABLE delta.`{path}` (id INT, v STRING) USING delta {parted} "
            f"TBLPROPERTIES ({properties})"
        )
        for rows in ("(1, 'a'), (2, 'b'), (3, 'c')", "(4, 'd'), (5, 'e'), (6, NULL)"):
            spark.sql(f"INSERT INTO delta.`{path}` SELECT /*+ COALESCE(1) */ * FROM VALUES {rows}")
        return path

    return make


@pytest.fixture
def target(tmp_path):
    return str(tmp_path / "target")


def clone(spark, source, target, head="CREATE TABLE", clauses=""):
    text = f"{head} delta.`{target}` SHALLOW CLONE delta.`{source}` {clauses}"
    return spark.sql(text).first()


def ids(spark, path, version=None):
    reader = spark.read.format("delta")
    reader = reader if version is None else reader.option("versionAsOf", version)
    return sorted(row.id for row in reader.load(path).collect())


def files(path):
    return open_table(path).snapshot.files.to_pylist()


def findings(path):
    return list(check_table(path).findings)


def data_files(path):
    return sorted(file.name for file in Path(path).glob("*.parquet"))


def test_clone_names_the_files_of_its_source_and_writes_none(spark, source, target):
    path = source()

    row = clone(spark, path, target)

    there = {Path(path) / file["path"] for file in files(path)}
    assert {Path(file["path"].removeprefix("file://")) for file in files(target)} == there
    assert data_files(target) == []
    assert row.source_num_of_files == 2
    assert row.source_table_size == sum(file["size"] for file in files(path))
    assert ids(spark, target) == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("properties", [VECTORS, FEED, f"{VECTORS}, {FEED}", TRACKED])
def test_changes_of_a_clone_leave_its_source_alone(spark, source, target, properties):
    path = source(properties)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id = 1")
    clone(spark, path, target)

    spark.sql(f"UPDATE delta.`{target}` SET v = 'new' WHERE id = 2")
    spark.sql(f"DELETE FROM delta.`{target}` WHERE id = 4")
    spark.sql(
        f"MERGE INTO delta.`{target}` t USING (SELECT 5 AS id UNION SELECT 9) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET v = 'merged' WHEN NOT MATCHED THEN INSERT (id) VALUES (id)"
    )

    rows = {row.id: row.v for row in spark.read.format("delta").load(target).collect()}
    assert rows == {2: "new", 3: "c", 5: "merged", 6: None, 9: None}
    assert ids(spark, path) == [2, 3, 4, 5, 6]
    assert ids(spark, target, 0) == [2, 3, 4, 5, 6]
    assert spark.read.format("delta").load(target).where("id > 4").count() == 3


def test_deletion_vectors_of_the_source_are_named_by_whole_paths(spark, source, target, tmp_path):
    path = source(VECTORS)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id IN (1, 5)")

    clone(spark, path, target)
    spark.sql(f"DELETE FROM delta.`{target}` WHERE id = 2")
    second = str(tmp_path / "second")
    clone(spark, target, second)

    kinds = [file["deletion_vector"]["storageType"] for file in files(second)]
    assert kinds == ["p", "p"]
    assert ids(spark, second) == [3, 4, 6]
    assert ids(spark, path) == [2, 3, 4, 6]


def test_change_feed_of_a_clone_reads_files_of_the_source(spark, source, target):
    clone(spark, source(f"{VECTORS}, {FEED}"), target)
    spark.sql(f"DELETE FROM delta.`{target}` WHERE id < 3")

    reader = spark.read.format("delta").option("readChangeFeed", "true")
    changes = reader.option("startingVersion", 0).load(target).collect()

    found = sorted((row._commit_version, row._change_type, row.id) for row in changes)
    inserted = [(0, "insert", number) for number in range(1, 7)]
    assert found == [*inserted, (1, "delete", 1), (1, "delete", 2)]


def test_check_finds_nothing_wrong_with_a_clone(spark, source, target):
    path = source(VECTORS)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id = 1")
    clone(spark, path, target)
    spark.sql(f"DELETE FROM delta.`{target}` WHERE id = 2")

    assert findings(target) == []


def test_check_names_the_files_that_left_the_source(spark, source, target):
    path = source()
    clone(spark, path, target)
    (Path(path) / data_files(path)[0]).unlink()

    assert findings(target)


def test_purge_of_a_clone_writes_files_of_its_own(spark, source, target):
    path = source(VECTORS)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id IN (1, 5)")
    clone(spark, path, target)

    spark.sql(f"REORG TABLE delta.`{target}` APPLY (PURGE)")

    assert ids(spark, target) == [2, 3, 4, 6]
    assert not any(file["path"].startswith("file:") for file in files(target))


def test_clone_of_a_partitioned_table_prunes_and_overwrites(spark, source, target):
    clone(spark, source(by="v"), target)

    spark.sql(f"INSERT INTO delta.`{target}` REPLACE WHERE v = 'a' VALUES (7, 'a')")

    table = spark.read.format("delta").load(target)
    assert [row.id for row in table.where("v = 'a'").collect()] == [7]
    assert [row.id for row in table.where("v IS NULL").collect()] == [6]


def test_emptied_table_gets_its_own_former_files_back_by_relative_paths(spark, source):
    path = source(VECTORS)
    spark.sql(f"DELETE FROM delta.`{path}` WHERE id = 1")
    spark.sql(f"DELETE FROM delta.`{path}`")

    clone(spark, path, path, "CREATE OR REPLACE TABLE", "VERSION AS OF 3")

    assert ids(spark, path) == [2, 3, 4, 5, 6]
    assert not any(":" in file["path"] for file in files(path))


def test_table_with_rows_is_not_replaced(spark, source, target):
    path = source()
    spark.sql(f"CREATE TABLE delta.`{target}` (id INT, v STRING) USING delta")
    spark.sql(f"INSERT INTO delta.`{target}` VALUES (7, 'w')")

    with pytest.raises(DeltaIllegalStateError, match="DELTA_UNSUPPORTED_NON_EMPTY_CLONE"):
        clone(spark, path, target, "CREATE OR REPLACE TABLE")

    assert ids(spark, target) == [7]


def test_dry_run_reports_and_writes_nothing(spark, source, target):
    table = DeltaTable.forPath(spark, source(TRACKED))

    preview = table.clone(target, isShallow=True, properties={"c": "d"}, dryRun=True)

    assert isinstance(preview, ClonePreview)
    assert (preview.files, preview.source_version, preview.replaces) == (2, 2, False)
    assert preview.properties["c"] == "d"
    assert "none of which is copied" in str(preview)
    assert "none of which is copied" in preview._repr_html_()
    assert not Path(target).exists()


def test_dry_run_refuses_what_the_clone_would_refuse(spark, source, target):
    table = DeltaTable.forPath(spark, source())
    table.clone(target, isShallow=True)

    with pytest.raises(DeltaAnalysisError) as caught:
        table.clone(target, isShallow=True, dryRun=True)

    assert caught.value.getCondition() == "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION"


def test_clone_returns_the_table(spark, source, target):
    table = DeltaTable.forPath(spark, source())

    made = table.cloneAtVersion(1, target, True)
    made.delete("id = 1")

    assert sorted(row.id for row in made.toDF().collect()) == [2, 3]
    with pytest.raises(DeltaIllegalArgumentError, match="DELTA_UNSUPPORTED_DEEP_CLONE"):
        table.clone(target + "2")
    with pytest.raises(ValueError, match="version needs to be a int"):
        table.cloneAtVersion(None, target + "2", True)


def test_clone_of_parquet_gets_statistics_and_row_ids(spark, tmp_path, target):
    path = str(tmp_path / "parquet")
    spark.range(4).coalesce(1).write.parquet(path)

    text = f"CREATE TABLE delta.`{target}` SHALLOW CLONE parquet.`{path}` TBLPROPERTIES ({TRACKED})"
    spark.sql(text)
    spark.sql(f"DELETE FROM delta.`{target}` WHERE id = 0")

    rows = spark.read.format("delta").load(target).select("id", "_metadata.row_id").collect()
    assert sorted(map(tuple, rows)) == [(1, 1), (2, 2), (3, 3)]
    assert spark.read.parquet(path).count() == 4


def test_relative_path_of_parquet_begins_in_the_folder_that_spark_works_in(spark, tmp_path, target):
    spark.range(4).coalesce(1).write.parquet(str(tmp_path / "parquet"))
    relative = os.path.relpath(tmp_path / "parquet")

    with pytest.raises(DeltaAnalysisError, match="PATH_NOT_FOUND"):
        spark.sql(f"CREATE TABLE delta.`{target}` SHALLOW CLONE parquet.`{relative}/none`")
    spark.sql(f"CREATE TABLE delta.`{target}` SHALLOW CLONE parquet.`{relative}`")

    assert spark.read.format("delta").load(target).count() == 4


def test_partitioned_parquet_is_refused_by_path_before_anything_is_written(spark, tmp_path, target):
    path = str(tmp_path / "parquet")
    spark.range(4).selectExpr("id", "id % 2 AS p").write.partitionBy("p").parquet(path)

    with pytest.raises(DeltaAnalysisError) as caught:
        spark.sql(f"CREATE TABLE delta.`{target}` SHALLOW CLONE parquet.`{path}`")

    expected = "DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME"
    assert caught.value.getCondition() == expected
    assert not Path(target).exists()


def test_versions_of_parquet_are_refused(spark, tmp_path, target):
    path = str(tmp_path / "parquet")
    spark.range(4).write.parquet(path)

    with pytest.raises(DeltaUnsupportedOperationError, match="PUREDELTA_CLONE_NO_VERSIONS"):
        spark.sql(f"CREATE TABLE delta.`{target}` SHALLOW CLONE parquet.`{path}` VERSION AS OF 0")


def test_files_without_counted_rows_get_no_ids(spark, source, target):
    spark.conf.set("spark.databricks.delta.stats.collect", "false")
    try:
        path = source()
    finally:
        spark.conf.unset("spark.databricks.delta.stats.collect")

    with pytest.raises(DeltaUnsupportedOperationError, match="WITHOUT_STATS"):
        clone(spark, path, target, clauses=f"TBLPROPERTIES ({TRACKED})")

    assert not Path(target, "_delta_log", f"{0:020}.json").exists()


def test_clone_at_every_spelling_of_a_version(spark, source, target):
    path = source()

    for number, clause in enumerate(("VERSION AS OF 1", "FOR SYSTEM_VERSION AS OF '1'")):
        clone(spark, path, f"{target}{number}", clauses=clause)
        assert ids(spark, f"{target}{number}") == [1, 2, 3]


def test_times_in_commits_start_anew(spark, source, target):
    path = source()
    spark.sql(
        f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('delta.enableInCommitTimestamps' = 'true')"
    )

    clone(spark, path, target)

    commit = Path(target, "_delta_log", f"{0:020}.json").read_text().splitlines()
    assert "inCommitTimestamp" in json.loads(commit[0])["commitInfo"]
    assert not [key for key in open_table(target).snapshot.configuration if "Enablement" in key]


def test_managed_clone_takes_nothing_of_its_source_along_when_dropped(spark, source):
    path = source()
    spark.sql(f"CREATE OR REPLACE TABLE managed_clone SHALLOW CLONE delta.`{path}`")
    spark.sql("DROP TABLE managed_clone")

    assert ids(spark, path) == [1, 2, 3, 4, 5, 6]


def test_clone_of_files_with_spellings_of_their_own(spark, tmp_path, target):
    folder = tmp_path / "odd"
    folder.mkdir()
    for name in ("a b.parquet", "c%d.parquet", "é.parquet"):
        pq.write_table(pa.table({"id": [len(name)]}), folder / name)
    DeltaTable.convertToDelta(spark, f"parquet.`{folder}`")

    clone(spark, str(folder), target)

    assert ids(spark, target) == [9, 11, 11]
    assert findings(target) == []
