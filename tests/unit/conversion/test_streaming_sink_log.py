"""The log of a streaming query says which files of its folder count, also where it was copied."""

import json

import pytest

from puredelta.conversion.listing import data_files
from puredelta.conversion.source_file import SourceFile
from puredelta.errors import DeltaIllegalStateError, DeltaUnsupportedOperationError
from puredelta.storage.local import LocalStore
from puredelta.storage.memory import MemoryStore


def fill(store, *names):
    for name in names:
        store.put(name, b"data")


def paths(store, **options):
    return [file.path for file in data_files(store, **options)]


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


# --- folders that were copied, moved, or are called by another name


ORIGINAL = MemoryStore("memory:///lake/made here")


@pytest.fixture
def copied(tmp_path):
    """A store whose log a query wrote in another place."""
    store = LocalStore(str(tmp_path / "copy"))
    names = ["p=1/q=a b%2Fc/x.parquet", "y.parquet"]
    batch(store, "0", *(entry(ORIGINAL, name.replace("%", "%25")) for name in names))
    fill(store, *names, "left-over.parquet")
    return store


def test_copy_is_made_of_its_own_files(copied):
    found = list(data_files(copied))

    assert [file.path for file in found] == ["p=1/q=a b%2Fc/x.parquet", "y.parquet"]
    own = [copied.info(file.path) for file in found]
    assert found == [SourceFile(one.name, one.size, one.modified_ms) for one in own]


def test_copy_that_a_query_went_on_with_has_files_of_both(copied):
    batch(copied, "1", entry(copied, "p=2/z.parquet"))

    assert paths(copied) == ["p=1/q=a b%2Fc/x.parquet", "p=2/z.parquet", "y.parquet"]


@pytest.mark.parametrize(
    "gone", [["y.parquet"], ["p=1/q=a b%2Fc/x.parquet"], ["y.parquet", "p=1/q=a b%2Fc/x.parquet"]]
)
def test_copy_that_lacks_a_file_of_the_log_is_refused(copied, gone):
    copied.delete(gone)
    fill(copied, "x.parquet", "q=a b%2Fc/y.parquet")

    with pytest.raises(DeltaUnsupportedOperationError, match="useMetadataLog = false") as raised:
        paths(copied)

    assert raised.value.condition == "PUREDELTA_CONVERT_SINK_LOG_OF_ANOTHER_FOLDER"
    assert raised.value.parameters["folder"] == copied.url
    assert raised.value.parameters["path"] == f"memory:///lake/made here/{min(gone)}"
    assert len(paths(copied, use_metadata_log=False)) > 1


def test_file_of_a_copy_that_counts_no_more_need_not_be_there(copied):
    copied.delete(["y.parquet"])
    batch(copied, "1", entry(ORIGINAL, "y.parquet", action="delete"))

    assert paths(copied) == ["p=1/q=a b%2Fc/x.parquet"]


def test_folder_by_another_name_of_its_store_is_the_same():
    store = MemoryStore("s3a://bucket/t")
    batch(store, "0", entry(MemoryStore("s3://bucket/t"), "not looked at"))

    assert paths(store) == ["not looked at"]
