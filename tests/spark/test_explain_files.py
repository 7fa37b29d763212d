"""`DeltaTable.explain_files` says which files a condition reads, and why not the others."""

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F  # noqa: N812  # the name PySpark's users know

from puredelta import DeltaTable


@pytest.fixture(scope="module")
def place(spark, tmp_path_factory) -> str:
    """Four files: halves 0 and 1, ids 0 to 49 and 50 to 99."""
    path = str(tmp_path_factory.mktemp("explained") / "t")
    for start in (0, 50):
        rows = spark.range(start, start + 50).selectExpr("id", "id % 2 AS half", "id * 1.5 AS x")
        rows.coalesce(1).write.format("delta").mode("append").partitionBy("half").save(path)
    return path


@pytest.fixture
def table(spark, place) -> DeltaTable:
    return DeltaTable.forPath(spark, place)


def test_without_condition_all_files_are_read(table):
    told = table.explain_files()

    assert (told.files, told.all_files, told.version) == (4, 4, 1)
    assert told.bytes == told.all_bytes > 0
    assert told.parts == ()
    assert str(told).endswith("there is no condition")


def test_statistics_leave_out_files(table):
    told = table.explain_files("id < 10")

    assert (told.files, told.all_files) == (2, 4)
    (part,) = [part for part in told.parts if part.files_skipped]
    assert (part.by, part.files_skipped) == ("statistics", 2)
    assert part.bytes_skipped == told.all_bytes - told.bytes
    assert "reads 2 of 4 files" in str(told)
    assert "skips 2 files" in str(told)
    assert len(told.paths()) == 2


def test_partitions_and_statistics_together(table):
    told = table.explain_files((F.col("half") == 1) & (F.col("x") >= 140))

    assert told.files == 1
    assert {part.by for part in told.parts if part.files_skipped} == {"partitions", "statistics"}
    assert "half" in told.paths()[0]
    assert "half = " in told.condition


def test_condition_that_is_never_true_reads_nothing(table):
    told = table.explain_files("false")

    assert (told.files, told.bytes, told.all_files) == (0, 0, 4)
    assert told.paths() == []
    assert "never true" in str(told)


def test_condition_that_nothing_is_known_about_reads_all(table):
    told = table.explain_files("rand() < 0.5")

    assert told.files == 4


def test_notebook_shows_what_each_part_does(table):
    html = table.explain_files("id < 10")._repr_html_()

    assert "reads 2 of 4 files" in html
    assert "&lt;" in html


def test_condition_over_a_column_that_is_not_there(table):
    with pytest.raises(AnalysisException, match="UNRESOLVED_COLUMN"):
        table.explain_files("nowhere = 1")
