"""V2 checkpoints: sidecars, the top-level file that names them, and the hint."""

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
    decode_commit,
)
from puredelta.log.names import LAST_CHECKPOINT, SIDECAR_FOLDER, checkpoint_name, commit_name
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.summaries.checkpoint_options import CheckpointForm
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import METADATA, PROTOCOL, add, commit, create, paths, remove, vector

SMALL = CheckpointForm(is_v2=True, rows_per_file=2)


def table() -> MemoryStore:
    store = MemoryStore()
    create(
        store,
        *(add(f"f{number}", stats='{"numRecords":1}') for number in range(5)),
        SetTransaction(app_id="a", version=1),
        DomainMetadata(domain="d", configuration="{}", removed=False),
    )
    commit(store, 1, remove("f0", when=5), remove("gone", vector(1), when=6))
    return store


def written(form: CheckpointForm, store: MemoryStore | None = None) -> MemoryStore:
    """Write a checkpoint of version 1 and take away what it stands in for."""
    store = store or table()
    write_checkpoint(TableLog(store).latest(), tombstones_since=0, form=form)
    store.delete([commit_name(0)])
    return store


def top_level(store: MemoryStore) -> str:
    names = [info.name for info in store.list_from("_delta_log")]
    return next(name for name in names if ".checkpoint." in name)


def sidecars(store: MemoryStore) -> list[pa.Table]:
    names = [info.name for info in store.list_from(SIDECAR_FOLDER)]
    return [pq.read_table(pa.BufferReader(store.read(name))) for name in names]


@pytest.mark.parametrize("top_level_format", ["json", "parquet"])
def test_state_is_read_back(top_level_format):
    before = TableLog(table()).latest()
    form = CheckpointForm(is_v2=True, rows_per_file=2, top_level_format=top_level_format)

    after = TableLog(written(form)).latest()

    assert after.segment.checkpoint[0].name.endswith(f".{top_level_format}")
    assert (after.protocol, after.metadata) == (PROTOCOL, METADATA)
    assert (after.transactions, after.domains) == (before.transactions, before.domains)
    assert paths(after.files) == ["f1", "f2", "f3", "f4"]
    assert set(after.files["stats"].to_pylist()) == {'{"numRecords":1}'}
    assert paths(after.tombstones()) == ["f0", "gone"]


def test_top_level_file_tells_what_the_sidecars_hold():
    store = written(SMALL)

    actions = decode_commit(store.read(top_level(store)), "top")

    (about,) = [action for action in actions if isinstance(action, CheckpointMetadata)]
    named = [action for action in actions if isinstance(action, Sidecar)]
    there = store.list_from(SIDECAR_FOLDER)
    assert about.version == 1
    assert about.tags["sidecarNumActions"] == "6"
    assert about.tags["numOfAddFiles"] == "4"
    assert about.tags["sidecarSizeInBytes"] == str(sum(info.size for info in there))
    schema = json.loads(about.tags["sidecarFileSchema"])
    assert [field["name"] for field in schema["fields"]] == ["add", "remove"]
    assert {(one.path, one.size_in_bytes, one.modification_time) for one in named} == {
        (info.name.rpartition("/")[2], info.size, info.modified_ms) for info in there
    }


def test_sidecars_are_short_and_numbered():
    store = written(SMALL)

    names = [info.name.rpartition("/")[2] for info in store.list_from(SIDECAR_FOLDER)]

    start = f"{1:020}.checkpoint"
    assert [name[:53] for name in names] == [
        f"{start}.{part:010}.0000000003" for part in range(1, 4)
    ]
    assert [table.num_rows for table in sidecars(store)] == [2, 2, 2]


def test_few_files_share_one_sidecar():
    store = written(CheckpointForm(is_v2=True))

    (only,) = sidecars(store)

    assert (only.num_rows, only.column_names) == (6, ["add", "remove"])
    assert only["add"].null_count == 2


def test_hint_names_the_top_level_file():
    store = written(SMALL)

    hint = json.loads(store.read(LAST_CHECKPOINT))

    assert (hint["version"], hint["numOfAddFiles"]) == (1, 4)
    # One line each: about itself, three sidecars, protocol, metadata, transaction, domain.
    assert hint["size"] == 6 + 1 + 3 + 4
    name = top_level(store)
    assert hint["v2Checkpoint"]["path"] == name.rpartition("/")[2]
    assert hint["v2Checkpoint"]["sizeInBytes"] == store.info(name).size
    assert len(hint["v2Checkpoint"]["sidecarFiles"]) == 3
    kinds = {key for line in hint["v2Checkpoint"]["nonFileActions"] for key in line}
    assert kinds == {"checkpointMetadata", "protocol", "metaData", "txn", "domainMetadata"}


def test_empty_table_has_no_sidecar():
    store = MemoryStore()
    create(store)
    commit(store, 1)
    written(SMALL, store)

    assert store.list_from(SIDECAR_FOLDER) == []
    assert TableLog(store).latest().num_files == 0


def test_parquet_top_level_has_the_columns_that_delta_spark_asks_for():
    store = written(CheckpointForm(is_v2=True, top_level_format="parquet"))

    top = pq.read_table(pa.BufferReader(store.read(top_level(store))))

    wanted = ["txn", "metaData", "protocol", "domainMetadata", "checkpointMetadata", "sidecar"]
    assert sorted(top.column_names) == sorted([*wanted, "add", "remove"])
    assert top["add"].null_count == top.num_rows


def test_second_checkpoint_of_a_version_is_another_file_with_the_same_state():
    store = table()
    write_checkpoint(TableLog(store).latest(), tombstones_since=0, form=SMALL)
    written(SMALL, store)

    assert paths(TableLog(store).latest().files) == ["f1", "f2", "f3", "f4"]


def test_v2_content_under_a_classic_name_is_read():
    store = written(CheckpointForm(is_v2=True, top_level_format="parquet"))
    store.put(checkpoint_name(1), store.read(top_level(store)))
    store.delete([top_level(store), LAST_CHECKPOINT])

    snapshot = TableLog(store).latest()

    assert snapshot.segment.checkpoint[0].name == checkpoint_name(1)
    assert paths(snapshot.files) == ["f1", "f2", "f3", "f4"]


def test_damaged_top_level_file_is_told_by_name():
    store = written(SMALL)
    name = top_level(store)
    store.put(name, b'{"sidecar":')

    with pytest.raises(DeltaIllegalStateError, match=name):
        TableLog(store).latest()


def test_top_level_file_with_a_value_of_the_wrong_type_is_told_by_name():
    store = written(SMALL)
    store.put(checkpoint_name(1), parquet({"protocol": [{"minReaderVersion": "x"}]}))

    # The V2 checkpoint beside it is whole.
    assert TableLog(store).latest().version == 1
    store.delete([top_level(store)])
    with pytest.raises(DeltaIllegalStateError, match=r"checkpoint\.parquet") as raised:
        TableLog(store).at_version(1)
    assert raised.value.condition == "DELTA_CHECKPOINT_MALFORMED"


def parquet(columns: dict) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue().to_pybytes()


def test_file_without_a_path_is_damage():
    store = MemoryStore()
    create(store)
    store.put(
        checkpoint_name(1),
        parquet(
            {
                "protocol": [{"minReaderVersion": 1, "minWriterVersion": 2}, None],
                "add": [None, {"path": None, "size": 3}],
            }
        ),
    )
    store.delete([commit_name(0)])

    with pytest.raises(DeltaIllegalStateError):
        _ = TableLog(store).latest().files
