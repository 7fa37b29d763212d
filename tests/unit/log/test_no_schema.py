"""A table without a schema, as one that a stream is to fill, is one without columns."""

import json

from puredelta.log.actions import Metadata, decode_commit, encode_action
from puredelta.log.names import commit_name
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.table_log import TableLog
from puredelta.schema.datatypes import StructType
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import commit, info

PLAIN = {
    "id": "t-1",
    "format": {"provider": "parquet", "options": {}},
    "partitionColumns": [],
    "configuration": {},
}


def store_without_schema():
    store = MemoryStore()
    lines = [{"metaData": PLAIN}, {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}]
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    assert store.put_if_absent(commit_name(0), data)
    return store


def test_table_without_a_schema_has_no_columns():
    snapshot = TableLog(store_without_schema()).latest()

    assert snapshot.schema == StructType(())
    assert snapshot.files.num_rows == 0


def test_schema_is_left_out_again_where_it_was():
    store = store_without_schema()
    (metadata, _) = decode_commit(store.read(commit_name(0)), "0")

    assert isinstance(metadata, Metadata)
    assert json.loads(encode_action(metadata)) == {"metaData": PLAIN}


def test_checkpoint_of_it_is_read():
    store = store_without_schema()
    commit(store, 1, info())
    write_checkpoint(TableLog(store).latest(), tombstones_since=0)

    snapshot = TableLog(store).latest()

    assert snapshot.segment.checkpoint_version == 1
    assert snapshot.schema == StructType(())
