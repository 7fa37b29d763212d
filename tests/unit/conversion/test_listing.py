"""Which files of a folder are data: hidden ones, odd names, tables of other formats."""

import os
from pathlib import Path

import pytest

from puredelta.conversion.listing import data_files, is_entered, is_hidden
from puredelta.conversion.source_file import SourceFile
from puredelta.errors import DeltaUnsupportedOperationError
from puredelta.storage.local import LocalStore
from puredelta.storage.memory import MemoryStore
from puredelta.storage.object_store import ObjectStore


@pytest.fixture(params=["local", "memory", "objects"])
def store(request, tmp_path):
    if request.param == "local":
        return LocalStore(str(tmp_path / "t ä#%41"))
    if request.param == "memory":
        return MemoryStore()
    return ObjectStore(f"memory://{tmp_path.name}/some/t ä#%41")


def fill(store, *names):
    for name in names:
        store.put(name, b"data")


def paths(store, **options):
    return [file.path for file in data_files(store, **options)]


def test_hidden_files_and_folders_are_passed_over(store):
    fill(
        store,
        "a.parquet",
        "_SUCCESS",
        "_metadata",
        "_common_metadata",
        ".a.parquet.crc",
        "b.parquet._COPYING_",
        "_delta_log/00000000000000000000.json",
        "_temporary/0/task/c.parquet",
        "p=1/_started_1",
        "p=1/.hive-staging/x/d.parquet",
        "p=1/e.parquet",
    )

    assert paths(store) == ["a.parquet", "p=1/e.parquet"]


@pytest.mark.parametrize("folder", ["_p=1", ".p=1", "p=1/_q=_x", "p=_x", "p=.x"])
def test_partition_folders_are_entered_whatever_their_names_begin_with(store, folder):
    fill(store, f"{folder}/a.parquet", f"{folder}/_hidden")

    assert paths(store) == [f"{folder}/a.parquet"]


def test_hidden_file_with_an_equals_sign_stays_hidden():
    assert is_hidden("_p=1.parquet")
    assert is_hidden("p=1/.q=2")
    assert not is_hidden("p=1/a=b.parquet")


@pytest.mark.parametrize(
    "name",
    ["no extension", "a b%20c#[1]?.parquet", "p=a%2Fb/x.parquet", "é/😀.parquet", "x.gz.parquet"],
)
def test_names_are_as_they_are_stored(store, name):
    fill(store, name)

    (file,) = data_files(store)

    assert file == SourceFile(name, 4, store.info(name).modified_ms)


def test_name_that_is_no_text_is_refused(tmp_path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/p=\xe9")).mkdir()
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/p=\xe9/a.parquet")).touch()

    with pytest.raises(DeltaUnsupportedOperationError, match="is not UTF-8") as raised:
        paths(LocalStore(str(tmp_path)))

    assert raised.value.condition == "DELTA_CONVERT_FILE_NAME_NOT_UTF8"
    assert raised.value.parameters["path"] == "p=\\udce9/a.parquet"


def test_empty_folder_has_no_files(store):
    assert paths(store) == []


def test_delta_table_below_the_folder_is_refused(store):
    fill(store, "a.parquet", "old/_delta_log/00000000000000000000.json", "old/b.parquet")

    with pytest.raises(DeltaUnsupportedOperationError) as raised:
        paths(store)

    assert raised.value.condition == "PUREDELTA_CONVERT_TABLE_INSIDE"
    assert raised.value.parameters == {"path": "old"}


def test_files_beside_a_delta_table_are_listed_by_whoever_only_looks(store):
    fill(store, "a.parquet", "old/_delta_log/00000000000000000000.json", "old/b.parquet", "_q/c")

    assert [info.name for info in store.walk("", is_entered)] == ["a.parquet", "old/b.parquet"]


@pytest.mark.parametrize("above", ["", "old/", "p=1/q=2/"])
def test_hudi_table_is_refused_wherever_it_begins(store, above):
    fill(store, "a.parquet", f"{above}.hoodie/hoodie.properties", f"{above}b.parquet")

    with pytest.raises(DeltaUnsupportedOperationError) as raised:
        paths(store)

    assert raised.value.condition == "PUREDELTA_CONVERT_HUDI_TABLE"
    assert raised.value.parameters == {"path": f"{store.url}/{above}".rstrip("/")}


@pytest.mark.parametrize("above", ["", "trips/"])
@pytest.mark.parametrize(
    "name", ["v3.metadata.json", "00001-6f1c.gz.metadata.json", "00001-6f1c.metadata.json.gz"]
)
def test_iceberg_table_that_is_called_parquet_is_refused(store, above, name):
    fill(store, f"{above}data/a.parquet", f"{above}metadata/{name}", f"{above}metadata/snap-1.avro")

    with pytest.raises(DeltaUnsupportedOperationError, match=r"iceberg\.`") as raised:
        paths(store)

    assert raised.value.condition == "PUREDELTA_CONVERT_ICEBERG_TABLE"
    assert raised.value.parameters == {"path": f"{store.url}/{above}".rstrip("/")}


def test_folder_called_metadata_is_like_any_other(store):
    names = [
        "a.metadata.json",
        "metadata/b.parquet",
        "metadata/deeper/v1.metadata.json",
        "my_metadata/v1.metadata.json",
        "p=metadata/v1.metadata.json",
    ]
    fill(store, *names)

    assert paths(store) == names
