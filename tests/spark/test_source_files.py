"""Many files are listed, and their footers read, by executors: the same as by the driver."""

import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.conversion.footers import StoreFooters
from puredelta.conversion.listing import data_files, is_entered, visible
from puredelta.conversion.source_file import SourceFile
from puredelta.engine.hadoop.files import HadoopFiles
from puredelta.engine.hadoop.footers import FILES_A_JOB, SparkFooters
from puredelta.engine.hadoop.listing import walked_by_jobs
from puredelta.engine.session.paths import hadoop_conf
from puredelta.storage.schemes import open_store
from puredelta.storage.store import ObjectNotFound
from puredelta.tables import DeltaTable

FOLDERS = 40


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Folders with names that need care, files in and beside them, and hidden ones."""
    folder = tmp_path / "a lake"
    for number in range(FOLDERS):
        place = folder / f"p=v{number}%20%2F é" / "q=1"
        place.mkdir(parents=True)
        pq.write_table(pa.table({"id": [number, None]}), place / "part-0 é%41.parquet")
    for hidden in ("_temporary/0/x.parquet", "p=v1/.part.crc", "_SUCCESS", "p=v1/_metadata"):
        (folder / hidden).parent.mkdir(parents=True, exist_ok=True)
        (folder / hidden).write_text("hidden")
    return folder


def without_ids(folder: Path) -> list[dict]:
    """Give the files of the first commit."""
    lines = (folder / "_delta_log/00000000000000000000.json").read_text().splitlines()
    adds = [json.loads(line)["add"] for line in lines if '"add"' in line]
    return sorted(adds, key=lambda add: add["path"])


def test_executors_list_what_the_driver_lists(spark, lake):
    url = f"file://{lake}"
    files = HadoopFiles(url, hadoop_conf(spark), {})

    found = list(visible(walked_by_jobs(spark, files, is_entered), url))

    assert found == list(data_files(open_store(url)))
    assert len(found) == FOLDERS


def test_few_folders_are_not_worth_a_job(spark, tmp_path):
    (tmp_path / "p=1").mkdir()

    files = HadoopFiles(f"file://{tmp_path}", hadoop_conf(spark), {})

    assert walked_by_jobs(spark, files, is_entered) is None


def test_executors_read_the_footers_that_the_driver_reads(spark, lake):
    url = f"file://{lake}"
    (lake / "empty").touch()
    (lake / "text").write_text("not a Parquet file at all")
    (lake / "odd").write_bytes(b"\x01\xff\xfe\xfd\x7fxyz")
    files = [*data_files(open_store(url)), SourceFile("gone", 100, 0)]

    theirs, ours = (
        dict(reader.tails(files))
        for reader in (SparkFooters(spark, url), StoreFooters(open_store(url)))
    )

    assert list(theirs) == list(ours)
    real = [file for file in files if file.path.endswith(".parquet")]
    assert len(real) == FOLDERS
    for file in real:
        assert ours[file].endswith(theirs[file])
        assert len(theirs[file]) > 8
    by_name = {file.path: tail for file, tail in theirs.items()}
    assert by_name["empty"] == b""
    assert by_name["text"] == b"e at all"
    assert by_name["odd"] == b"\x01\xff\xfe\xfd\x7fxyz"
    assert isinstance(by_name["gone"], ObjectNotFound)


def test_more_files_than_one_job_takes_come_in_order(spark, tmp_path):
    pq.write_table(pa.table({"id": [1]}), tmp_path / "real.parquet")
    size = (tmp_path / "real.parquet").stat().st_size
    files = [SourceFile("real.parquet", size, number) for number in range(FILES_A_JOB + 10)]

    read = list(SparkFooters(spark, f"file://{tmp_path}").tails(files))

    assert [file for file, _ in read] == files
    assert len({tail for _, tail in read}) == 1


def test_text_whose_end_could_be_a_length_costs_its_end_only(spark, tmp_path):
    with (tmp_path / "large.csv").open("wb") as file:
        file.seek(3 << 30)
        file.write(b"0123456789\n")
    files = [SourceFile("large.csv", (3 << 30) + 11, 0)]

    [(_, tail)] = SparkFooters(spark, f"file://{tmp_path}").tails(files)

    assert tail == b"3456789\n"


def test_conversion_by_executors_makes_the_same_log(spark, lake):
    def converted(most: int) -> list[dict]:
        shutil.rmtree(lake / "_delta_log", ignore_errors=True)
        spark.conf.set("spark.puredelta.convert.filesOnDriver", most)
        try:
            DeltaTable.convertToDelta(spark, f"parquet.`{lake}`", "p STRING, q INT")
        finally:
            spark.conf.unset("spark.puredelta.convert.filesOnDriver")
        return without_ids(lake)

    by_driver, by_executors = converted(1_000_000), converted(0)

    assert by_executors == by_driver
    assert len(by_driver) == FOLDERS
    table = spark.read.format("delta").load(str(lake))
    assert table.count() == 2 * FOLDERS
