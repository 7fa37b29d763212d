"""Deletion vectors that are damaged, untrue or not allowed."""

import json

import pytest

from tests.unit.table.check.tables import edit, edit_stats, found, log_file, table_with_vector

FILE = "p=1/f.parquet"


def without_checksums(store):
    for one in store.list_from("_delta_log"):
        if one.name.endswith(".crc"):
            store.delete([one.name])
    return store


def test_a_missing_vector():
    store, vector = table_with_vector([1, 2])
    store.delete([vector])

    assert found(store) == [("error", "deletion-vector-damaged", FILE)]


@pytest.mark.parametrize(
    "changes", [{"cardinality": 3}, {"size_in_bytes": 5}, {"storage_type": "x"}, {"offset": 9}]
)
def test_a_vector_unlike_what_the_log_says(changes):
    store, _ = table_with_vector([1, 2], **changes)

    assert found(store)[0] == ("error", "deletion-vector-damaged", FILE)


def test_a_damaged_vector():
    store, vector = table_with_vector([1, 2])
    content = bytearray(store.read(vector))
    content[-8] ^= 1
    store.put(vector, bytes(content))

    assert found(store) == [("error", "deletion-vector-damaged", FILE)]


def test_a_row_behind_the_last():
    store, _ = table_with_vector([1, 10])

    assert found(store) == [("error", "deletion-vector-row", FILE)]


def test_deleted_rows_do_not_count():
    store, _ = table_with_vector([0, 1])
    without_checksums(store)
    edit_stats(store, lambda stats: stats["minValues"].update(id=2), version=2)
    assert found(store) == []

    edit_stats(store, lambda stats: stats["minValues"].update(id=3), version=2)
    assert found(store) == [("error", "min-value", FILE)]


def test_null_counts_that_are_not_exact_still_tell_none_and_all():
    store, _ = table_with_vector([1])
    without_checksums(store)
    edit_stats(store, lambda stats: stats["nullCount"].update(d=7), version=2)
    assert found(store) == []

    edit_stats(store, lambda stats: stats["nullCount"].update(d=0), version=2)
    assert found(store) == [("error", "null-count", FILE)]

    edit_stats(store, lambda stats: stats["nullCount"].update(d=10), version=2)
    assert found(store) == [("error", "null-count", FILE)]


def test_the_number_of_rows_must_be_told():
    store, _ = table_with_vector([1])
    edit(store, 2, "add", lambda add: {**add, "stats": "{}"})

    assert found(store) == [("error", "num-records-missing", FILE)]


def test_a_file_that_is_live_twice():
    store, _ = table_with_vector([1])
    without_checksums(store)
    edit(store, 2, "remove", lambda _: None)

    assert found(store) == [("error", "file-twice", FILE)]


def test_vectors_need_their_table_feature():
    store, _ = table_with_vector([1])
    without_checksums(store)
    edit(store, 0, "protocol", lambda _: {"minReaderVersion": 1, "minWriterVersion": 2})

    assert found(store) == [("error", "feature-missing", "_delta_log")]


def test_many_rows_in_pieces():
    deleted = [0, 65_535, 65_536, 69_999]
    store, _ = table_with_vector(deleted, count=70_000)

    without_checksums(store)
    assert found(store) == []
    edit_stats(store, lambda stats: stats["maxValues"].update(id=69_998), version=2)
    assert found(store) == []
    edit_stats(store, lambda stats: stats["maxValues"].update(id=69_997), version=2)
    assert found(store) == [("error", "max-value", FILE)]


def test_a_checksum_that_counts_other_vectors():
    store, _ = table_with_vector([1, 2])
    name = log_file(store, "2.crc")
    checksum = json.loads(store.read(name))
    store.put(name, json.dumps({**checksum, "numDeletedRecordsOpt": 9}).encode())

    assert ("error", "checksum-differs", name) in found(store)
