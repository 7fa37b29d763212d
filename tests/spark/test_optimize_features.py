"""OPTIMIZE and ZORDER BY of tables with rules and features: what they hold stays in force."""

import threading

import pytest

from puredelta import DeltaTable
from puredelta.commands.optimize import bin_writing
from puredelta.errors import DeltaInvariantViolationError
from puredelta.log import open_table
from tests.spark.changed_rows import actions, last

THREADS = "spark.databricks.delta.optimize.maxThreads"
FILE_SIZE = "spark.databricks.delta.optimize.maxFileSize"
OPTIMIZED = "spark.databricks.delta.optimizeWrite.enabled"
COMPACTED = "spark.databricks.delta.autoCompact.enabled"
REWRITES = {
    "compaction": lambda table: table.optimize().executeCompaction(),
    "z-order": lambda table: table.optimize().executeZOrderBy("id", "v"),
}
COLUMNS = (
    "id BIGINT GENERATED ALWAYS AS IDENTITY, v INT NOT NULL, w INT DEFAULT 7,"
    " g INT GENERATED ALWAYS AS (v * 2)"
)
PROPERTIES = {
    "delta.enableChangeDataFeed": "true",
    "delta.enableRowTracking": "true",
    "delta.feature.allowColumnDefaults": "supported",
}
ROWS = "id, v, w, g, _metadata.row_id AS r, _metadata.row_commit_version AS c"


def make(spark, path, columns, properties, by=""):
    listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
    parted = f"PARTITIONED BY ({by})" if by else ""
    told = f"TBLPROPERTIES ({listed})" if listed else ""
    spark.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta {parted} {told}")


def files(path):
    return open_table(path).snapshot.files.num_rows


def operations(spark, path):
    return [row.operation for row in DeltaTable.forPath(spark, path).history().collect()]


@pytest.mark.parametrize("rewrite", REWRITES.values(), ids=REWRITES)
def test_rules_ids_and_change_feed_stay_what_they_are(spark, path, rewrite):
    make(spark, path, COLUMNS, PROPERTIES)
    spark.sql(f"ALTER TABLE delta.`{path}` ADD CONSTRAINT small CHECK (v < 100)")
    for start in (0, 10, 20):
        spark.range(start, start + 10, 1, 1).selectExpr("int(id) v").write.format("delta").mode(
            "append"
        ).save(path)
    before = sorted(spark.sql(f"SELECT {ROWS} FROM delta.`{path}`").collect())
    schema = open_table(path).snapshot.metadata

    row = rewrite(DeltaTable.forPath(spark, path)).first()

    assert (row.metrics.numFilesRemoved, row.metrics.numFilesAdded) == (3, 1)
    assert sorted(spark.sql(f"SELECT {ROWS} FROM delta.`{path}`").collect()) == before
    version = last(path)
    assert not any(action["dataChange"] for action in actions(path, version, "add"))
    assert not any(action["dataChange"] for action in actions(path, version, "remove"))
    assert not actions(path, version, "cdc")
    assert not actions(path, version, "metaData")
    [info] = actions(path, version, "commitInfo")
    assert info["tags"] == {"delta.rowTracking.preserved": "true"}
    assert open_table(path).snapshot.metadata == schema
    changes = spark.read.format("delta").option("readChangeFeed", "true")
    assert changes.option("startingVersion", version).load(path).count() == 0

    with pytest.raises(DeltaInvariantViolationError, match="CHECK"):
        spark.sql(f"INSERT INTO delta.`{path}` (v) VALUES (100)")
    spark.sql(f"INSERT INTO delta.`{path}` (v) VALUES (50)")
    [new] = spark.sql(f"SELECT id, w, g FROM delta.`{path}` WHERE v = 50").collect()
    assert (new.w, new.g) == (7, 100)
    assert new.id > max(row.id for row in before)


def test_rows_that_break_a_newer_rule_are_moved_as_they_are(spark, path):
    """Rows are not checked again: those of another engine may break a rule that it did not know."""
    make(spark, path, "id BIGINT, p INT", {}, "p")
    for start in (0, 10):
        rows = spark.range(start, start + 10, 1, 1).selectExpr("id", "int(id % 2) p")
        rows.write.format("delta").mode("append").save(path)
    table = DeltaTable.forPath(spark, path)

    metrics = table.optimize().where("p = 1").executeZOrderBy("id").first().metrics

    assert (metrics.partitionsOptimized, metrics.numFilesAdded) == (1, 1)
    assert metrics.zOrderStats.inputOtherFiles.num == 2
    assert sorted(row.id for row in table.toDF().collect()) == list(range(20))


@pytest.mark.parametrize(
    ("properties", "settings", "count", "compacted"),
    [
        ({}, {}, 4, False),
        ({"delta.autoOptimize.optimizeWrite": "true"}, {}, 1, False),
        ({"delta.autoOptimize.optimizeWrite": "false"}, {}, 4, False),
        ({"delta.autoOptimize.optimizeWrite": "true"}, {OPTIMIZED: "false"}, 4, False),
        ({"delta.autoOptimize.optimizeWrite": "false"}, {OPTIMIZED: "true"}, 1, False),
        ({}, {OPTIMIZED: "true"}, 1, False),
        ({"delta.autoOptimize.autoCompact": "true"}, {}, 1, True),
        ({"delta.autoOptimize.autoCompact": "false"}, {}, 4, False),
        ({"delta.autoOptimize.autoCompact": "true"}, {COMPACTED: "false"}, 4, False),
        ({"delta.autoOptimize.autoCompact": "false"}, {COMPACTED: "true"}, 1, True),
        ({}, {COMPACTED: "true"}, 1, True),
        ({"delta.autoOptimize": "true"}, {}, 1, True),
        ({"delta.autoOptimize": "false", "delta.autoOptimize.autoCompact": "true"}, {}, 1, True),
    ],
)
def test_settings_and_properties_decide_about_small_files(
    spark, path, setting, properties, settings, count, compacted
):
    make(spark, path, "id BIGINT", properties)
    for key, value in settings.items():
        setting(key, value)

    spark.range(0, 20, 1, 4).write.format("delta").mode("append").save(path)

    assert files(path) == count
    assert ("OPTIMIZE" in operations(spark, path)) == compacted


@pytest.mark.parametrize("name", ["optimizeWrite", "autoCompact"])
def test_other_values_are_refused(spark, path, name):
    with pytest.raises(Exception, match=f"delta.autoOptimize.{name}"):
        make(spark, path, "id BIGINT", {f"delta.autoOptimize.{name}": "perhaps"})


@pytest.fixture
def parted(spark, path, setting):
    """Three partitions of two files each, whose rows do not fit into one file."""
    make(spark, path, "id BIGINT, p INT", {}, "p")
    for start in (0, 9):
        rows = spark.range(start, start + 9, 1, 1).selectExpr("id", "int(id % 3) p")
        rows.write.format("delta").mode("append").save(path)
    setting(FILE_SIZE, "200")
    return DeltaTable.forPath(spark, path)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_so_many_bins_are_written_at_once(path, parted, setting, monkeypatch, most):
    setting(THREADS, str(most))
    write, together = bin_writing.write_rows, threading.Barrier(most)
    running, seen, lock = [0], [], threading.Lock()

    def counted(*args, **kwargs):
        with lock:
            running[0] += 1
            seen.append(running[0])
        # The first ones wait for each other: fewer threads would never get here.
        if len(seen) <= most:
            together.wait(60)
        try:
            return write(*args, **kwargs)
        finally:
            with lock:
                running[0] -= 1

    monkeypatch.setattr(bin_writing, "write_rows", counted)

    metrics = parted.optimize().executeZOrderBy("id").first().metrics

    assert max(seen) == most
    assert metrics.numBins == 3
    assert sorted(row.id for row in parted.toDF().collect()) == list(range(18))


def test_bin_that_fails_takes_the_files_of_the_others_away(path, tmp_path, parted, monkeypatch):
    write, number, lock = bin_writing.write_rows, [0], threading.Lock()

    def failing(*args, **kwargs):
        with lock:
            number[0] += 1
            turn = number[0]
        if turn == 2:
            raise RuntimeError("no luck")
        return write(*args, **kwargs)

    before = sorted((tmp_path / "t").rglob("*.parquet"))
    monkeypatch.setattr(bin_writing, "write_rows", failing)

    with pytest.raises(RuntimeError, match="no luck"):
        parted.optimize().executeZOrderBy("id")

    assert sorted((tmp_path / "t").rglob("*.parquet")) == before
    assert open_table(path).version == 2
