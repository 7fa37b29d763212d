"""The size of a table over its versions, by following its commits."""

from puredelta.log.names import commit_name
from puredelta.log.reader import TableReader
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import add, commit, create, info, remove, vector

TEN, FIVE = '{"numRecords": 10}', '{"numRecords": 5}'


def reader_of(store: MemoryStore) -> TableReader:
    log = TableLog(store)
    return TableReader(log, log.latest())


def figures(table, *names: str):
    return list(zip(*(table[name].to_pylist() for name in names), strict=True))


def test_sizes_follow_added_and_removed_files():
    store = MemoryStore()
    create(store)
    commit(store, 1, info("WRITE"), add("a", size=100, stats=TEN), add("b", size=20, stats=FIVE))
    commit(store, 2, info("DELETE"), remove("a"), add("c", size=60, stats=FIVE))
    commit(store, 3, info("OPTIMIZE"), remove("b"), remove("c"), add("d", size=70, stats=TEN))

    found = reader_of(store).versions()

    assert figures(found, "version", "operation", "num_files", "size", "num_rows") == [
        (0, "CREATE TABLE", 0, 0, 0),
        (1, "WRITE", 2, 120, 15),
        (2, "DELETE", 2, 80, 10),
        (3, "OPTIMIZE", 1, 70, 10),
    ]
    assert found["timestamp"].null_count == 0


def test_rows_that_deletion_vectors_hide_are_not_counted():
    store = MemoryStore()
    create(store, add("a", stats=TEN))
    commit(store, 1, info("DELETE"), remove("a"), add("a", vector(1), stats=TEN))
    commit(store, 2, info("DELETE"), add("a", vector(2), stats=TEN), remove("a", vector(1)))

    found = reader_of(store).versions()

    assert figures(found, "num_files", "size", "num_rows") == [(1, 10, 10), (1, 10, 9), (1, 10, 9)]


def test_rows_are_unknown_while_a_file_without_statistics_is_there():
    store = MemoryStore()
    create(store, add("a", stats=TEN))
    commit(store, 1, info(), add("b"))
    commit(store, 2, info(), remove("b"))

    assert figures(reader_of(store).versions(), "num_rows") == [(10,), (None,), (10,)]


def test_spellings_of_a_path_are_one_file():
    store = MemoryStore()
    create(store, add("p=x%20y/a", stats=TEN))
    commit(store, 1, info(), remove("p=x y/./a"))

    assert figures(reader_of(store).versions(), "num_files") == [(1,), (0,)]


def test_limit_and_an_older_version_choose_what_is_listed():
    store = MemoryStore()
    create(store)
    for version in (1, 2, 3):
        commit(store, version, info(), add(f"f{version}", stats=FIVE))
    log = TableLog(store)

    older = TableReader(log, log.at_version(2))

    assert figures(older.versions(2), "version", "num_rows") == [(1, 5), (2, 10)]
    assert figures(older.versions(9), "version") == [(0,), (1,), (2,)]


def test_versions_begin_where_the_log_can_be_read():
    store = MemoryStore()
    create(store, add("a", stats=TEN))
    commit(store, 1, info(), add("b", stats=FIVE))
    write_checkpoint(TableLog(store).latest(), tombstones_since=0)
    commit(store, 2, info(), add("c", stats=FIVE))
    store.delete([commit_name(0)])

    assert figures(reader_of(store).versions(), "version", "num_rows") == [(1, 15), (2, 20)]
