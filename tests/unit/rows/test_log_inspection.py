"""A table that was opened without Spark, as notebooks show it."""

from datetime import date

import deltalake
import polars as pl
import pyarrow as pa
import pytest

from puredelta.log import open_table as open_log_table
from puredelta.rows.open_table import open_table
from tests.html_tables import rows_of, tags_of, texts_of


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> str:
    """Write a table with a hostile name in three versions."""
    folder = str(tmp_path_factory.mktemp("table") / "t")
    for day in (1, 2):
        rows = pa.table({"<b>id</b>": [day * 10, day * 10 + 1], "day": [date(2026, 1, day)] * 2})
        deltalake.write_deltalake(folder, rows, partition_by=["day"], mode="append")
    deltalake.DeltaTable(folder).delete('"<b>id</b>" = 20')
    return folder


def test_table_shows_its_facts_and_columns(path):
    html = open_table(path)._repr_html_()

    facts = dict(row for row in texts_of(html) if len(row) == 2)
    assert facts["Version"] == "2"
    assert facts["Rows"] == "3"
    assert facts["Files"].startswith("2 (")
    assert facts["Partitioned by"] == "day"
    assert "Description" not in facts
    assert texts_of(html)[-3:] == [
        ["Column", "Type", "Null"],
        ["<b>id</b>", "bigint", "yes"],
        ["day", "date", "yes"],
    ]
    assert "b" not in tags_of(html)


@pytest.mark.parametrize("name", ["files", "partitions", "stats", "checkpoints"])
def test_rows_are_those_of_the_log(path, name):
    found = getattr(open_table(path).inspect, name)()

    assert found.to_arrow() == getattr(open_log_table(path), name)()
    assert len(found) == found.to_pandas().shape[0]
    assert pl.DataFrame(found).height == len(found)


def test_history_is_that_of_the_open_version(path):
    history = open_table(path, version=1).inspect.history

    assert history().to_arrow()["version"].to_pylist() == [1, 0]
    assert history(1).to_arrow()["version"].to_pylist() == [1]
    assert repr(history()).startswith("LogRows(2 rows of version, timestamp")


def test_detail_is_one_row_that_a_notebook_shows_as_facts(path):
    detail = open_table(path).inspect.detail()

    row = detail.to_arrow().to_pylist()[0]
    assert (row["numFiles"], row["partitionColumns"]) == (2, ["day"])
    assert row["createdAt"].tzinfo is not None
    facts = {term.text: cell for term, cell in rows_of(detail._repr_html_())}
    assert facts["partitionColumns"].text == "day"
    assert facts["sizeInBytes"].title == f"{row['sizeInBytes']:,} bytes"
    assert "name" not in facts


def test_versions_columns_and_protocol(path):
    inspect = open_table(path).inspect

    assert inspect.versions().to_arrow()["num_rows"].to_pylist() == [2, 4, 3]
    assert inspect.versions(2).to_arrow()["version"].to_pylist() == [1, 2]
    assert inspect.columns().to_arrow()["name"].to_pylist() == ["<b>id</b>", "day"]
    assert set(inspect.protocol().to_arrow()["min_reader_version"].to_pylist()) == {1}


def test_rows_are_read_when_they_are_first_used(tmp_path):
    deltalake.write_deltalake(str(tmp_path / "t"), pa.table({"a": [1]}))
    files = open_table(str(tmp_path / "t")).inspect.files()

    assert files.to_arrow() is files.to_arrow()
