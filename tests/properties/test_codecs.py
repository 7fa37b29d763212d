"""What is written is read again: lines of the log, schemas, paths."""

from hypothesis import given
from hypothesis import strategies as st

from puredelta.log.actions import decode_commit, encode_commit
from puredelta.log.files import add_files, canonical_path, files_table
from puredelta.schema.codec import schema_from_json, schema_to_json
from puredelta.schema.column_path import parse_path, quote_path
from puredelta.storage.location import (
    decode_path,
    encode_path,
    escape_partition_name,
    unescape_partition_name,
)
from tests.properties import strategies


@given(st.lists(strategies.actions, max_size=8))
def test_commit_round_trips(actions):
    assert decode_commit(encode_commit(actions), "f") == actions


@given(strategies.schemas)
def test_schema_round_trips(schema):
    text = schema_to_json(schema)

    assert schema_from_json(text) == schema
    assert schema_to_json(schema_from_json(text)) == text


@given(strategies.texts)
def test_path_round_trips(path):
    assert decode_path(encode_path(path)) == path


@given(strategies.texts)
def test_partition_name_round_trips(text):
    escaped = escape_partition_name(text)

    assert unescape_partition_name(escaped) == text
    assert "/" not in escaped
    assert "=" not in escaped


@given(st.lists(strategies.names.filter(lambda name: name == name.strip()), min_size=1, max_size=4))
def test_column_path_round_trips(names):
    assert parse_path(quote_path(names)) == tuple(names)


@given(st.lists(strategies.adds, max_size=5))
def test_files_round_trip_through_arrow(adds):
    again = add_files(files_table(adds))

    assert [canonical_path(add.path) for add in again] == [canonical_path(a.path) for a in adds]
    assert [(a.partition_values, a.tags, a.stats, a.deletion_vector) for a in again] == [
        (a.partition_values, a.tags, a.stats, a.deletion_vector) for a in adds
    ]
