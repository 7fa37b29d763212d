"""What every store promises, tried on each kind that needs no server."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from puredelta.storage.local import LocalStore
from puredelta.storage.memory import MemoryStore
from puredelta.storage.object_store import ObjectStore
from puredelta.storage.store import ObjectNotFound, Store

ODD_NAME = "p=a b%20é#[1]/f%2Fx+y.parquet"


@pytest.fixture(params=["local", "memory", "objects"])
def store(request, tmp_path) -> Store:
    if request.param == "local":
        return LocalStore(str(tmp_path / "t ä#%41"))
    if request.param == "memory":
        return MemoryStore()
    return ObjectStore(f"memory://{tmp_path.name}/some/t ä#%41")


def test_first_writer_of_a_name_wins(store):
    assert store.put_if_absent("_delta_log/0.json", b"one")
    assert not store.put_if_absent("_delta_log/0.json", b"two")
    assert store.read("_delta_log/0.json") == b"one"


def test_of_racing_writers_exactly_one_wins(store):
    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(lambda n: store.put_if_absent("x", b"%d" % n), range(32)))

    assert won.count(True) == 1
    assert store.read("x") == b"%d" % won.index(True)
    assert [info.name for info in store.list_from("")] == ["x"]


def test_put_replaces(store):
    store.put("a", b"1")
    store.put("a", b"22")

    assert store.read("a") == b"22"


def test_listing_is_sorted_and_stays_in_the_folder(store):
    for name in ("log/b", "log/a", "log/sub/c", "logs", "log/c"):
        store.put(name, b"xy")

    assert [info.name for info in store.list_from("log")] == ["log/a", "log/b", "log/c"]
    assert [info.size for info in store.list_from("log")] == [2, 2, 2]


def test_listing_starts_with_the_name_asked_for(store):
    for name in ("log/9", "log/10.json", "log/10.crc", "log/11.json"):
        store.put(name, b"")

    found = store.list_from("log", "log/10.json")

    assert [info.name for info in found] == ["log/10.json", "log/11.json", "log/9"]


def test_listing_of_no_folder_is_empty(store):
    assert store.list_from("nowhere") == []


def test_names_are_taken_as_they_are(store):
    store.put(ODD_NAME, b"1")

    assert store.read(ODD_NAME) == b"1"
    assert [info.name for info in store.list_from("p=a b%20é#[1]")] == [ODD_NAME]


def test_missing_object_is_named_in_the_error(store):
    with pytest.raises(ObjectNotFound, match=r"_delta_log/7\.json") as raised:
        store.read("_delta_log/7.json")

    assert raised.value.condition == "DELTA_FILE_OR_DIR_NOT_FOUND"
    assert store.info("_delta_log/7.json") is None


def test_range_ends_with_the_object(store):
    store.put("a", b"0123456789")

    assert store.read_range("a", 2, 3) == b"234"
    assert store.read_range("a", 8, 100) == b"89"


def test_store_shows_where_it_is(store):
    assert store.url in repr(store)


def test_read_all_of_one_is_a_list_too(store):
    store.put("a", b"1")

    assert store.read_all(["a"]) == [b"1"]
    assert store.read_all([]) == []


def test_read_all_keeps_the_order(store):
    names = [f"f{n}" for n in range(20)]
    for name in names:
        store.put(name, name.encode())

    assert store.read_all(names[::-1]) == [name.encode() for name in names[::-1]]


def test_delete_passes_over_what_is_not_there(store):
    store.put("a", b"")

    store.delete(["a", "b"])

    assert store.list_from("") == []


def test_info_tells_size_and_a_time(store):
    store.put("a", b"123")

    info = store.info("a")

    assert (info.name, info.size) == ("a", 3)
    assert info.modified_ms > 0
    assert store.list_from("") == [info]
