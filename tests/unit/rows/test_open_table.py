"""Rows of tables that deltalake wrote, and of files that are laid out in other ways."""

from datetime import date

import deltalake
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from puredelta.errors import DeltaTableFeatureError, DeltaUnsupportedOperationError
from puredelta.log.actions import Protocol
from puredelta.rows.columns import as_table_has, find_in_file
from puredelta.rows.data_files import RowReader
from puredelta.rows.open_table import open_table
from puredelta.schema.arrow import type_to_arrow
from puredelta.schema.datatypes import (
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    STRING,
    TIMESTAMP,
    VARIANT,
    ArrayType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    UnknownType,
)
from puredelta.storage.local import LocalStore
from puredelta.storage.memory import MemoryStore
from puredelta.table.columns.column_mapping import ID_KEY, MappingMode
from tests.unit.log.logs import add, commit, create

NONE = MappingMode.NONE


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> str:
    """Write ten files, a day each, in two versions."""
    folder = str(tmp_path_factory.mktemp("table") / "t")
    for day in range(1, 11):
        rows = pa.table({"id": [day * 10, day * 10 + 1], "day": [date(2026, 1, day)] * 2})
        deltalake.write_deltalake(folder, rows, partition_by=["day"], mode="append")
    return folder


def converted(array, data_type):
    target = type_to_arrow(data_type)
    return as_table_has(array, data_type, target, NONE).to_pylist()


def test_versions_and_columns(path):
    assert open_table(path).to_arrow().num_rows == 20
    assert open_table(path, version=0).to_arrow(["ID"]).to_pydict() == {"id": [10, 11]}


def test_a_file_that_cannot_have_such_rows_is_not_read(path, tmp_path):
    table = open_table(path)
    read = []
    opened = type(table._data())._opened

    def spied(self, name, size):
        read.append(name)
        return opened(self, name, size)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(table._data()), "_opened", spied)
        assert table.to_arrow(["id"], [("id", ">=", 95)]).num_rows == 2
        assert table.to_arrow(["id"], [("day", "=", date(2026, 1, 3))]).num_rows == 2
        assert table.to_arrow(["id"], [[("id", "=", 10)], [("id", "=", 20)]]).num_rows == 2
        assert len(read) == 1 + 1 + 2
        assert table.to_arrow(["id"], pc.field("id") == 10).num_rows == 1
        assert len(read) == 4 + 10


def test_head_reads_no_more_than_it_gives(path):
    assert open_table(path).head(3).num_rows == 3
    assert open_table(path).head(100).num_rows == 20
    assert open_table(path).head(0).num_rows == 0


def test_unknown_features_are_named(tmp_path):
    store = LocalStore(str(tmp_path))
    create(store)
    newer = Protocol(
        min_reader_version=3,
        min_writer_version=7,
        reader_features=["teleport"],
        writer_features=["teleport"],
    )
    commit(store, 1, newer)

    with pytest.raises(DeltaTableFeatureError, match="teleport"):
        open_table(tmp_path)


def test_fields_of_structs_are_found_by_name():
    data_type = StructType((StructField("b", STRING), StructField("new", LONG)))
    array = pa.array([{"a": 1, "B": "x"}, None])

    assert converted(array, data_type) == [{"b": "x", "new": None}, None]


def test_parts_of_slices_stay_in_place():
    lists = pa.array([[1], [2, 3], None, [], [4]], pa.list_(pa.int32())).slice(1, 3)
    maps = pa.array([[("a", 1)], [("b", 2)], None], pa.map_(pa.string(), pa.int32())).slice(1)

    assert converted(lists, ArrayType(LONG)) == [[2, 3], None, []]
    assert converted(maps, MapType(STRING, LONG)) == [[("b", 2)], None]


def test_values_become_those_of_the_table():
    assert str(converted(pa.array([5], pa.int32()), DecimalType(12, 2))) == "[Decimal('5.00')]"
    instants = pa.array([-1, 1_999], pa.timestamp("ns"))
    micros = as_table_has(instants, TIMESTAMP, type_to_arrow(TIMESTAMP), NONE).cast(pa.int64())
    assert micros.to_pylist() == [-1, 1]
    char = as_table_has(pa.array(["a", None]), UnknownType("char(3)"), pa.string(), NONE)
    assert char.to_pylist() == ["a  ", None]


def test_shredded_variants_are_refused():
    array = pa.array([{"value": b"", "metadata": b"", "typed_value": 1}])

    with pytest.raises(DeltaUnsupportedOperationError) as raised:
        converted(array, VARIANT)
    assert raised.value.condition == "PUREDELTA_ROWS_NEED_SPARK"


def test_columns_by_id_are_found_by_nothing_else():
    names = {ID_KEY: 7, "delta.columnMapping.physicalName": "col-1"}
    column = StructField("c", INTEGER, metadata=names)
    other = pa.field("c", pa.int32(), metadata={"PARQUET:field_id": "1"})
    same = pa.field("x", pa.int32(), metadata={"PARQUET:field_id": "7"})

    assert find_in_file([other, same], column, MappingMode.ID) == 1
    assert find_in_file([other], column, MappingMode.ID) is None
    assert find_in_file([pa.field("COL-1", pa.int32())], column, MappingMode.NAME) == 0


@pytest.mark.parametrize(
    "kind", [pa.large_list(pa.large_string()), pa.list_(pa.large_string(), 2)], ids=str
)
def test_lists_of_other_libraries_are_read(kind):
    array = pa.array([["a", "b"], None, ["c", None]], kind)

    assert converted(array, ArrayType(STRING)) == [["a", "b"], None, ["c", None]]


def test_files_of_other_libraries_are_read(tmp_path):
    rows = pa.table(
        {
            "large": pa.array([["a"], None], pa.large_list(pa.large_string())),
            "coded": pa.array(["x", "y"]).dictionary_encode(),
            "at": pa.array([1, None], pa.timestamp("ms", "Europe/Paris")),
        }
    )
    deltalake.write_deltalake(str(tmp_path), rows)

    found = open_table(tmp_path).to_arrow()
    assert found["large"].to_pylist() == [["a"], None]
    assert found["coded"].to_pylist() == ["x", "y"]
    assert found["at"].cast(pa.int64()).to_pylist() == [1_000, None]


def test_files_in_a_store_are_read_in_parts():
    store = MemoryStore(url="memory:///rows")
    target = pa.BufferOutputStream()
    pq.write_table(pa.table({"a": [1, 2]}), target)
    data = target.getvalue().to_pybytes()
    store.put("p=x y/ü", data)

    reader = RowReader(store, NONE, {"p"})
    file = add("p=x%20y/%C3%BC", size=len(data), partition_values={"p": "x y"})
    columns = StructType((StructField("p", STRING), StructField("a", LONG)))
    found = pa.Table.from_batches(reader.batches(file, columns, 1))
    assert found.to_pylist() == [{"p": "x y", "a": 1}, {"p": "x y", "a": 2}]


def test_odd_names_of_folders_and_partitions(tmp_path):
    odd = "a b%20c+ü#1?"
    rows = pa.table({"id": [1, 2], "p": [odd, None]})
    deltalake.write_deltalake(str(tmp_path / "plain"), rows, partition_by=["p"])
    moved = (tmp_path / "plain").rename(tmp_path / odd)

    assert open_table(moved).to_arrow(["id"], [("p", "=", odd)]).to_pydict() == {"id": [1]}


def test_columns_without_nulls_stay_so(tmp_path):
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), ("name", pa.string())])
    deltalake.write_deltalake(str(tmp_path), pa.table({"id": [1], "name": ["x"]}, schema=schema))

    found = open_table(tmp_path).to_arrow()
    assert [field.nullable for field in found.schema] == [False, True]
    assert found.to_pylist() == [{"id": 1, "name": "x"}]


@pytest.mark.parametrize(
    ("array", "data_type"),
    [
        (pa.array([2]), BOOLEAN),
        (pa.array([2]), STRING),
        (pa.array([2]), DOUBLE),
        (pa.array([2]), TIMESTAMP),
        (pa.array([2.5]), LONG),
        (pa.array([2.5]), FLOAT),
        (pa.array([2.126]), DecimalType(10, 2)),
        (pa.array([True]), LONG),
        (pa.array(["2"]), LONG),
        (pa.array(["2"]), ArrayType(STRING)),
        (pa.array(["2"]), MapType(STRING, STRING)),
        (pa.array(["2"]), StructType((StructField("a", STRING),))),
        (pa.array([["2"]]), STRING),
        (pa.array(["2"]), VARIANT),
    ],
)
def test_values_of_another_kind_are_refused_and_not_converted(array, data_type):
    with pytest.raises(pa.ArrowTypeError, match="where the table has"):
        converted(array, data_type)
