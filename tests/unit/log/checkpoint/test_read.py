"""Checkpoints: what is written is read, and what others write too."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import (
    CheckpointMetadata,
    DomainMetadata,
    SetTransaction,
    Sidecar,
    encode_commit,
)
from puredelta.log.checkpoint import read
from puredelta.log.checkpoint.read import open_checkpoint
from puredelta.log.names import (
    LAST_CHECKPOINT,
    checkpoint_name,
    checkpoint_part_name,
    commit_name,
)
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from puredelta.storage.store import ObjectNotFound
from tests.unit.log.logs import (
    METADATA,
    PROTOCOL,
    add,
    commit,
    create,
    metadata,
    paths,
    remove,
    vector,
)

NAME = checkpoint_name(2)


def rich_table() -> MemoryStore:
    store = MemoryStore()
    create(
        store,
        add("p=x%20y/a", tags={"k": "v"}, stats='{"numRecords":1}'),
        add("b", partition_values={"p": None}),
        SetTransaction(app_id="old", version=1, last_updated=5),
        SetTransaction(app_id="new", version=2, last_updated=50),
        SetTransaction(app_id="timeless", version=3),
        DomainMetadata(domain="x", configuration="1", removed=False),
        table=metadata(foo="bar"),
    )
    commit(store, 1, remove("b", when=5), add("c"), remove("d", when=50))
    commit(store, 2, remove("c", when=60), add("c", vector(1)))
    return store


def without_commits(store: MemoryStore) -> TableLog:
    store.delete([commit_name(version) for version in (0, 1)])
    return TableLog(store)


def test_checkpoint_tells_the_same_state():
    store = rich_table()
    before = TableLog(store).latest()
    tombstones = before.tombstones()
    hint = write_checkpoint(before, tombstones_since=0)

    after = without_commits(store).latest()

    assert after.segment.checkpoint_version == 2
    assert (after.protocol, after.metadata) == (before.protocol, before.metadata)
    assert (after.transactions, after.domains) == (before.transactions, before.domains)
    assert rows(after.files) == rows(before.files)
    assert rows(after.tombstones()) == rows(tombstones)
    assert (hint.version, hint.num_of_add_files, hint.size) == (2, 2, 2 + 3 + 1 + 2 + 3)


def rows(files: pa.Table) -> list[dict]:
    # A checkpoint marks every file as "no change of data".
    plain = files.drop(["data_change"]).to_pylist()
    return sorted(plain, key=lambda row: (row["path"], str(row["deletion_vector"])))


def test_hint_leads_to_the_checkpoint():
    store = rich_table()
    write_checkpoint(TableLog(store).latest(), tombstones_since=0)

    hint = json.loads(store.read(LAST_CHECKPOINT))

    assert hint["version"] == 2
    assert hint["sizeInBytes"] == store.info(NAME).size
    assert "parts" not in hint


def test_old_tombstones_and_transactions_are_forgotten():
    store = rich_table()
    write_checkpoint(TableLog(store).latest(), tombstones_since=50, transactions_since=50)

    after = without_commits(store).latest()

    assert paths(after.tombstones()) == ["c", "d"]
    assert list(after.transactions) == ["new"]


def test_paths_are_encoded_and_data_change_is_false():
    store = rich_table()
    write_checkpoint(TableLog(store).latest(), tombstones_since=0)

    added = pq.read_table(pa.BufferReader(store.read(NAME)))["add"].drop_null().to_pylist()

    assert sorted(row["path"] for row in added) == ["c", "p=x%20y/a"]
    assert {row["dataChange"] for row in added} == {False}


def test_empty_table_has_a_checkpoint():
    store = MemoryStore()
    create(store)
    write_checkpoint(TableLog(store).latest(), tombstones_since=0)

    assert TableLog(store).latest().num_files == 0


def test_second_checkpoint_keeps_what_only_the_first_remembers():
    store = rich_table()
    write_checkpoint(TableLog(store).latest(), tombstones_since=0)
    log = without_commits(store)
    commit(store, 3, remove("p=x y/a", when=70))
    write_checkpoint(log.latest(), tombstones_since=0)

    assert paths(TableLog(store).latest().tombstones()) == ["b", "c", "d", "p=x y/a"]
    assert paths(TableLog(store).latest().files) == ["c"]


def test_checkpoint_in_parts_is_read():
    whole = rich_table()
    write_checkpoint(TableLog(whole).latest(), tombstones_since=0)
    table = pq.read_table(pa.BufferReader(whole.read(NAME)))
    store = MemoryStore()
    for part, start in ((1, 0), (2, 6)):
        put_parquet(store, checkpoint_part_name(2, part, 2), table.slice(start, 6))
    store.put(commit_name(2), whole.read(commit_name(2)))

    assert paths(TableLog(store).latest().files) == ["c", "p=x y/a"]


def test_foreign_columns_may_be_missing_or_in_another_order():
    adds = [
        {
            "size": 3,
            "path": "f%25",
            "deletionVector": {
                "maxRowIndex": 1,
                "sizeInBytes": 4,
                "storageType": "u",
                "pathOrInlineDv": "ab",
                "cardinality": 2,
            },
            "stats_parsed": {"numRecords": 1},
        },
        None,
    ]
    store = MemoryStore()
    put_parquet(store, NAME, pa.table({"add": adds}))

    found = open_checkpoint(store, [store.info(NAME)]).files().to_pylist()[0]

    assert (found["path"], found["size"], found["stats"]) == ("f%", 3, '{"numRecords":1}')
    assert found["deletion_vector"]["cardinality"] == 2
    assert found["deletion_vector"]["offset"] is None


def test_statistics_in_columns_fill_in_for_text_that_is_missing():
    adds = [
        {"path": "a", "stats": '{"numRecords":1}', "stats_parsed": {"numRecords": 9}},
        {"path": "b", "stats": None, "stats_parsed": {"numRecords": 2}},
        None,
        {"path": "c", "stats": None, "stats_parsed": None},
    ]
    store = MemoryStore()
    put_parquet(store, NAME, pa.table({"add": adds}))

    found = open_checkpoint(store, [store.info(NAME)]).files()

    assert found["stats"].to_pylist() == ['{"numRecords":1}', '{"numRecords":2}', None]


def test_columns_that_nobody_knows_are_passed_over():
    store = MemoryStore()
    small = {"minReaderVersion": 1, "minWriterVersion": 2, "future": {"x": 1}}
    adds = [None, {"path": "a", "size": 1, "future": [1, 2]}]
    table = pa.table({"protocol": [small, None], "add": adds, "somethingNew": [1, 2]})
    put_parquet(store, NAME, table)

    found = open_checkpoint(store, [store.info(NAME)])

    assert found.actions == [PROTOCOL]
    assert paths(found.files()) == ["a"]


BELOW_ZERO = {"storageType": "i", "pathOrInlineDv": "", "sizeInBytes": -1, "cardinality": 1}


@pytest.mark.parametrize(
    "column",
    [
        {"path": {"x": 1}},
        {"path": "a", "size": "many"},
        {"path": "a", "size": -1},
        {"path": "a", "size": 1, "deletionVector": BELOW_ZERO},
    ],
)
def test_column_of_another_type_or_below_zero_is_damage(column):
    store = MemoryStore()
    put_parquet(store, NAME, pa.table({"add": [column]}))

    with pytest.raises(DeltaIllegalStateError, match=NAME) as raised:
        open_checkpoint(store, [store.info(NAME)]).files()

    assert raised.value.condition == "DELTA_CHECKPOINT_MALFORMED"


def test_long_checkpoint_that_vanishes_while_it_is_read_is_told_missing(monkeypatch):
    monkeypatch.setattr(read, "_FETCHED_WHOLE", 0)
    store = rich_table()
    write_checkpoint(TableLog(store).latest(), tombstones_since=0)
    there = store.info(NAME)
    store.delete([NAME])

    with pytest.raises(ObjectNotFound, match=NAME):
        open_checkpoint(store, [there])


def put_parquet(store: MemoryStore, name: str, table: pa.Table) -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    store.put(name, sink.getvalue().to_pybytes())


@pytest.mark.parametrize("with_sidecar", [True, False])
def test_v2_checkpoint_is_read_with_its_sidecars(with_sidecar):
    store = MemoryStore()
    small = [CheckpointMetadata(version=2), METADATA, PROTOCOL]
    if with_sidecar:
        sidecar = pa.table({"add": [{"path": "f", "size": 1}], "remove": [{"path": "g"}]})
        put_parquet(store, "_delta_log/_sidecars/s.parquet", sidecar)
        files = [Sidecar(path="s.parquet", size_in_bytes=1, modification_time=1)]
    else:
        files = [add("f"), remove("g")]
    store.put(f"_delta_log/{2:020}.checkpoint.u-u.json", encode_commit([*small, *files]))

    snapshot = TableLog(store).latest()

    assert snapshot.metadata == METADATA
    assert paths(snapshot.files) == ["f"]
    assert paths(snapshot.tombstones()) == ["g"]


def with_sidecar_path(path: str) -> MemoryStore:
    store = MemoryStore("memory:///t")
    put_parquet(store, "_delta_log/_sidecars/a b", pa.table({"add": [{"path": "f", "size": 1}]}))
    sidecar = Sidecar(path=path, size_in_bytes=1, modification_time=1)
    lines = encode_commit([CheckpointMetadata(version=2), METADATA, PROTOCOL, sidecar])
    store.put(f"_delta_log/{2:020}.checkpoint.u-u.json", lines)
    return store


@pytest.mark.parametrize(
    "path",
    ["a%20b", "./a b", "memory:///t/_delta_log/_sidecars/a%20b", "/t/_delta_log/_sidecars/a b"],
)
def test_sidecar_is_found_by_each_spelling_of_its_path(path):
    assert paths(TableLog(with_sidecar_path(path)).latest().files) == ["f"]


@pytest.mark.parametrize(
    "path",
    ["../../../etc/passwd", "%2e%2e/x", "/etc/passwd", "file:///etc/passwd", "", "..", "a/.."],
)
def test_sidecar_outside_of_its_folder_is_damage(path):
    with pytest.raises(DeltaIllegalStateError, match="would be outside of the folder") as raised:
        TableLog(with_sidecar_path(path)).latest()

    assert raised.value.condition == "DELTA_CHECKPOINT_MALFORMED"


def test_damaged_checkpoint_is_told_by_name():
    store = MemoryStore()
    store.put(NAME, b"PAR1 this is not")

    with pytest.raises(DeltaIllegalStateError, match=NAME) as raised:
        TableLog(store).latest()

    assert raised.value.condition == "DELTA_CHECKPOINT_MALFORMED"


def test_file_that_a_checkpoint_names_twice_counts_once():
    store = MemoryStore()
    put_parquet(store, NAME, pa.table({"add": [{"path": path, "size": 1} for path in "aba"]}))

    assert paths(open_checkpoint(store, [store.info(NAME)]).files()) == ["a", "b"]


def test_column_of_actions_that_is_no_struct_or_comes_twice_is_damage():
    rows = pa.table({"add": [{"path": "a"}], "protocol": ["text"], "x": [{"path": "b"}]})
    for table in (rows.select(["protocol"]), rows.rename_columns(["add", "p", "add"])):
        store = MemoryStore()
        put_parquet(store, NAME, table)

        with pytest.raises(DeltaIllegalStateError, match="there twice, or is no struct") as raised:
            open_checkpoint(store, [store.info(NAME)]).files()
        assert raised.value.condition == "DELTA_CHECKPOINT_MALFORMED"
