"""What data files say of their columns."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.commands.optimize.file_schemas import files_whose_schema
from puredelta.errors.classes import DeltaRuntimeError
from puredelta.log.actions import AddFile
from puredelta.log.files import files_table
from puredelta.storage.schemes import open_store


def listed(*paths):
    return files_table(
        [
            AddFile(
                path=str(path),
                partition_values={},
                size=path.stat().st_size,
                modification_time=0,
                data_change=True,
            )
            for path in paths
        ],
        [path.name for path in paths],
    )


def test_files_are_chosen_by_their_footers(tmp_path):
    for number in range(40):
        rows = pa.table({"a": [1], **({"b": [2]} if number % 3 == 0 else {})})
        pq.write_table(rows, tmp_path / f"{number:02}.parquet")
    files = listed(*sorted(tmp_path.iterdir()))

    found = files_whose_schema(files, open_store(str(tmp_path)), lambda found: "b" in found.names)

    assert found["path"].to_pylist() == [f"{number:02}.parquet" for number in range(0, 40, 3)]


def test_file_that_is_no_parquet_is_named(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"no footer here")

    with pytest.raises(DeltaRuntimeError) as caught:
        files_whose_schema(
            listed(tmp_path / "a.parquet"), open_store(str(tmp_path)), lambda _: True
        )

    assert caught.value.condition == "PUREDELTA_DATA_FILE_UNREADABLE"
    assert caught.value.parameters["path"] == "a.parquet"
