"""REORG TABLE ... APPLY (PURGE): the rows stay, what was deleted leaves the files."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from puredelta import DeltaTable
from puredelta.errors import DeltaConcurrentModificationError, DeltaIllegalStateError
from puredelta.log import open_table

VECTORS = "'delta.enableDeletionVectors' = 'true'"
MAPPED = "'delta.columnMapping.mode' = 'name'"


def make(spark, path, columns, properties, by=""):
    parted = f"PARTITIONED BY ({by})" if by else ""
    spark.sql(
        f"CREATE TABLE delta.`{path}` ({columns}) USING delta {parted} TBLPROPERTIES ({properties})"
    )


def append(frame, path, files=1):
    frame.coalesce(files).write.format("delta").mode("append").save(path)


def purge(spark, path, condition=""):
    return spark.sql(f"REORG TABLE delta.`{path}` {condition} APPLY (PURGE)").first().metrics


def content(spark, path, version=None):
    reader = spark.read.format("delta")
    reader = reader if version is None else reader.option("versionAsOf", version)
    return sorted(map(tuple, reader.load(path).collect()), key=str)


def files(path):
    return open_table(path).snapshot.files.to_pylist()


def rows_in_files(path):
    return [pq.read_table(Path(path) / file["path"]).num_rows for file in files(path)]


@pytest.fixture
def marked(spark, path):
    """Twelve files in three partitions, of which some have rows marked; their rows."""
    make(spark, path, "id BIGINT, v STRING, p STRING", VECTORS, "p")
    for start in range(4):
        rows = spark.range(start * 30, start * 30 + 30)
        named = "CASE WHEN id % 3 = 0 THEN 'x y' WHEN id % 3 = 1 THEN 'q=1' END p"
        append(rows.selectExpr("id", "concat('v', id) v", named), path)
    DeltaTable.forPath(spark, path).delete("id % 10 = 7 AND id > 29")
    return content(spark, path)


def test_rows_stay_and_vectors_go(spark, path, marked):
    metrics = purge(spark, path)

    assert content(spark, path) == marked
    assert all(file["deletion_vector"] is None for file in files(path))
    assert sum(rows_in_files(path)) == len(marked)
    assert (metrics.numFilesRemoved, metrics.numFilesAdded) == (9, 3)
    assert metrics.deletionVectorStats.numDeletionVectorRowsRemoved == 9
    assert content(spark, path, 5) == marked
    assert len(content(spark, path, 4)) == 120


def test_each_bin_becomes_one_file(spark, path, marked):
    sizes = [file["size"] for file in files(path)]
    spark.conf.set("spark.databricks.delta.optimize.maxFileSize", str(2 * max(sizes)))
    try:
        metrics = purge(spark, path)
    finally:
        spark.conf.unset("spark.databricks.delta.optimize.maxFileSize")

    assert metrics.numBins == metrics.numFilesAdded == 6
    assert metrics.partitionsOptimized == 3
    assert content(spark, path) == marked


def test_many_tasks_are_several_jobs(spark, path, marked, monkeypatch):
    monkeypatch.setattr("puredelta.commands.optimize.bin_writing._TASKS_A_JOB", 2)
    spark.conf.set("spark.databricks.delta.optimize.maxFileSize", "1")
    try:
        metrics = purge(spark, path)
    finally:
        spark.conf.unset("spark.databricks.delta.optimize.maxFileSize")

    assert metrics.numBins == metrics.numFilesAdded == metrics.numFilesRemoved == 9
    assert content(spark, path) == marked


def test_partitions_of_a_condition_alone_are_purged(spark, path, marked):
    metrics = purge(spark, path, "WHERE p IS NULL OR p = 'q=1'")

    left = {file["partition_values"][0][1] for file in files(path) if file["deletion_vector"]}
    assert left == {"x y"}
    assert metrics.partitionsOptimized == 2
    assert content(spark, path) == marked


def test_file_of_which_all_rows_are_marked_goes(spark, path):
    make(spark, path, "id BIGINT", VECTORS)
    append(spark.range(3), path)
    append(spark.range(3, 6), path)
    table = DeltaTable.forPath(spark, path)
    table.delete("id = 1")
    table.delete("id = 0")

    purge(spark, path)

    assert content(spark, path) == [(2,), (3,), (4,), (5,)]
    assert sorted(rows_in_files(path)) == [1, 3]


def test_values_of_dropped_columns_leave_the_files(spark, path):
    make(spark, path, "id INT, secret STRING, s STRUCT<a: INT, b: STRING>", MAPPED)
    for number in range(2):
        row = f"{number} AS id, 'hidden' AS secret, named_struct('a', 1, 'b', 'x') AS s"
        append(spark.sql(f"SELECT {row}"), path)
    spark.sql(f"ALTER TABLE delta.`{path}` DROP COLUMN secret")
    append(spark.sql("SELECT 2 AS id, named_struct('a', 1, 'b', 'x') AS s"), path)
    before = content(spark, path)

    metrics = purge(spark, path)

    assert metrics.numFilesRemoved == 2
    assert content(spark, path) == before
    names = [pq.read_schema(Path(path) / file["path"]).names for file in files(path)]
    assert all(len(found) == 2 for found in names)
    assert purge(spark, path).numFilesRemoved == 0


def test_row_ids_do_not_change_and_are_no_dropped_columns(spark, path):
    make(spark, path, "id BIGINT", f"{VECTORS}, {MAPPED}, 'delta.enableRowTracking' = 'true'")
    append(spark.range(6), path)
    DeltaTable.forPath(spark, path).delete("id = 2")

    def ids():
        told = "SELECT id, _metadata.row_id, _metadata.row_commit_version"
        return sorted(map(tuple, spark.sql(f"{told} FROM delta.`{path}`").collect()))

    before = ids()
    purge(spark, path)
    assert ids() == before
    spark.sql(f"ALTER TABLE delta.`{path}` ADD COLUMN w INT")
    spark.sql(f"ALTER TABLE delta.`{path}` DROP COLUMN w")
    assert purge(spark, path).numFilesRemoved == 0


def test_feature_of_vectors_can_be_dropped_then(spark, path, marked):
    purge(spark, path)
    spark.sql(f"ALTER TABLE delta.`{path}` DROP FEATURE deletionVectors")

    assert content(spark, path) == marked


def test_rows_that_get_lost_are_no_commit(spark, path, marked, monkeypatch):
    import puredelta.commands.optimize.purge as module

    write = module.write_bins

    def lossy(target, found, bins):
        return write(target, found, bins[1:])

    monkeypatch.setattr(module, "write_bins", lossy)
    with pytest.raises(DeltaIllegalStateError, match="DELTA_NUM_RECORDS_MISMATCH"):
        purge(spark, path)

    assert open_table(path).version == 5


def test_rows_that_come_meanwhile_stay(spark, path, marked, meanwhile):
    meanwhile(lambda: spark.sql(f"INSERT INTO delta.`{path}` VALUES (999, 'new', 'x y')"))

    purge(spark, path)

    assert content(spark, path) == sorted([*marked, (999, "new", "x y")], key=str)


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        ("DELETE FROM {t} WHERE id = 31", []),
        ("UPDATE {t} SET v = '' WHERE id = 31", [(31, "", "q=1")]),
    ],
)
def test_rows_changed_meanwhile_in_a_purged_file_stay_changed(
    spark, path, marked, meanwhile, change, changed
):
    meanwhile(lambda: spark.sql(change.format(t=f"delta.`{path}`")))

    purge(spark, path)

    assert open_table(path).version == 7
    others = [row for row in marked if row[0] != 31]
    assert content(spark, path) == sorted([*others, *changed], key=str)


def test_who_takes_a_purged_file_away_meanwhile_wins(spark, path, marked, meanwhile):
    meanwhile(lambda: spark.sql(f"DELETE FROM delta.`{path}` WHERE p = 'q=1'"))

    with pytest.raises(DeltaConcurrentModificationError, match="version 6"):
        purge(spark, path)

    assert content(spark, path) == [row for row in marked if row[2] != "q=1"]


def test_who_changes_another_file_meanwhile_is_followed(spark, path, marked, meanwhile):
    meanwhile(lambda: DeltaTable.forPath(spark, path).delete("id = 3"))

    purge(spark, path)

    assert content(spark, path) == [row for row in marked if row[0] != 3]


def test_delete_after_a_purge_of_its_file_is_told(spark, path, marked, meanwhile):
    meanwhile(lambda: purge(spark, path))

    with pytest.raises(DeltaConcurrentModificationError):
        DeltaTable.forPath(spark, path).delete("id = 31")

    assert content(spark, path) == marked


def test_delete_may_be_run_again_after_a_purge(spark, path, marked, meanwhile):
    meanwhile(lambda: purge(spark, path))

    DeltaTable.forPath(spark, path).delete("id = 31", retry=1)

    assert content(spark, path) == [row for row in marked if row[0] != 31]


def test_column_that_comes_meanwhile_is_followed(spark, path, marked, meanwhile):
    meanwhile(lambda: spark.sql(f"ALTER TABLE delta.`{path}` ADD COLUMN w INT"))

    purge(spark, path)

    assert content(spark, path) == [(*row, None) for row in marked]


def test_files_written_with_change_files_have_nothing_to_purge(spark, path):
    make(spark, path, "id BIGINT", "'delta.enableChangeDataFeed' = 'true'")
    append(spark.range(10), path)
    DeltaTable.forPath(spark, path).update("id = 3", {"id": "id + 10"})

    assert purge(spark, path).numFilesRemoved == 0
