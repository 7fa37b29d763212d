"""A write tells how many of its tasks are done, when it is asked to."""

import re

import pytest

from puredelta._util import progress
from puredelta.engine.session import progress as job


@pytest.fixture
def impatient(monkeypatch):
    """Show at once what would be shown after a second, and look often."""
    monkeypatch.setattr(progress, "AFTER_SECONDS", 0.0)
    monkeypatch.setattr(progress, "_EVERY_SECONDS", 0.0)
    monkeypatch.setattr(job, "_SECONDS_BETWEEN_LOOKS", 0.01)


@pytest.fixture
def mode(spark):
    def choose(text):
        spark.conf.set("spark.puredelta.progress", text)

    yield choose
    spark.conf.unset("spark.puredelta.progress")


def write(spark, path):
    rows = spark.range(0, 200_000, 1, 4).selectExpr("sha2(repeat(string(id), 40), 512) AS text")
    rows.write.format("delta").save(str(path))


def test_write_tells_its_tasks_and_footers(spark, impatient, mode, tmp_path, capsys):
    mode("ON ")

    write(spark, tmp_path / "t")

    shown = capsys.readouterr().err
    assert re.search(r"^writing: [0-4] of 4 tasks$", shown, re.MULTILINE)
    assert "reading footers: 4 of 4 files" in shown
    assert not spark.sparkContext.getJobTags()


def test_statement_tells_its_tasks(spark, impatient, mode, tmp_path, capsys):
    mode("on")

    spark.sql(
        f"CREATE TABLE delta.`{tmp_path / 't'}` USING delta AS "
        "SELECT /*+ REPARTITION(3) */ sha2(repeat(string(id), 40), 512) AS text FROM range(100000)"
    )

    assert re.search(r"^writing: \d+ of \d+ tasks$", capsys.readouterr().err, re.MULTILINE)


@pytest.mark.parametrize("text", ["auto", "off"])
def test_nothing_is_shown_where_nobody_looks(spark, impatient, mode, tmp_path, capsys, text):
    mode(text)

    write(spark, tmp_path / "t")

    assert capsys.readouterr().err == ""


def test_failed_write_leaves_no_tag(spark, impatient, mode, tmp_path, capsys):
    mode("on")
    rows = spark.range(0, 100_000, 1, 4).selectExpr("raise_error(string(id)) AS text")

    with pytest.raises(Exception, match="USER_RAISED_EXCEPTION"):
        rows.selectExpr("CAST(text AS STRING)").write.format("delta").save(str(tmp_path / "t"))

    assert not spark.sparkContext.getJobTags()
    capsys.readouterr()


def test_text_that_is_no_mode_is_refused(spark, mode, tmp_path):
    mode("loud")

    with pytest.raises(Exception, match=r"spark\.puredelta\.progress"):
        write(spark, tmp_path / "t")
