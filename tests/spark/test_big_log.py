"""A version read by Spark jobs over the log gives the answers that the driver gives."""

import logging
import shutil

import pytest

from puredelta.engine.dml.candidate_files import choices
from puredelta.engine.scan import distributed_log
from puredelta.engine.scan.distributed_log import MIN_FILES
from puredelta.log.table_log import clear_cache
from tests.spark.hand_made import adds_of, commit

WRITES = 12


@pytest.fixture(scope="module")
def table(spark, tmp_path_factory):
    """A table with a checkpoint, commits after it that add and remove, and special partitions."""
    root = tmp_path_factory.mktemp("big") / "t"
    for number in range(WRITES):
        frame = spark.range(number * 9, number * 9 + 9).selectExpr(
            "id", "CASE id % 3 WHEN 0 THEN 'a+b %' WHEN 1 THEN 'ü:c' END AS p"
        )
        frame.coalesce(1).write.format("delta").mode("append").partitionBy("p").save(str(root))
    gone = adds_of(root)[0]
    commit(root, {"remove": {"path": gone["path"], "dataChange": True}})
    return str(root)


def answers(spark, path):
    clear_cache()
    frame = spark.read.format("delta").load(path)
    return {
        "rows": sorted(row.id for row in frame.collect()),
        "one partition": frame.where("p = 'ü:c'").agg({"id": "sum"}).first()[0],
        "null partition": frame.where("p IS NULL").count(),
        "none": frame.where("p = 'x'").count(),
        "by statistics": sorted(row.id for row in frame.where("id BETWEEN 20 AND 30").collect()),
        "files by statistics": [c.files.num_rows for c in choices(frame.where("id > 100"))],
        "first": frame.limit(4).count(),
        "counted": frame.count(),
        "files": sorted(frame.inputFiles()),
    }


@pytest.fixture(params=[1_000_000, 3], ids=["at once", "in pieces"])
def at_once(request, monkeypatch):
    """How many files the driver has room for while statistics choose among them."""
    monkeypatch.setattr(distributed_log, "_FILES_AT_ONCE", request.param)


@pytest.fixture(params=["classic", "v2"])
def checkpointed(spark, table, request, tmp_path):
    """A copy of the table with a checkpoint in one file, or in sidecars of few files each."""
    copy = tmp_path / "t"
    shutil.copytree(table, copy)
    if request.param == "v2":
        spark.conf.set("spark.databricks.delta.checkpoint.partSize", "7")
        try:
            spark.sql(
                f"ALTER TABLE delta.`{copy}` SET TBLPROPERTIES "
                "('delta.checkpointPolicy' = 'v2', 'delta.checkpointInterval' = '1')"
            )
        finally:
            spark.conf.unset("spark.databricks.delta.checkpoint.partSize")
        assert len(list((copy / "_delta_log/_sidecars").iterdir())) > 3
    return str(copy)


@pytest.mark.usefixtures("at_once")
def test_answers_are_those_of_the_driver(spark, checkpointed, caplog):
    table = checkpointed
    expected = answers(spark, table)
    caplog.set_level(logging.INFO, logger="puredelta.engine.scan.distributed_log")
    spark.conf.set(MIN_FILES, "1")
    try:
        found = answers(spark, table)
    finally:
        spark.conf.unset(MIN_FILES)

    assert "by Spark" in caplog.text
    assert found == expected
    assert len(expected["rows"]) == WRITES * 9 - 3
    assert len(expected["files"]) == WRITES * 3 - 1


def test_small_version_stays_with_the_driver(spark, table, caplog):
    caplog.set_level(logging.INFO, logger="puredelta.engine.scan.distributed_log")

    answers(spark, table)

    assert caplog.text == ""
