"""Columns that change: what stops a stream, what it keeps in its log, and what lets it go on."""

import json

import msgspec
import pytest

from puredelta.errors import DeltaError
from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_from_json
from puredelta.storage.memory import MemoryStore
from puredelta.stream_settings import StreamSettings
from puredelta.streaming.admission import ALL
from puredelta.streaming.column_changes import Unblocking, column_changes, java_hash
from puredelta.streaming.commits import CommitReader
from puredelta.streaming.options import stream_options
from puredelta.streaming.schema_log import SchemaLog
from puredelta.streaming.table_as_seen import TableAsSeen
from puredelta.streaming.table_stream import TableStream
from puredelta.streaming.tracking import Tracking, merge_entries
from tests.unit.streaming.histories import (
    ID,
    History,
    add,
    compile_pattern,
    metadata,
    names,
    schema,
    short,
)

NAME_MODE = {"delta.columnMapping.mode": "name"}
SOURCE = "file:/checkpoint/sources/0"


def mapped(**physical):
    """Return metadata whose columns are known to files by other names, numbered by these."""
    keys = {
        name: {
            "delta.columnMapping.id": int(inside[1:]),
            "delta.columnMapping.physicalName": inside,
        }
        for name, inside in physical.items()
    }
    columns = [(name, "long") for name in physical]
    return metadata(columns, configuration=NAME_MODE, keys=keys)


def condition_of(history, stream):
    with pytest.raises(DeltaError) as raised:
        stream.latest_offset(None, ALL)
    return raised.value.condition, str(raised.value)


CHANGES = {
    "added": ([("id", "long"), ("v", "string")], True),
    "wider": ([("id", "decimal(30,0)")], True),
    "other": ([("id", "string")], False),
    "gone": ([("v", "string")], False),
    "other letters": ([("ID", "long")], False),
}


@pytest.mark.parametrize("change", CHANGES)
def test_other_columns_stop_stream(change):
    columns, is_over = CHANGES[change]
    history = History(add("a"))
    stream = history.stream(start=1)
    history.commit(metadata(columns))

    condition, text = condition_of(history, stream)

    assert condition == "DELTA_SCHEMA_CHANGED_WITH_VERSION"
    assert ("Start the query again" in text) is is_over
    assert "version 1" in text


def test_starting_option_is_named():
    history = History(add("a"))
    stream = history.stream(start=1, startingVersion="1")
    history.commit(metadata([("id", "string")]))

    assert condition_of(history, stream)[0] == "DELTA_SCHEMA_CHANGED_WITH_STARTING_OPTIONS"


def test_column_that_is_gone_now_is_in_older_versions():
    history = History(add("a"))
    history.commit(metadata([("id", "long"), ("v", "string")]), add("b"))
    history.commit(metadata([("id", "long")]), add("c"))

    assert condition_of(history, history.stream(start=0))[0] == "DELTA_SCHEMA_CHANGED_WITH_VERSION"


@pytest.mark.parametrize(
    "lines",
    [
        metadata(configuration={"delta.appendOnly": "true"}),
        metadata([("id", "long")], keys={"id": {"comment": "c"}}),
    ],
)
def test_properties_and_comments_stop_nothing(lines):
    history = History(add("a"))
    stream = history.stream(start=1)
    history.commit(lines)

    assert short(stream.latest_offset(None, ALL)) == (2, -1, False)


def test_other_partitioning_stops_stream_unless_allowed():
    history = History(add("a"), columns=[("id", "long"), ("p", "long")])
    strict = history.stream(start=1)
    lenient = history.stream(StreamSettings(unsafe_partition_changes=True), start=1)
    history.commit(metadata([("id", "long"), ("p", "long")], partitions=["p"]))

    assert "partitioned by nothing -> p" in condition_of(history, strict)[1]
    assert lenient.latest_offset(None, ALL) is not None


@pytest.mark.parametrize("columns", [{"w": "c1"}, {"v": "c2"}, {"x": "c3"}])
def test_renamed_and_dropped_columns_ask_for_tracking(columns):
    history = _of_mapped(v="c1", id="c2")
    stream = history.stream(start=1)
    off = history.stream(StreamSettings(schema_tracking=False), start=1)
    unsafe = history.stream(StreamSettings(unsafe_mapping_changes=True), start=1)
    history.commit(mapped(**columns))

    condition, text = condition_of(history, stream)
    assert condition == "DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG"
    assert "schemaTrackingLocation" in text
    assert condition_of(history, off)[0] == "DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE"
    # What is left is compared by names.
    if columns == {"v": "c2"}:
        assert unsafe.latest_offset(None, ALL) is not None
    else:
        assert condition_of(history, unsafe)[0] == "DELTA_SCHEMA_CHANGED_WITH_VERSION"


def _of_mapped(**columns):
    history = History.__new__(History)
    history.store, history.version = MemoryStore(), -1
    history.commit(
        {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}, mapped(**columns), add("a")
    )
    return history


def tracked(history, store, merge=True):
    """Open a stream with a log of its columns, as a query that starts does."""
    log, table = SchemaLog(store, ID), TableLog(history.store)
    if merge:
        merge_entries(log, CommitReader(table, fail_on_data_loss=True))
    read = table.latest()
    return TableStream(
        table=TableAsSeen(log=table, root="memory:/t", read=read),
        options=stream_options({}, compile_pattern),
        settings=StreamSettings(),
        start=lambda: None,
        tracking=Tracking(log=log, table=read, source=SOURCE),
    )


def test_stream_goes_through_rename():
    history, store = _of_mapped(v="c1"), MemoryStore()
    stream = tracked(history, store)
    first = stream.latest_offset(None, ALL)
    history.commit(add("b"))
    history.commit(mapped(w="c1"), add("c"))
    history.commit(add("d"))

    before = stream.latest_offset(first, ALL)
    after = stream.latest_offset(before, ALL)

    assert [short(first), short(before), short(after)] == [
        (1, -1, False),
        (2, -20, False),
        (2, -19, False),
    ]
    assert names(stream.batch(first, before)) == ["b"]
    assert stream.latest_offset(after, ALL) == after
    with pytest.raises(DeltaError) as raised:
        stream.commit(before)
    assert raised.value.condition == "DELTA_STREAMING_METADATA_EVOLUTION"
    again = tracked(history, store)
    assert [f.name for f in again.tracking.read.schema] == ["w"]
    again.commit(after)
    end = again.latest_offset(after, ALL)
    assert short(end) == (4, -1, False)
    assert names(again.batch(after, end)) == ["c", "d"]


def test_log_has_the_form_of_delta_spark():
    history, store = _of_mapped(v="c1"), MemoryStore()
    tracked(history, store).latest_offset(None, ALL)

    header, body = store.read("0").decode().split("\n")
    entry = json.loads(body)
    assert header == "v1"
    assert list(entry) == [
        "tableId",
        "deltaCommitVersion",
        "dataSchemaJson",
        "partitionSchemaJson",
        "sourceMetadataPath",
        "tableConfigurations",
        "protocolJson",
    ]
    assert entry["deltaCommitVersion"] == 0
    assert json.loads(entry["protocolJson"])["protocol"]["minReaderVersion"] == 2


def test_changes_in_a_row_become_one():
    history, store = _of_mapped(v="c1"), MemoryStore()
    stream = tracked(history, store)
    first = stream.latest_offset(None, ALL)
    for name in ("w", "x", "y"):
        history.commit(mapped(**{name: "c1"}))
    history.commit(add("b"))
    before = stream.latest_offset(first, ALL)
    with pytest.raises(DeltaError):
        stream.commit(before)

    again = tracked(history, store)
    previous, current = again.tracking.entries()

    assert [f.name for f in previous.schema] == ["v"]
    assert [f.name for f in current.schema] == ["y"]
    end = again.latest_offset(before.replace("-20", "-19"), ALL)
    assert names(again.batch(before, end)) == ["b"]


def test_change_after_files_is_not_merged():
    history, store = _of_mapped(v="c1"), MemoryStore()
    tracked(history, store).latest_offset(None, ALL)
    history.commit(mapped(w="c1"))

    again = tracked(history, store)

    assert [f.name for f in again.tracking.read.schema] == ["v"]


def test_log_of_another_table_and_damaged_log_are_refused():
    history, store = _of_mapped(v="c1"), MemoryStore()
    tracked(history, store).latest_offset(None, ALL)

    with pytest.raises(DeltaError) as other:
        SchemaLog(store, "another").newest()
    store.put("1", b"v1\n{")
    with pytest.raises(DeltaError) as damaged:
        SchemaLog(store, ID).newest()

    condition = "DELTA_STREAMING_SCHEMA_LOG_INCOMPATIBLE_DELTA_TABLE_ID"
    assert other.value.condition == condition
    assert damaged.value.condition == "DELTA_STREAMING_SCHEMA_LOG_DESERIALIZE_FAILED"


def entries_of(before, after, version=5):
    history, store = _of_mapped(**before), MemoryStore()
    stream = tracked(history, store)
    first = stream.latest_offset(None, ALL)
    while history.version < version - 1:
        history.commit(add(f"f{history.version}"))
    history.commit(mapped(**after))
    with pytest.raises(DeltaError):
        stream.commit(stream.latest_offset(first, ALL))
    return tracked(history, store).tracking.entries()


@pytest.mark.parametrize(
    ("after", "kind", "operation"),
    [
        ({"w": "c1", "id": "c2"}, "Rename", "RENAME COLUMN"),
        ({"id": "c2"}, "Drop", "DROP COLUMN"),
    ],
)
def test_change_has_to_be_allowed(after, kind, operation):
    entries = entries_of({"v": "c1", "id": "c2"}, after)
    key = f"spark.databricks.delta.streaming.allowSourceColumn{kind}"
    hashed = java_hash(SOURCE)
    allowed = [
        ({f"allowsourcecolumn{kind.lower()}": "always"}, {}),
        ({f"allowsourcecolumn{kind.lower()}": "5"}, {}),
        ({}, {key: "always"}),
        ({}, {f"{key}.ckpt_{hashed}": "5"}),
        ({}, {f"{key}.ckpt_{hashed}": "always"}),
        ({}, {"spark.databricks.delta.streaming.allowSourceColumnRenameAndDrop": "always"}),
    ]
    for options, settings in allowed:
        Unblocking(options, lambda k, given=settings: given.get(k, ""), SOURCE).check(*entries)
    for options, settings in [({}, {}), ({f"allowsourcecolumn{kind.lower()}": "4"}, {key: "5"})]:
        with pytest.raises(DeltaError) as raised:
            Unblocking(options, lambda k, given=settings: given.get(k, ""), SOURCE).check(*entries)
        parameters = raised.value.parameters
        assert parameters["opType"] == operation
        assert parameters["unblockChangeOptions"] == f'  .option("allowSourceColumn{kind}", "5")'
        assert parameters["unblockChangeConfs"] == f"  SET {key}.ckpt_{hashed} = 5;"


def test_addition_needs_no_leave():
    entries = entries_of({"v": "c1"}, {"v": "c1", "id": "c2"})

    Unblocking({}, lambda _: "", SOURCE).check(*entries)


def test_other_type_is_refused_unless_the_session_lets_it_pass():
    previous, current = entries_of({"v": "c1"}, {"v": "c1", "id": "c2"})
    text = current.data_schema_json.replace('"long"', '"date"')
    current = msgspec.structs.replace(current, data_schema_json=text)
    passing = "spark.databricks.delta.typeWidening.bypassStreamingTypeChangeCheck"

    with pytest.raises(DeltaError) as raised:
        Unblocking({}, lambda _: "", SOURCE).check(previous, current)
    assert raised.value.condition == "DELTA_SCHEMA_CHANGED_WITH_VERSION"
    Unblocking({}, lambda key: "true" if key == passing else "", SOURCE).check(previous, current)


def test_changes_are_listed():
    before, after = (
        schema_from_json(schema([("a", "integer"), ("b", "long"), ("c", "string")])),
        schema_from_json(schema([("a", "long"), ("c", "long")])),
    )

    found = column_changes(before, after)

    assert found.dropped == ["b"]
    assert found.widened == [("a", "INT", "BIGINT")]
    assert found.other == [("c", "STRING", "BIGINT")]
    assert str(found) == "Columns dropped:\n'b'\nColumns with widened types:\n'a': INT -> BIGINT"
