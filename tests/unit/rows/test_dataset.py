"""Tables as datasets of Arrow: their rows, and which tables are none."""

import datetime as dt

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pytest

from puredelta.errors import DeltaError
from puredelta.rows.open_table import open_table
from puredelta.rows.write_table import write_table
from puredelta.schema.datatypes import STRING, VARIANT, StructField, StructType
from tests.unit.rows.written import EVERY_TYPE, create

PARTS = ["b", "i1", "i8", "s", "day", "at", "wall", "n"]


def by_number(table: pa.Table) -> list[dict]:
    return sorted(table.to_pylist(), key=lambda row: row["number"])


@pytest.mark.parametrize("parts", [[], PARTS])
def test_rows_are_those_of_the_table(tmp_path, parts):
    rows = EVERY_TYPE.append_column("number", pa.array([1, 2]))
    write_table(tmp_path, rows, partition_by=parts)
    write_table(tmp_path, pa.table({"number": [3], "s": ["a b/ü="]}))

    dataset = open_table(tmp_path).to_dataset()

    assert by_number(dataset.to_table()) == by_number(open_table(tmp_path).to_arrow())
    assert dataset.schema == open_table(tmp_path).arrow_schema
    for name in [*PARTS, "number"]:
        value = rows[name][0]
        found = dataset.to_table(filter=pc.field(name) == value)["number"].to_pylist()
        assert found == [1], name
    assert dataset.count_rows(filter=pc.field("s").is_null()) == 1


def test_other_engines_take_it(tmp_path):
    days = [dt.date(2026, 1, day) for day in (1, 2, 3)]
    write_table(tmp_path, pa.table({"id": [1, 2, 3], "day": days}), partition_by="day")

    dataset = open_table(tmp_path).to_dataset()

    assert pl.scan_pyarrow_dataset(dataset).filter(pl.col("id") > 1).collect().height == 2
    found = duckdb.from_arrow(dataset).filter("day > '2026-01-02'").fetchall()
    assert found == [(3, days[2])]


def test_no_file_is_no_row(tmp_path):
    write_table(tmp_path, pa.table({"id": pa.array([], pa.int64())}))

    assert open_table(tmp_path).to_dataset().count_rows() == 0


def test_a_filesystem_may_be_given(tmp_path):
    write_table(tmp_path, pa.table({"id": [1]}))

    dataset = open_table(tmp_path).to_dataset(filesystem=pafs.LocalFileSystem())

    assert dataset.to_table().to_pylist() == [{"id": 1}]


CHAR = StructField("c", STRING, metadata={"__CHAR_VARCHAR_TYPE_STRING": "char(3)"})
MAPPED = {"delta.columnMapping.mode": "name"}


@pytest.mark.parametrize(
    ("schema", "properties", "condition", "reason"),
    [
        (StructType((StructField("s", STRING),)), MAPPED, "PUREDELTA_FILES_ARE_NOT_THE_ROWS",
         "column mapping"),
        (StructType((CHAR,)), {}, "PUREDELTA_NO_DATASET", "column c are padded"),
        (StructType((StructField("v", VARIANT),)), {}, "PUREDELTA_NO_DATASET", "column v"),
    ],
)  # fmt: skip
def test_what_needs_a_look_at_rows_is_refused(tmp_path, schema, properties, condition, reason):
    path = create(tmp_path / "t", schema, properties)

    with pytest.raises(DeltaError, match=reason) as caught:
        open_table(path).to_dataset()

    assert caught.value.getCondition() == condition


def test_not_a_number_partitions_no_dataset(tmp_path):
    rows = pa.table({"id": [1], "p": [float("nan")]})
    write_table(tmp_path, rows, partition_by="p")

    with pytest.raises(DeltaError, match="p has the partition value NaN"):
        open_table(tmp_path).to_dataset()
