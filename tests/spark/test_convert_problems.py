"""What a conversion finds wrong with files: told by dry runs, fatal, or left out if one asks so."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from puredelta.conversion.report import Conversion
from puredelta.errors import DeltaError
from puredelta.tables import DeltaTable

CLAUSE = "year INT"
BAD = ["year=2022/broken.parquet", "year=2022/other.parquet", "year=later/c.parquet"]


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    """Two years of two rows each."""
    folder = tmp_path / "sales"
    for year in (2021, 2022):
        (folder / f"year={year}").mkdir(parents=True)
        pq.write_table(_rows(year), folder / f"year={year}" / "a.parquet")
    return folder


@pytest.fixture
def bad_sales(sales: Path) -> Path:
    """The same with a torn file, one with another type, and one whose year is none."""
    (sales / "year=2022" / "broken.parquet").write_bytes(b"PAR1, then the power went")
    pq.write_table(pa.table({"id": ["x"]}), sales / "year=2022" / "other.parquet")
    (sales / "year=later").mkdir()
    pq.write_table(_rows(2030), sales / "year=later" / "c.parquet")
    return sales


def _rows(start: int) -> pa.Table:
    return pa.table({"id": pa.array([start, start + 1], pa.int64()), "paid": [True, None]})


def _convert(spark: SparkSession, folder: Path, **asked: object) -> DeltaTable | Conversion:
    clause = asked.pop("clause", CLAUSE)
    return DeltaTable.convertToDelta(spark, f"parquet.`{folder}`", clause, **asked)


def _names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


# ---- dry runs


def test_dry_run_tells_what_would_be_and_writes_nothing(spark, sales):
    before = _names(sales)

    told = _convert(spark, sales, dryRun=True)

    assert isinstance(told, Conversion)
    assert told.is_dry_run
    assert told.would_succeed
    assert told.version is None
    assert (told.files, told.rows) == (2, 4)
    assert told.size == sum(path.stat().st_size for path in sales.rglob("*.parquet"))
    assert told.schema.names == ["id", "paid", "year"]
    assert told.partition_columns == ("year",)
    assert _names(sales) == before


def test_dry_run_tells_each_bad_file_and_why(spark, bad_sales):
    before = _names(bad_sales)

    told = _convert(spark, bad_sales, dryRun=True)

    assert not told.would_succeed
    assert sorted(problem.path for problem in told.problems) == BAD
    assert {problem.path: problem.condition for problem in told.problems} == {
        BAD[0]: "DELTA_FAILED_READ_FILE_FOOTER",
        BAD[1]: "DELTA_FAILED_MERGE_SCHEMA_FILE",
        BAD[2]: "DELTA_FAILED_CAST_PARTITION_VALUE",
    }
    assert all(problem.path in problem.reason for problem in told.problems)
    assert (told.files, told.rows) == (2, 4)
    assert _names(bad_sales) == before


def test_dry_run_that_may_skip_tells_what_would_be_left_out(spark, bad_sales):
    told = _convert(spark, bad_sales, dryRun=True, onBadFile="skip")

    assert told.would_succeed
    assert sorted(file.path for file in told.skipped) == BAD
    assert told.skipped_count == 3


def test_dry_run_tells_of_a_schema_that_no_table_can_have(spark, tmp_path):
    pq.write_table(pa.table({"a b": [1]}), tmp_path / "a.parquet")

    told = _convert(spark, tmp_path, dryRun=True, clause=None)

    assert not told.would_succeed
    assert [problem.path for problem in told.problems] == [""]
    assert told.problems[0].condition.startswith("DELTA_INVALID_CHARACTERS")
    with pytest.raises(DeltaError) as error:
        _convert(spark, tmp_path, clause=None)
    assert error.value.condition == told.problems[0].condition


def test_rows_under_names_that_cannot_be_converted_go_into_a_table_with_column_mapping(
    spark, tmp_path
):
    pq.write_table(pa.table({"a b": [1]}), tmp_path / "a.parquet")

    with pytest.raises(DeltaError) as error:
        _convert(spark, tmp_path, clause=None)
    advice = str(error.value).partition("CREATE TABLE ... ")[2].partition("`...`")[0]
    spark.sql(f"CREATE TABLE delta.`{tmp_path}/new` {advice}`{tmp_path}/a.parquet`")

    rows = spark.read.format("delta").load(f"{tmp_path}/new").collect()
    assert [row.asDict() for row in rows] == [{"a b": 1}]


def test_dry_run_of_a_delta_table_has_nothing_to_do(spark, sales):
    _convert(spark, sales)

    told = _convert(spark, sales, dryRun=True)

    assert told.is_delta_already
    assert told.would_succeed


def test_dry_run_and_conversion_tell_the_same(spark, sales):
    told = _convert(spark, sales, dryRun=True)

    table = _convert(spark, sales)

    detail = table.detail().first()
    assert (detail.numFiles, detail.sizeInBytes) == (told.files, told.size)
    assert detail.partitionColumns == list(told.partition_columns)
    assert table.toDF().count() == told.rows
    assert table.toDF().columns == told.schema.names


def test_dry_run_of_no_folder_is_an_error(spark, tmp_path):
    with pytest.raises(DeltaError) as told:
        _convert(spark, tmp_path / "gone", dryRun=True)

    assert str(tmp_path / "gone") in str(told.value)
    assert not (tmp_path / "gone").exists()


# ---- bad files


@pytest.mark.parametrize("index", range(3))
def test_bad_file_fails_the_conversion_by_name_and_leaves_parquet(spark, bad_sales, index):
    for number, name in enumerate(BAD):
        if number != index:
            (bad_sales / name).unlink()
    before = _names(bad_sales)

    with pytest.raises(DeltaError) as told:
        _convert(spark, bad_sales)

    assert BAD[index] in str(told.value)
    assert not (bad_sales / "_delta_log" / f"{0:020}.json").exists()
    assert _names(bad_sales) - {"_delta_log"} == before
    (bad_sales / BAD[index]).unlink()
    assert _convert(spark, bad_sales).toDF().count() == 4


def test_bad_files_are_left_out_and_told(spark, bad_sales, caplog):
    with caplog.at_level(logging.WARNING, "puredelta"):
        table = _convert(spark, bad_sales, onBadFile="skip")

    assert table.toDF().count() == 4
    report = table.conversion
    assert report.version == 0
    assert sorted(file.path for file in report.skipped) == BAD
    assert report.skipped_count == 3
    assert report.skipped_size == sum((bad_sales / name).stat().st_size for name in BAD)
    assert all(name in caplog.text for name in BAD)
    assert all((bad_sales / name).exists() for name in BAD)


def test_rows_without_the_files_left_out_are_those_of_the_others(spark, bad_sales):
    table = _convert(spark, bad_sales, onBadFile="skip")

    rows = table.toDF().orderBy("year", "id").collect()
    assert [(row.year, row.id, row.paid) for row in rows] == [
        (2021, 2021, True),
        (2021, 2022, None),
        (2022, 2022, True),
        (2022, 2023, None),
    ]


def test_conversion_without_a_bad_file_has_no_report_of_skipped_ones(spark, sales, caplog):
    with caplog.at_level(logging.WARNING, "puredelta"):
        table = _convert(spark, sales, onBadFile="skip")

    assert table.conversion is None or table.conversion.skipped_count == 0
    assert caplog.text == ""


def test_table_by_path_has_no_report(spark, sales):
    _convert(spark, sales)

    assert DeltaTable.forPath(spark, str(sales)).conversion is None


@pytest.mark.parametrize("dry_run", [False, True])
def test_folder_with_bad_files_alone_is_not_converted(spark, tmp_path, dry_run):
    (tmp_path / "a.parquet").write_bytes(b"no Parquet")

    with pytest.raises(DeltaError) as told:
        _convert(spark, tmp_path, clause=None, onBadFile="skip", dryRun=dry_run)

    assert told.value.condition == "DELTA_EMPTY_DIRECTORY.ALL_LEFT_OUT"
    assert _names(tmp_path) - {"_delta_log"} == {"a.parquet"}


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1PAR1", os.urandom(4096), b"x" * 65 * 1024])
def test_file_that_is_no_parquet_is_told_from_one_that_is(spark, sales, content):
    (sales / "year=2021" / "b.parquet").write_bytes(content)

    told = _convert(spark, sales, dryRun=True)

    assert [problem.path for problem in told.problems] == ["year=2021/b.parquet"]
    assert told.files == 2


def test_file_cut_in_its_footer_is_told(spark, sales):
    whole = (sales / "year=2021" / "a.parquet").read_bytes()
    (sales / "year=2021" / "cut.parquet").write_bytes(whole[:-20])
    (sales / "year=2021" / "cut2.parquet").write_bytes(whole[-30:])

    told = _convert(spark, sales, dryRun=True)

    assert sorted(Path(one.path).name for one in told.problems) == ["cut.parquet", "cut2.parquet"]


def test_first_file_that_is_bad_does_not_decide_the_schema(spark, sales):
    (sales / "year=2020").mkdir()
    (sales / "year=2020" / "a.parquet").write_bytes(b"torn")

    table = _convert(spark, sales, onBadFile="skip")

    assert table.toDF().columns == ["id", "paid", "year"]
    assert table.toDF().count() == 4


def test_word_for_bad_files_that_there_is_not_is_refused(spark, sales):
    with pytest.raises(DeltaError) as told:
        _convert(spark, sales, onBadFile="guess")

    assert told.value.condition == "PUREDELTA_CONVERT_ON_BAD_FILE"
    assert "guess" in str(told.value)
    assert "skip" in str(told.value)


def test_column_whose_name_differs_in_case_is_one_column(spark, sales):
    pq.write_table(
        pa.table({"ID": pa.array([7], pa.int64())}), sales / "year=2021" / "upper.parquet"
    )

    table = _convert(spark, sales)

    assert table.toDF().columns == ["id", "paid", "year"]
    assert sorted(row.id for row in table.toDF().collect()) == [7, 2021, 2022, 2022, 2023]
