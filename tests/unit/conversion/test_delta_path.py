"""A Delta table in another folder than its files."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.conversion.convert import ConvertToDeltaCommandBase
from puredelta.conversion.request import ConvertRequest
from puredelta.conversion.source_table import ConvertTarget
from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.log.table_log import open_log


def convert(files, table, **target):
    given = ConvertTarget(
        **{"provider": "parquet", "location": str(files), "label": "lake", **target}
    )
    request = ConvertRequest(delta_path=str(table), infer_partitions=True)
    return ConvertToDeltaCommandBase(target=given, request=request).run()


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    folder = tmp_path / "lake"
    (folder / "p=a b").mkdir(parents=True)
    pq.write_table(pa.table({"id": [1, 2]}), folder / "p=a b" / "x.parquet")
    return folder


def paths(table):
    return open_log(str(table)).latest().files["path"].to_pylist()


def test_files_elsewhere_are_named_by_their_whole_path(lake, tmp_path):
    before = sorted(lake.rglob("*"))

    convert(lake, tmp_path / "table")

    assert paths(tmp_path / "table") == [f"file://{lake}/p=a b/x.parquet"]
    assert sorted(lake.rglob("*")) == before


def test_files_below_the_table_are_named_from_its_folder_on(lake, tmp_path):
    convert(lake, tmp_path)

    assert paths(tmp_path) == ["lake/p=a b/x.parquet"]


def test_folder_of_the_files_itself_is_no_other_one(lake):
    convert(lake, f"file:{lake}/")

    assert paths(lake) == ["p=a b/x.parquet"]


def test_table_that_is_there_is_left_alone(lake, tmp_path):
    convert(lake, tmp_path / "table")

    assert convert(lake, tmp_path / "table").is_delta_already


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ({"provider": "iceberg"}, "table of iceberg"),
        ({"catalog_table": "spark_catalog.default.lake"}, "table of the catalog"),
    ],
)
def test_what_cannot_be_shared_is_refused(lake, tmp_path, target, reason):
    with pytest.raises(DeltaUnsupportedOperationError, match=reason) as raised:
        convert(lake, tmp_path / "table", **target)

    assert raised.value.condition == "PUREDELTA_CONVERT_DELTA_PATH"
    assert not (tmp_path / "table").exists()


def test_files_of_a_delta_table_are_refused(lake, tmp_path):
    convert(lake, lake)

    with pytest.raises(DeltaUnsupportedOperationError, match="it is a Delta table"):
        convert(lake, tmp_path / "table")
