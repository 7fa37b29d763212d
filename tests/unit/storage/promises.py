"""What every store promises, as tests for a class that gives the fixture `store`."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from puredelta.storage.store import ObjectNotFound

ODD_NAME = "p=a b%20é#[1]/f%2Fx+y.parquet"


class StorePromises:
    """Tests over one store, empty at the start of each."""

    def test_first_writer_of_a_name_wins(self, store):
        assert store.put_if_absent("_delta_log/0.json", b"one")
        assert not store.put_if_absent("_delta_log/0.json", b"two")
        assert store.read("_delta_log/0.json") == b"one"

    def test_of_racing_writers_exactly_one_wins(self, store):
        with ThreadPoolExecutor(8) as pool:
            won = list(pool.map(lambda n: store.put_if_absent("x", b"%d" % n), range(32)))

        assert won.count(True) == 1
        assert store.read("x") == b"%d" % won.index(True)
        assert [info.name for info in store.list_from("")] == ["x"]

    def test_first_stream_of_a_name_wins_and_is_whole(self, store):
        assert store.put_stream_if_absent("_delta_log/0.json", iter([b"a", b"", b"b" * 100_000]))
        assert not store.put_stream_if_absent("_delta_log/0.json", iter([b"other"]))
        assert not store.put_if_absent("_delta_log/0.json", b"other")

        assert store.read("_delta_log/0.json") == b"a" + b"b" * 100_000
        assert [info.name for info in store.list_from("_delta_log")] == ["_delta_log/0.json"]

    def test_stream_without_content_makes_an_empty_object(self, store):
        assert store.put_stream_if_absent("a", iter([]))
        assert store.read("a") == b""

    def test_of_racing_streams_exactly_one_wins(self, store):
        def chunks(number):
            for _ in range(3):
                yield b"%02d" % number

        with ThreadPoolExecutor(8) as pool:
            won = list(pool.map(lambda n: store.put_stream_if_absent("x", chunks(n)), range(32)))

        assert won.count(True) == 1
        assert store.read("x") == b"%02d" % won.index(True) * 3
        assert [info.name for info in store.list_from("")] == ["x"]

    def test_name_that_is_taken_while_a_stream_is_told_stays_with_who_took_it(self, store):
        def chunks():
            yield b"late"
            store.put("x", b"first")
            yield b"r"

        assert not store.put_stream_if_absent("x", chunks())
        assert store.read("x") == b"first"

    @pytest.mark.parametrize("error", [KeyError("k"), FileNotFoundError("f"), OSError(28, "full")])
    def test_what_a_stream_raises_is_raised_as_it_is_and_nothing_is_created(self, store, error):
        def chunks():
            yield b"half"
            raise error

        with pytest.raises(type(error)) as raised:
            store.put_stream_if_absent("log/a", chunks())

        assert raised.value is error
        assert store.list_from("log") == []

    def test_put_replaces(self, store):
        store.put("a", b"1")
        store.put("a", b"22")

        assert store.read("a") == b"22"

    def test_listing_is_sorted_and_stays_in_the_folder(self, store):
        for name in ("log/b", "log/a", "log/sub/c", "logs", "log/c"):
            store.put(name, b"xy")

        assert [info.name for info in store.list_from("log")] == ["log/a", "log/b", "log/c"]
        assert [info.size for info in store.list_from("log")] == [2, 2, 2]

    def test_listing_starts_with_the_name_asked_for(self, store):
        for name in ("log/9", "log/10.json", "log/10.crc", "log/11.json"):
            store.put(name, b"")

        found = store.list_from("log", "log/10.json")

        assert [info.name for info in found] == ["log/10.json", "log/11.json", "log/9"]

    def test_listing_of_no_folder_is_empty(self, store):
        assert store.list_from("nowhere") == []

    def test_names_are_taken_as_they_are(self, store):
        store.put(ODD_NAME, b"1")

        assert store.read(ODD_NAME) == b"1"
        assert [info.name for info in store.list_from("p=a b%20é#[1]")] == [ODD_NAME]

    def test_missing_object_is_named_in_the_error(self, store):
        with pytest.raises(ObjectNotFound, match=r"_delta_log/7\.json") as raised:
            store.read("_delta_log/7.json")

        assert raised.value.condition == "DELTA_FILE_OR_DIR_NOT_FOUND"
        assert store.info("_delta_log/7.json") is None

    def test_range_ends_with_the_object(self, store):
        store.put("a", b"0123456789")

        assert store.read_range("a", 2, 3) == b"234"
        assert store.read_range("a", 8, 100) == b"89"

    def test_store_shows_where_it_is(self, store):
        assert store.url in repr(store)

    def test_read_all_of_one_is_a_list_too(self, store):
        store.put("a", b"1")

        assert store.read_all(["a"]) == [b"1"]
        assert store.read_all([]) == []

    def test_read_all_keeps_the_order(self, store):
        names = [f"f{n}" for n in range(20)]
        for name in names:
            store.put(name, name.encode())

        assert store.read_all(names[::-1]) == [name.encode() for name in names[::-1]]

    def test_delete_passes_over_what_is_not_there(self, store):
        store.put("a", b"")

        store.delete(["a", "b"])

        assert store.list_from("") == []

    def test_info_tells_size_and_a_time(self, store):
        store.put("a", b"123")

        info = store.info("a")

        assert (info.name, info.size) == ("a", 3)
        assert info.modified_ms > 0
        assert store.list_from("") == [info]

    def test_listing_shows_neither_neighbours_nor_a_folder_as_a_file(self, store):
        for name in ("log/a", "log-2/b", "lo/c", "log/.hidden"):
            store.put(name, b"")

        assert [info.name for info in store.list_from("log")] == ["log/.hidden", "log/a"]
        assert store.info("log") is None

    def test_empty_object_is_an_object(self, store):
        assert store.put_if_absent("empty", b"")
        assert not store.put_if_absent("empty", b"1")

        assert store.read("empty") == b""
        assert store.info("empty").size == 0

    def test_large_object_comes_back_whole(self, store):
        data = bytes(range(256)) * 40_000

        store.put("large", data)

        assert store.read("large") == data
        assert store.read_range("large", 5_000_001, 3) == data[5_000_001:5_000_004]

    def test_store_can_create_exclusively(self, store):
        store.require_put_if_absent()

        assert store.list_from("") == []

    def test_walk_goes_down_in_the_order_of_names_within_a_folder(self, store):
        names = ["b/2", "b/1", "a/x/2", "a/x/1", "a/y/1", "c", ODD_NAME]
        for name in names:
            store.put(name, b"xy")

        found = list(store.walk("", lambda _: True))

        assert {info.name: info.size for info in found} == dict.fromkeys(names, 2)
        assert {info.name: info.modified_ms for info in found} == {
            name: store.info(name).modified_ms for name in names
        }
        for folder in {name.rpartition("/")[0] for name in names}:
            inside = [info.name for info in found if info.name.rpartition("/")[0] == folder]
            assert inside == sorted(inside)

    def test_walk_enters_only_the_folders_it_is_told_to(self, store):
        for name in ("_log/a", "p/_q/b", "p/q/c", "p/d", "_log/p/e", "_f"):
            store.put(name, b"")
        asked = set()

        def enters(folder: str) -> bool:
            asked.add(folder)
            return not folder.rpartition("/")[2].startswith("_")

        found = {info.name for info in store.walk("", enters)}

        assert found == {"p/q/c", "p/d", "_f"}
        # What is below a folder that is not entered is not even asked for.
        assert asked == {"_log", "p", "p/_q", "p/q"}

    def test_walk_begins_in_a_folder_and_stays_there(self, store):
        for name in ("a/b/c", "a/d", "a-b/e", "f"):
            store.put(name, b"")

        assert sorted(info.name for info in store.walk("a", lambda _: True)) == ["a/b/c", "a/d"]
        assert [info.name for info in store.walk("a/b", lambda _: True)] == ["a/b/c"]
        assert list(store.walk("nowhere", lambda _: True)) == []
