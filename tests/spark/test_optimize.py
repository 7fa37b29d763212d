"""OPTIMIZE: rows stay what they are, in fewer files; other writers are followed or named."""

import threading
from pathlib import Path

import deltalake
import pytest
from pyspark.errors import AnalysisException

from puredelta import DeltaTable
from puredelta.api import OptimizePreview
from puredelta.errors import DeltaConcurrentModificationError, DeltaIllegalStateError
from puredelta.log import open_table
from puredelta.txn.transaction import Transaction

VECTORS = "'delta.enableDeletionVectors' = 'true'"
AUTO = "spark.databricks.delta.autoCompact."


def make(spark, path, columns, properties=VECTORS, by=""):
    parted = f"PARTITIONED BY ({by})" if by else ""
    spark.sql(
        f"CREATE TABLE delta.`{path}` ({columns}) USING delta {parted} TBLPROPERTIES ({properties})"
    )


def append(frame, path, files=1):
    frame.coalesce(files).write.format("delta").mode("append").save(path)


def content(spark, path):
    return sorted(map(tuple, spark.read.format("delta").load(path).collect()), key=str)


def files(path):
    return open_table(path).snapshot.files.to_pylist()


def history(spark, path):
    return [row.operation for row in DeltaTable.forPath(spark, path).history().collect()]


def optimize(spark, path, clauses=""):
    return spark.sql(f"OPTIMIZE delta.`{path}` {clauses}").first().metrics


@pytest.fixture
def small(spark, path):
    """Four files of an unpartitioned table; their rows."""
    columns = "id BIGINT, v STRING, m MAP<STRING, INT>, d DOUBLE"
    make(spark, path, columns)
    for start in range(0, 40, 10):
        rows = spark.range(start, start + 10)
        double = "CASE WHEN id % 4 = 0 THEN double('NaN') ELSE id / 3 END d"
        append(rows.selectExpr("id", "concat('v', id % 5) v", "map('k', int(id)) m", double), path)
    return content(spark, path)


def ids(rows):
    return [row[0] for row in rows]


def test_rows_deleted_meanwhile_stay_deleted(spark, path, small, meanwhile):
    meanwhile(lambda: DeltaTable.forPath(spark, path).delete("id IN (3, 14, 15)"))

    metrics = optimize(spark, path)

    assert (metrics.numFilesRemoved, metrics.numFilesAdded) == (4, 1)
    assert sorted(ids(content(spark, path))) == [n for n in range(40) if n not in (3, 14, 15)]
    assert [file["deletion_vector"]["cardinality"] for file in files(path)] == [3]
    assert history(spark, path)[:2] == ["OPTIMIZE", "DELETE"]


def test_rows_deleted_in_two_steps_meanwhile_stay_deleted(spark, path, small, meanwhile):
    table = DeltaTable.forPath(spark, path)

    def first():
        meanwhile(lambda: table.delete("id = 4"))
        table.delete("id = 3")

    meanwhile(first)
    optimize(spark, path)

    assert sorted(ids(content(spark, path))) == [n for n in range(40) if n not in (3, 4)]


def test_equal_rows_are_deleted_as_often_as_they_were(spark, path, meanwhile):
    make(spark, path, "id BIGINT")
    for _ in range(2):
        append(spark.sql("SELECT * FROM VALUES (1L), (1L), (2L) AS v(id)"), path)
    meanwhile(lambda: DeltaTable.forPath(spark, path).delete("id = 1"))

    optimize(spark, path)

    assert content(spark, path) == [(2,), (2,)]


def test_ids_of_tracked_rows_say_which_of_equal_rows_is_deleted(spark, path, meanwhile):
    make(spark, path, "id BIGINT", f"{VECTORS}, 'delta.enableRowTracking' = 'true'")
    for _ in range(2):
        append(spark.sql("SELECT * FROM VALUES (7L), (7L) AS v(id)"), path)
    rows = f"SELECT _metadata.row_id FROM delta.`{path}`"
    meanwhile(lambda: spark.sql(f"DELETE FROM delta.`{path}` WHERE _metadata.row_id = 1"))

    optimize(spark, path)

    assert sorted(row[0] for row in spark.sql(rows).collect()) == [0, 2, 3]


def test_rows_updated_meanwhile_are_there_once(spark, path, small, meanwhile):
    meanwhile(lambda: DeltaTable.forPath(spark, path).update("id = 21", {"v": "'new'"}))

    optimize(spark, path)

    rows = content(spark, path)
    assert sorted(ids(rows)) == list(range(40))
    assert [row[1] for row in rows if row[0] == 21] == ["new"]


def test_file_taken_away_meanwhile_is_a_conflict_with_its_name(spark, path, small, meanwhile):
    meanwhile(lambda: DeltaTable.forPath(spark, path).delete("id < 10"))

    with pytest.raises(DeltaConcurrentModificationError, match="version 5"):
        optimize(spark, path)

    assert sorted(ids(content(spark, path))) == list(range(10, 40))


def test_rows_appended_meanwhile_stay(spark, path, small, meanwhile):
    rows = spark.range(100, 101).selectExpr("id", "'n' v", "map('k', 1) m", "0.5D d")
    meanwhile(lambda: append(rows, path))

    optimize(spark, path)

    assert sorted(ids(content(spark, path))) == [*range(40), 100]
    assert len(files(path)) == 2


MAPPED = "'delta.columnMapping.mode' = 'name', 'delta.enableTypeWidening' = 'true'"


def test_column_that_another_engine_adds_meanwhile_is_followed(spark, path, meanwhile):
    make(spark, path, "id BIGINT", "'delta.minWriterVersion' = '2'")
    for start in (0, 10):
        append(spark.range(start, start + 10), path)
    column = deltalake.Field("n", "integer")
    meanwhile(lambda: deltalake.DeltaTable(path).alter.add_columns([column]))

    metrics = optimize(spark, path)

    assert (metrics.numFilesRemoved, metrics.numFilesAdded) == (2, 1)
    assert history(spark, path)[:2] == ["OPTIMIZE", "ADD COLUMN"]
    assert content(spark, path) == sorted(((n, None) for n in range(20)), key=str)


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ("ADD COLUMN m INT", "id, v, m"),
        ("RENAME COLUMN v TO w", "id, w"),
        ("DROP COLUMN v", "id"),
        ("ALTER COLUMN v TYPE BIGINT", "id, v"),
        ("ALTER COLUMN v FIRST", "v, id"),
        ("ADD CONSTRAINT positive CHECK (id >= 0)", "id, v"),
        ("SET TBLPROPERTIES ('delta.appendOnly' = 'true')", "id, v"),
    ],
)
def test_changes_of_the_table_meanwhile_are_followed(spark, path, meanwhile, change, shown):
    make(spark, path, "id BIGINT, v INT", MAPPED)
    for start in (0, 10):
        append(spark.range(start, start + 10).selectExpr("id", "int(id) v"), path)
    meanwhile(lambda: spark.sql(f"ALTER TABLE delta.`{path}` {change}"))

    optimize(spark, path)

    assert len(files(path)) == 1
    rows = spark.sql(f"SELECT * FROM delta.`{path}` ORDER BY id")
    assert ", ".join(rows.columns) == shown
    expected = [{"id": n, "v": n, "w": n, "m": None} for n in range(20)]
    assert [row.asDict() for row in rows.collect()] == [
        {name: row[name] for name in shown.split(", ")} for row in expected
    ]


def test_partition_column_renamed_meanwhile_is_a_conflict(spark, path, meanwhile):
    make(spark, path, "id BIGINT, p INT", MAPPED, by="p")
    for _ in range(2):
        append(spark.range(4).selectExpr("id", "int(id % 2) p"), path)
    meanwhile(lambda: spark.sql(f"ALTER TABLE delta.`{path}` RENAME COLUMN p TO q"))

    with pytest.raises(DeltaConcurrentModificationError, match="DELTA_METADATA_CHANGED"):
        optimize(spark, path)

    assert len(files(path)) == 4


def test_restore_to_a_narrower_type_meanwhile_is_a_conflict(spark, path, meanwhile):
    make(spark, path, "id BIGINT, v INT", MAPPED)
    for start in (0, 10):
        append(spark.range(start, start + 10).selectExpr("id", "int(id) v"), path)
    spark.sql(f"ALTER TABLE delta.`{path}` ALTER COLUMN v TYPE BIGINT")
    meanwhile(lambda: DeltaTable.forPath(spark, path).restoreToVersion(2))

    with pytest.raises(DeltaConcurrentModificationError):
        optimize(spark, path)

    assert ids(content(spark, path)) == sorted(range(20), key=lambda n: str((n, n)))


def test_lost_rows_are_no_commit(spark, path, small, monkeypatch):
    import puredelta.commands.optimize.compaction as module

    write = module.write_bins

    def lossy(target, found, bins):
        return write(target, found.slice(0, 1), [type(bins[0])("", (0,), 1)])

    monkeypatch.setattr(module, "write_bins", lossy)
    with pytest.raises(DeltaIllegalStateError, match="DELTA_NUM_RECORDS_MISMATCH"):
        optimize(spark, path)

    assert str(content(spark, path)) == str(small)
    assert open_table(path).version == 4


def test_dry_run_says_what_would_be_done_and_writes_nothing(spark, path):
    make(spark, path, "id BIGINT, p STRING", by="p")
    for _ in range(3):
        append(spark.sql("SELECT * FROM VALUES (1L, 'x'), (2L, 'y') AS v(id, p)"), path)
    append(spark.sql("SELECT 3L id, 'z' p"), path)
    builder = DeltaTable.forPath(spark, path).optimize()

    preview = builder.executeCompaction(dryRun=True)

    assert isinstance(preview, OptimizePreview)
    assert (preview.considered_files, preview.files, preview.bins) == (7, 6, 2)
    assert [(part.partition, part.files) for part in preview.partitions] == [("p=x", 3), ("p=y", 3)]
    assert builder.where("p = 'x'").explain().files == 3
    assert "p=x: 3 files" in str(preview)
    assert "<th>p=x</th>" in preview._repr_html_()
    assert open_table(path).version == 4


# Each type that is read without Spark, and values of it.
SIMPLE = {
    "TINYINT": "id % 100",
    "SMALLINT": "-id",
    "INT": "id",
    "FLOAT": "'NaN'",
    "DOUBLE": "-0D",
    "BOOLEAN": "id % 2 = 0",
    "STRING": "concat('ä', id)",
    "CHAR(6)": "concat('c', id)",
    "VARCHAR(5)": "concat('v', id)",
    "BINARY": "string(id)",
    "DATE": "date'1500-01-01' + int(id)",
    "TIMESTAMP": "timestamp'1850-01-01 00:00:01.000001' + make_interval(int(id))",
    "TIMESTAMP_NTZ": "timestamp_ntz'2026-10-25 02:30:00'",
    "DECIMAL(5, 2)": "decimal(id) / 100",
    "DECIMAL(38, 10)": "id * 1000000000000000000.5BD",
}


@pytest.mark.parametrize("type_of_instants", ["TIMESTAMP_MICROS", "INT96"])
def test_many_small_files_have_the_rows_that_they_had(
    spark, path, setting, monkeypatch, type_of_instants
):
    import puredelta.commands.optimize.bin_writing as module

    seen, read = [], module.read_small_files
    monkeypatch.setattr(
        module, "read_small_files", lambda *args: seen.append(read(*args)) or seen[-1]
    )
    setting("spark.sql.parquet.outputTimestampType", type_of_instants)
    columns = [f"c{n} {data_type}" for n, data_type in enumerate(SIMPLE)]
    values = [
        f"IF(id % 3 = 0, NULL, CAST({value} AS {kind})) c{n}"
        for n, (kind, value) in enumerate(SIMPLE.items())
    ]
    make(spark, path, ", ".join(["id BIGINT NOT NULL", *columns]))
    append(spark.range(0, 240, 1, 120).selectExpr("id", *values), path, files=120)
    before = content(spark, path)

    metrics = optimize(spark, path)

    assert [rows.num_rows for rows in seen] == [240]
    assert (metrics.numFilesRemoved, metrics.numFilesAdded) == (120, 1)
    assert str(content(spark, path)) == str(before)


def test_each_group_of_bins_is_a_version_where_the_session_asks(spark, path, setting):
    make(spark, path, "id BIGINT, p INT", by="p")
    for _ in range(2):
        append(spark.range(12).selectExpr("id", "int(id % 6) p"), path)
    before = content(spark, path)
    setting("spark.puredelta.optimize.commitEachBin", "true")

    metrics = optimize(spark, path)

    versions = -(-6 // spark.sparkContext.defaultParallelism)
    assert metrics.numBatches == versions
    assert history(spark, path)[:versions] == ["OPTIMIZE"] * versions
    assert (metrics.numFilesRemoved, metrics.numFilesAdded) == (12, 6)
    assert content(spark, path) == before


def test_optimize_that_was_stopped_goes_on_where_it_was(spark, path, setting, monkeypatch):
    make(spark, path, "id BIGINT, p INT", by="p")
    for _ in range(2):
        append(spark.range(12).selectExpr("id", "int(id % 6) p"), path)
    before = content(spark, path)
    setting("spark.databricks.delta.optimize.batchSize", "1")
    commits = []
    commit = Transaction.commit

    def stopped(self, *args, **kwargs):
        if len(commits) == 2:
            raise KeyboardInterrupt
        commits.append(1)
        return commit(self, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "commit", stopped)
        with pytest.raises(KeyboardInterrupt):
            optimize(spark, path)
    assert len(files(path)) == 10

    metrics = optimize(spark, path)

    assert metrics.numFilesRemoved == 8
    assert len(files(path)) == 6
    assert content(spark, path) == before


def test_optimize_whose_jobs_were_cancelled_goes_on_where_it_was(spark, path, setting):
    make(spark, path, "id BIGINT, p INT", by="p")
    for _ in range(2):
        append(spark.range(24).selectExpr("id", "int(id % 12) p"), path)
    before, commits = content(spark, path), Path(path, "_delta_log").glob
    written = len(list(commits("*.json")))
    setting("spark.databricks.delta.optimize.batchSize", "1")
    ended = threading.Event()

    def cancel():
        while not ended.wait(0.005):
            if len(list(commits("*.json"))) > written:
                spark.sparkContext.cancelAllJobs()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    try:
        with pytest.raises(Exception, match="cancelled"):
            optimize(spark, path)
    finally:
        ended.set()
        canceller.join()
    left = len(files(path))
    # Each commit put one file in the place of two.
    assert left == 24 - (len(list(commits("*.json"))) - written)
    assert 12 < left < 24

    metrics = optimize(spark, path)

    assert metrics.numFilesRemoved == 2 * (left - 12)
    assert len(files(path)) == 12
    assert content(spark, path) == before


def test_compaction_that_fails_after_a_write_leaves_the_write_and_no_files(
    spark, path, setting, monkeypatch, caplog
):
    import puredelta.commands.optimize.rewrite as module

    def failing(*_):
        raise DeltaIllegalStateError("DELTA_METADATA_ABSENT")

    monkeypatch.setattr(module, "commit_moved", failing)
    make(spark, path, "id BIGINT")
    setting(f"{AUTO}enabled", "true")
    append(spark.range(0, 10, 1, 2), path, files=2)

    assert ids(content(spark, path)) == list(range(10))
    assert "putting its small files together failed" in caplog.text
    found = {file.name for file in Path(path).glob("*.parquet")}
    assert found == {file["path"] for file in files(path)}

    setting("spark.databricks.delta.postCommitHook.throwOnError", "true")
    with pytest.raises(Exception, match="DELTA_POST_COMMIT_HOOK_FAILED"):
        append(spark.range(10, 20, 1, 2), path, files=2)
    assert len(content(spark, path)) == 20


@pytest.mark.parametrize("value", ["true", "TRUE"])
def test_table_asks_for_compaction_after_writes(spark, path, value):
    make(spark, path, "id BIGINT", f"'delta.autoOptimize.autoCompact' = '{value}'")
    append(spark.range(0, 10, 1, 2), path, files=2)

    assert history(spark, path) == ["OPTIMIZE", "WRITE", "CREATE TABLE"]
    assert len(files(path)) == 1


def test_session_says_no_to_compaction_after_writes(spark, path, setting):
    setting(f"{AUTO}enabled", "false")
    make(spark, path, "id BIGINT", "'delta.autoOptimize.autoCompact' = 'true'")
    append(spark.range(0, 10, 1, 2), path, files=2)

    assert history(spark, path) == ["WRITE", "CREATE TABLE"]


def test_columns_for_a_z_order_must_be_names(spark, path, small):
    builder = DeltaTable.forPath(spark, path).optimize()

    with pytest.raises(TypeError, match="each a str"):
        builder.executeZOrderBy(1)
    with pytest.raises(TypeError, match="must be a str"):
        builder.where(1)
    with pytest.raises(AnalysisException):
        builder.where("id = 1").executeCompaction()
