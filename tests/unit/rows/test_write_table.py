"""Tables that `write_table` makes and adds to: what is in them, and what is refused."""

import datetime as dt
import threading

import deltalake
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from puredelta.errors import (
    DeltaAnalysisError,
    MetadataChangedError,
)
from puredelta.rows.open_table import open_table
from puredelta.rows.write_table import TableWritten, write_table
from puredelta.schema.datatypes import (
    INTEGER,
    STRING,
    StructField,
    StructType,
)
from puredelta.table.check import check_table
from puredelta.txn.transaction import Transaction
from tests.unit.rows.written import EVERY_TYPE, condition, create, data_files, rows_of

# ------------------------------------------------------------------------------------- new tables


def test_each_type_is_read_back_by_us_and_by_deltalake(tmp_path):
    write_table(tmp_path / "t", EVERY_TYPE)

    ours = open_table(tmp_path / "t").to_arrow()
    theirs = deltalake.DeltaTable(tmp_path / "t").to_pyarrow_table()
    assert ours.to_pylist() == EVERY_TYPE.to_pylist()
    assert theirs.select(EVERY_TYPE.column_names).to_pylist() == EVERY_TYPE.to_pylist()
    assert check_table(tmp_path / "t").is_sound


@pytest.mark.parametrize("column", ["b", "i1", "i8", "d", "s", "day", "at", "wall", "n", "wide"])
def test_each_type_partitions_a_table(tmp_path, column):
    rows = EVERY_TYPE.append_column("v", pa.array([1, 2]))

    write_table(tmp_path / "t", rows.select([column, "v"]), partition_by=column)

    expected = rows.select([column, "v"]).to_pylist()
    assert sorted(rows_of(tmp_path / "t"), key=lambda row: row["v"]) == expected
    theirs = deltalake.DeltaTable(tmp_path / "t").to_pyarrow_table().select([column, "v"])
    assert sorted(theirs.to_pylist(), key=lambda row: row["v"]) == expected
    assert check_table(tmp_path / "t").is_sound


def test_folders_of_times_are_those_of_spark(tmp_path):
    times = [0, 1_500_000, 1_577_836_800_000_000]
    rows = pa.table({"id": [1, 2, 3], "at": pa.array(times, pa.timestamp("us", "UTC"))})

    write_table(tmp_path / "t", rows, partition_by="at")

    assert sorted(file.parent.name for file in data_files(tmp_path)) == [
        "at=1970-01-01 00%3A00%3A00",
        "at=1970-01-01 00%3A00%3A01.5",
        "at=2020-01-01 00%3A00%3A00",
    ]


def test_partitions_are_folders_with_escaped_values(tmp_path):
    rows = {"id": [1, 2, 3, 4], "p": ["a b/ü=", "", None, "a b/ü="], "q": [1, 2, 2, 1]}

    done = write_table(tmp_path / "t", pa.table(rows), partition_by=["p", "q"])

    assert done.files == 2
    folders = sorted(str(file.parent.relative_to(tmp_path / "t")) for file in data_files(tmp_path))
    assert folders == ["p=__HIVE_DEFAULT_PARTITION__/q=2", "p=a b%2Fü%3D/q=1"]
    found = {row["id"]: row["p"] for row in rows_of(tmp_path / "t")}
    assert found == {1: "a b/ü=", 2: None, 3: None, 4: "a b/ü="}


@pytest.mark.parametrize("mode", ["append", "overwrite", "error", "ignore"])
def test_each_mode_creates_a_table(tmp_path, mode):
    done = write_table(tmp_path / "t", pa.table({"id": [1]}), mode, description="about it")

    assert (done.version, done.rows, done.files) == (0, 1, 1)
    assert open_table(tmp_path / "t").metadata.description == "about it"


def test_rows_of_each_library_are_taken(tmp_path):
    table = pa.table({"id": [1, 2], "name": ["a", None]})
    sources = [
        table,
        table.to_batches()[0],
        table.to_reader(),
        table.to_pandas(),
        table.to_pandas().set_index([pd.Index([7, 8], name="left_out")]),
        pl.from_arrow(table),
        pl.from_arrow(table).lazy(),
    ]

    for source in sources:
        write_table(tmp_path / "t", source)

    assert rows_of(tmp_path / "t") == table.to_pylist() * len(sources)


def test_pandas_has_null_where_it_has_no_value(tmp_path):
    write_table(tmp_path / "t", pd.DataFrame({"v": [1.0, None], "s": pd.Categorical(["a", None])}))

    assert rows_of(tmp_path / "t") == [{"v": 1.0, "s": "a"}, {"v": None, "s": None}]


def test_rows_without_types_are_refused(tmp_path):
    with pytest.raises(TypeError, match="pandas, polars or Arrow, not <class 'list'>"):
        write_table(tmp_path / "t", [{"id": 1}])
    mixed = pd.DataFrame({"id": [1, "x"]})
    assert condition(write_table, tmp_path / "t", mixed) == "PUREDELTA_ROWS_NOT_ARROW"
    for column in (pa.nulls(1), pa.array([dt.time(1)]), pa.array([dt.timedelta(1)])):
        rows = pa.table({"c": column})
        assert condition(write_table, tmp_path / "t", rows) == "PUREDELTA_ARROW_TYPE_UNKNOWN"
    assert not (tmp_path / "t").exists()


def test_a_table_without_rows_is_created_and_nothing_is_appended(tmp_path):
    nothing = pa.table({"id": pa.array([], pa.int32()), "p": pa.array([], pa.string())})

    assert write_table(tmp_path / "t", nothing, partition_by="p").version == 0
    assert write_table(tmp_path / "t", nothing) == TableWritten(version=0)
    assert open_table(tmp_path / "t").schema.names == ["id", "p"]


# ------------------------------------------------------------------------------- existing tables


def test_modes_on_a_table_that_exists(tmp_path):
    path = tmp_path / "t"
    write_table(path, pa.table({"id": [1]}), properties={"delta.appendOnly": "false"})

    assert write_table(path, pa.table({"id": [2]})).version == 1
    assert write_table(path, pa.table({"id": [3]}), "ignore") == TableWritten(version=1)
    assert condition(write_table, path, pa.table({"id": [3]}), "error") == "DELTA_PATH_EXISTS"
    assert condition(write_table, path, pa.table({"id": [3]}), "upsert") == (
        "PUREDELTA_WRITE_MODE_INVALID"
    )
    done = write_table(path, pa.table({"id": [4]}), "overwrite", user_metadata="anew")
    assert (done.version, done.removed_files) == (2, 2)
    assert rows_of(path) == [{"id": 4}]
    assert len(open_table(path, version=1).to_arrow()) == 2
    last = open_table(path).history(1)[0]
    assert last["operationParameters"] == {"mode": "Overwrite", "partitionBy": "[]"}
    assert last["operationMetrics"].keys() == {
        "numFiles", "numOutputRows", "numOutputBytes", "numRemovedFiles", "numRemovedBytes",
    }  # fmt: skip
    assert (last["userMetadata"], last["isBlindAppend"]) == ("anew", False)


def test_columns_are_found_by_name_and_the_rest_is_null(tmp_path):
    path = tmp_path / "t"
    inner = pa.struct({"a": pa.int32(), "b": pa.string()})
    write_table(path, pa.table({"id": [1], "n": pa.array([{"a": 1, "b": "x"}], inner)}))

    write_table(path, pa.table({"N": [{"B": "y"}], "ID": pa.array([2], pa.int8())}))

    assert rows_of(path)[1] == {"id": 2, "n": {"a": None, "b": "y"}}


def test_another_partitioning_is_refused(tmp_path):
    path, rows = tmp_path / "t", pa.table({"id": [1], "p": [1]})
    write_table(path, rows, partition_by="p")

    write_table(path, rows, partition_by=["P"])
    assert condition(write_table, path, rows, partition_by=["id"]) == "DELTA_METADATA_MISMATCH"


def test_a_column_too_many_is_named_with_its_like(tmp_path):
    write_table(tmp_path / "t", pa.table({"amount": [1]}))

    with pytest.raises(DeltaAnalysisError, match=r"no column amuont .*like it: amount") as caught:
        write_table(tmp_path / "t", pa.table({"amuont": [1]}))
    assert caught.value.getCondition() == "DELTA_COLUMN_NOT_FOUND_IN_SCHEMA"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"id": ["1"]}, "PUREDELTA_WRITE_TYPE_DIFFERS"),
        ({"id": [1.5]}, "PUREDELTA_WRITE_VALUE_DIFFERS"),
        ({"id": [2**40]}, "PUREDELTA_WRITE_VALUE_DIFFERS"),
        ({"id": [None]}, "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"),
        ({"p": ["x"]}, "DELTA_MISSING_NOT_NULL_COLUMN_VALUE"),
        ({"id": [1], "p": [""]}, "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"),
        ({"id": [1], "ID": [2], "p": ["x"]}, "DELTA_DUPLICATE_COLUMNS_FOUND.DATA"),
    ],
)
def test_bad_rows_leave_nothing_behind(tmp_path, data, expected):
    columns = (StructField("id", INTEGER, nullable=False), StructField("p", STRING, nullable=False))
    path = create(tmp_path / "t", StructType(columns), partition_by=["p"])

    assert condition(write_table, path, pa.table(data)) == expected

    assert data_files(path) == []
    assert open_table(path).version == 0


def test_a_failed_commit_leaves_no_file(tmp_path, monkeypatch):
    path = tmp_path / "t"
    write_table(path, pa.table({"id": [1]}))
    before = data_files(path)

    def lost(self, *arguments, **options):
        facts = {"tableName": "t", "winner": "w", "conflictingCommit": "{}", "docLink": ""}
        raise MetadataChangedError("DELTA_METADATA_CHANGED", **facts)

    monkeypatch.setattr(Transaction, "commit", lost)
    with pytest.raises(MetadataChangedError):
        write_table(path, pa.table({"id": [2]}))
    assert data_files(path) == before


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("append", [1, 2]), ("ignore", [2]), ("overwrite", [1]), ("error", [2])],
)
def test_a_table_that_another_writer_creates_first(tmp_path, monkeypatch, mode, expected):
    path = tmp_path / "t"
    commit = Transaction.commit

    def second(self, *arguments, **options):
        monkeypatch.setattr(Transaction, "commit", commit)
        other = threading.Thread(target=write_table, args=(path, pa.table({"id": [2]})))
        other.start()
        other.join()
        return commit(self, *arguments, **options)

    monkeypatch.setattr(Transaction, "commit", second)
    if mode == "error":
        assert condition(write_table, path, pa.table({"id": [1]}), mode) == "DELTA_PATH_EXISTS"
    else:
        write_table(path, pa.table({"id": [1]}), mode)

    assert sorted(row["id"] for row in rows_of(path)) == expected
    assert len(data_files(path)) == (2 if mode in ("append", "overwrite") else 1)
