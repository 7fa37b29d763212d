"""Each kind of damage to files and to what the log says of them is found, and nothing else is."""

import json
from decimal import Decimal

import msgspec
import pyarrow as pa
import pytest

from puredelta.errors import DeltaAnalysisError
from puredelta.log.names import commit_name
from puredelta.storage.local import LocalStore
from puredelta.storage.memory import MemoryStore
from puredelta.table.check import Severity, check_table
from puredelta.table.check.run import check_store
from tests.unit.table.check.tables import (
    commit,
    create,
    edit,
    edit_stats,
    found,
    long_table,
    parquet,
    put_file,
    rows,
    simple_table,
    table_with_vector,
)

FILE = "p=0/f0.parquet"


@pytest.mark.parametrize("quick", [True, False])
def test_nothing_is_found_in_whole_tables(quick):
    assert found(simple_table(), quick=quick) == []
    assert found(long_table(), quick=quick) == []
    assert found(table_with_vector([0, 3, 9])[0], quick=quick) == []


def test_a_report_counts(tmp_path):
    report = check_store(simple_table())

    assert (report.version, report.files, report.is_sound) == (3, 3, True)
    assert report.as_dict()["table"] == "memory:///t"


def test_a_table_on_disk(tmp_path):
    memory, disk = simple_table(), LocalStore(str(tmp_path / "a b"))
    for folder in ("_delta_log", "p=0", "p=1", "p=2"):
        for one in memory.list_from(folder):
            disk.put(one.name, memory.read(one.name))

    assert check_table(str(tmp_path / "a b")).findings == ()
    (tmp_path / "a b" / FILE).unlink()
    (missing,) = check_table(str(tmp_path / "a b")).findings
    assert (missing.code, missing.file) == ("file-missing", FILE)


def test_no_table_at_all():
    with pytest.raises(DeltaAnalysisError, match="DELTA_PATH_DOES_NOT_EXIST"):
        check_store(MemoryStore())


def test_a_missing_file():
    store = simple_table()
    store.delete([FILE])

    assert found(store) == [("error", "file-missing", FILE)]


def test_a_file_of_another_size():
    store = simple_table()
    edit(store, 1, "add", lambda add: {**add, "size": add["size"] + 1})

    assert found(store) == [("error", "file-size", FILE)]


@pytest.mark.parametrize("quick", [True, False])
def test_a_file_that_is_no_parquet(quick):
    store = simple_table()
    store.put(FILE, b"x" * len(store.read(FILE)))

    assert found(store, quick=quick) == [("error", "data-damaged", FILE)]


def test_an_empty_file():
    store = simple_table()
    store.put(FILE, b"")

    assert found(store) == [("error", "file-size", FILE)]


def test_a_changed_byte_in_the_rows():
    store = simple_table()
    content = bytearray(store.read(FILE))
    content[60] ^= 255
    store.put(FILE, bytes(content))

    assert found(store) == [("error", "data-damaged", FILE)]


def test_a_file_outside_of_the_table(tmp_path):
    log = create()
    add = put_file(log.store, "f.parquet", rows(0, 3))
    (tmp_path / "x y").mkdir()
    outside = tmp_path / "x y" / "f.parquet"
    outside.write_bytes(log.store.read("f.parquet"))
    log.store.delete(["f.parquet"])
    url = f"file://{tmp_path}/x%20y/f.parquet"
    commit(log, msgspec.structs.replace(add, path=url))

    assert found(log.store) == []
    outside.unlink()
    assert found(log.store) == [("error", "file-missing", f"file://{tmp_path}/x y/f.parquet")]


def test_files_that_no_version_names_are_told_once_a_folder():
    store = long_table()
    for name in ("p=1/orphan.parquet", "p=1/x.parquet", "p=1/_hidden.parquet", "p=1/a.txt"):
        store.put(name, b"")

    (stranger,) = check_store(store).findings
    assert (stranger.severity, stranger.code) == (Severity.INFO, "files-unknown")
    assert stranger.file == "p=1"
    assert "orphan.parquet, p=1/x.parquet" in stranger.text
    assert check_store(store).is_sound


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda stats: stats.update(numRecords=9), "num-records"),
        (lambda stats: stats["minValues"].update(id=1), "min-value"),
        (lambda stats: stats["maxValues"].update(id=8), "max-value"),
        (lambda stats: stats["minValues"].update(day="1960-01-02"), "min-value"),
        (lambda stats: stats["maxValues"].update(day="1960-01-09"), "max-value"),
        (lambda stats: stats["minValues"].update(ts="2020-01-01T01:02:04.000Z"), "min-value"),
        (lambda stats: stats["maxValues"].update(ts="2020-01-01T01:02:03.998Z"), "max-value"),
        (lambda stats: stats["nullCount"].update(id=1), "null-count"),
        (lambda stats: stats["nullCount"].update(d=1), "null-count"),
        (lambda stats: stats["nullCount"]["st"].update(x=4), "null-count"),
        (lambda stats: stats["minValues"]["st"].update(x=2), "min-value"),
    ],
)
def test_false_statistics(change, code, quick):
    store = simple_table()
    edit_stats(store, change)

    assert found(store, quick=quick) == [("error", code, FILE)]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda stats: stats["minValues"].update(s="2"), "min-value"),
        (lambda stats: stats["maxValues"].update(s="7"), "max-value"),
        (lambda stats: stats["maxValues"].update(f=1.2857140), "max-value"),
        (lambda stats: stats["minValues"].update(d=0.5), "min-value"),
        (lambda stats: stats["nullCount"].update(list=0), "null-count"),
    ],
)
def test_false_statistics_that_only_rows_show(change, code):
    store = simple_table()
    edit_stats(store, change)

    assert found(store) == [("error", code, FILE)]


def test_the_last_digit_of_a_long_decimal_counts():
    log = create()
    money = [Decimal("1234567890123456789012345678.0123456789")]
    table = rows(0, 1).set_column(6, "money", pa.array(money, pa.decimal128(38, 10)))
    add = put_file(log.store, "p=1/f.parquet", table)
    commit(log, add)
    assert found(log.store) == []

    text = log.store.read(commit_name(1)).decode()
    log.store.put(commit_name(1), text.replace(".0123456789", ".0123456790", 1).encode())
    assert found(log.store) == [("error", "min-value", "p=1/f.parquet")]


@pytest.mark.parametrize("text", ["{", "[]", '{"minValues":3}', '{"numRecords":-1}'])
def test_statistics_that_are_none(text):
    store = simple_table()
    edit(store, 1, "add", lambda add: {**add, "stats": text})

    assert found(store) == [("error", "stats-damaged", FILE)]


@pytest.mark.parametrize("bound", ["yesterday", 7, [1], {"a": 1}])
def test_bounds_that_are_no_values(bound):
    store = simple_table()
    edit_stats(store, lambda stats: stats["minValues"].update(day=bound))

    assert found(store) == [("warning", "bounds-unreadable", FILE)]


def test_a_file_without_statistics_is_whole():
    store = simple_table()
    edit(store, 1, "add", lambda add: {**add, "stats": None})

    assert found(store) == []


def test_nan_above_a_greatest_value():
    log = create()
    table = rows(0, 4).set_column(3, "d", pa.array([1.0, float("nan"), None, 2.0]))
    add = put_file(log.store, "p=1/f.parquet", table)
    stats = json.loads(add.stats)
    assert "d" not in stats["maxValues"]
    commit(log, add)
    assert found(log.store) == []

    edit_stats(log.store, lambda stats: stats["maxValues"].update(d=2.0))
    assert ("warning", "nan-above-max", "p=1/f.parquet") in found(log.store)


def test_a_column_of_another_type():
    log = create()
    table = rows(0, 4).set_column(0, "id", pa.array(["a", "b", "c", "d"]))
    content = parquet(table)
    add = put_file(log.store, "p=1/f.parquet", rows(0, 4))
    log.store.put("p=1/f.parquet", content)
    commit(log, msgspec.structs.replace(add, size=len(content), stats=None))

    assert found(log.store) == [("error", "column-type", "p=1/f.parquet")]


def test_a_column_that_an_old_file_does_not_have_is_null():
    log = create()
    table = rows(0, 4)
    add = put_file(log.store, "p=1/f.parquet", table.drop_columns(["money"]))
    commit(log, add)

    assert json.loads(add.stats)["nullCount"]["money"] == 4
    assert found(log.store) == []


@pytest.mark.parametrize("value", ["one", "1.5", "99999999999"])
def test_a_partition_value_of_another_type(value):
    store = simple_table()
    edit(store, 1, "add", lambda add: {**add, "partitionValues": {"p": value}})

    assert found(store) == [("error", "partition-value", FILE)]


@pytest.mark.parametrize("values", [{}, {"q": "1"}, {"p": "1", "q": "1"}])
def test_other_partition_columns(values):
    store = simple_table()
    edit(store, 1, "add", lambda add: {**add, "partitionValues": values})

    assert found(store) == [("error", "partition-columns", FILE)]
