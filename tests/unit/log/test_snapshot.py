"""What a snapshot says of its version."""

import msgspec
import pytest

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.names import commit_name
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import METADATA, SCHEMA, add, commit, create, info, metadata


def test_facts_of_a_version():
    store = MemoryStore(now=lambda: 77)
    create(store, add("a", size=3), add("b", size=4), table=metadata(delta_appendOnly="true"))

    snapshot = TableLog(store).latest()

    assert (snapshot.version, snapshot.num_files, snapshot.size_in_bytes) == (0, 2, 7)
    assert snapshot.schema == SCHEMA
    assert snapshot.partition_columns == ["p"]
    assert snapshot.configuration == {"delta.appendOnly": "true"}
    assert snapshot.timestamp_ms == 77
    assert repr(snapshot) == "Snapshot('memory:///t', version=0)"


def test_empty_table_has_no_bytes():
    store = MemoryStore()
    create(store)

    assert TableLog(store).latest().size_in_bytes == 0


def test_damaged_schema_is_told_with_table_and_version():
    store = MemoryStore()
    create(store, table=msgspec.structs.replace(METADATA, schema_string='"long"'))

    with pytest.raises(DeltaIllegalStateError, match="memory:///t") as raised:
        _ = TableLog(store).latest().schema

    assert raised.value.condition == "DELTA_SCHEMA_MALFORMED"


@pytest.mark.parametrize("keep_commit", [True, False])
def test_time_of_a_version_that_is_read_from_its_checkpoint(keep_commit):
    clock = iter([10, 20, 30, 40])
    store = MemoryStore(now=lambda: next(clock))
    create(store)
    commit(store, 1, info())
    write_checkpoint(TableLog(store).latest(), tombstones_since=0)
    store.delete([commit_name(version) for version in range(1 if keep_commit else 2)])

    assert TableLog(store).latest().timestamp_ms == (20 if keep_commit else 30)


def test_in_commit_timestamp_is_read_when_only_the_checkpoint_was():
    store = MemoryStore()
    create(store, table=metadata(delta_enableInCommitTimestamps="true"))
    commit(store, 1, info(in_commit_timestamp=999))
    write_checkpoint(TableLog(store).latest(), tombstones_since=0)

    assert TableLog(store).latest().timestamp_ms == 999
    store.delete([commit_name(0), commit_name(1)])
    assert TableLog(store).latest().timestamp_ms < 999
