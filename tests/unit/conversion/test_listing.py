"""Which files of a folder are data: hidden ones, odd names, the log of a streaming query."""

import json
import os
from pathlib import Path

import pytest

from puredelta.conversion.listing import data_files, is_hidden
from puredelta.conversion.source_file import SourceFile
from puredelta.errors import DeltaIllegalStateError, DeltaUnsupportedOperationError
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


# ------------------------------------------------------------------------ streaming queries


def entry(store, path, *, action="add", size=4, modified=1_700_000_000_000, is_folder=False):
    encoded = f"{store.url}/{path}".replace("file:///", "file:/").replace(" ", "%20")
    return {
        "path": encoded,
        "size": size,
        "isDir": is_folder,
        "modificationTime": modified,
        "blockReplication": 1,
        "blockSize": 33554432,
        "action": action,
    }


def batch(store, name, *entries, version="v1"):
    lines = [version, *(json.dumps(one) for one in entries)]
    store.put(f"_spark_metadata/{name}", "\n".join(lines).encode())


@pytest.fixture
def sink(tmp_path):
    return LocalStore(str(tmp_path / "a sink"))


def test_files_that_a_streaming_query_does_not_name_are_left_over(sink):
    fill(sink, "p=1/a b.parquet", "p=1/left-over.parquet", "c.parquet")
    batch(sink, "0", entry(sink, "p=1/a b.parquet"))
    batch(sink, "1", entry(sink, "c.parquet", size=9))

    assert list(data_files(sink)) == [
        SourceFile("c.parquet", 9, 1_700_000_000_000),
        SourceFile("p=1/a b.parquet", 4, 1_700_000_000_000),
    ]
    assert len(paths(sink, use_metadata_log=False)) == 3


def test_compacted_log_counts_for_all_before_it(sink):
    batch(sink, "0", entry(sink, "gone.parquet"))
    batch(sink, "9", entry(sink, "not-counted.parquet"))
    batch(sink, "9.compact", entry(sink, "a"), entry(sink, "b"), entry(sink, "f", is_folder=True))
    batch(sink, "10", entry(sink, "c"))
    batch(sink, "11", entry(sink, "b", action="delete"))
    sink.put("_spark_metadata/.10.crc", b"x")

    assert paths(sink) == ["a", "c"]


def test_batch_without_files_is_none(sink):
    batch(sink, "0")

    assert paths(sink) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"v2\n{}",
        b"v1\n{",
        b"v1\n[]",
        b'v1\n{"size":1}',
        b'v1\n{"path":"a","size":"1"}',
        b"\xff",
    ],
)
def test_log_that_is_none_is_named(sink, content):
    sink.put("_spark_metadata/3", content)

    with pytest.raises(DeltaIllegalStateError, match="_spark_metadata/3 is no log") as raised:
        paths(sink)

    assert raised.value.condition == "DELTA_CONVERT_MALFORMED_SINK_LOG"


def test_folder_of_that_name_without_batches_means_nothing(sink):
    fill(sink, "a.parquet", "_spark_metadata/readme")

    assert paths(sink) == ["a.parquet"]


def test_delta_table_below_the_folder_is_refused(store):
    fill(store, "a.parquet", "old/_delta_log/00000000000000000000.json", "old/b.parquet")

    with pytest.raises(DeltaUnsupportedOperationError) as raised:
        paths(store)

    assert raised.value.condition == "PUREDELTA_CONVERT_TABLE_INSIDE"
    assert raised.value.parameters == {"path": "old"}
