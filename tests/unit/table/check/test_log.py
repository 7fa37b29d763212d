"""Each kind of damage to the log is found: gaps, commits, checkpoints, checksums, protocol."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.log.actions import AddFile, RemoveFile, decode_commit, encode_commit
from puredelta.log.files import file_key
from puredelta.log.names import LAST_CHECKPOINT, LOG_FOLDER, checkpoint_name, commit_name
from puredelta.table.check import Severity
from puredelta.table.check.run import check_store
from tests.unit.table.check.tables import edit, found, log_file, long_table, simple_table

LOG = "_delta_log"


def errors(store):
    return [one for one in found(store) if one[0] == "error"]


def edit_checkpoint(store, version, change):
    """Change the rows of a checkpoint, as plain values."""
    name = checkpoint_name(version)
    table = pq.read_table(io.BytesIO(store.read(name)))
    changed = [one for row in table.to_pylist() if (one := change(row)) is not None]
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(changed, schema=table.schema), out)
    store.put(name, out.getvalue())
    return name


def put_compaction(store, start, end, *, without=None):
    """Write a file that stands in for some commits."""
    newest = {}
    for version in range(start, end + 1):
        for action in decode_commit(store.read(commit_name(version)), "f"):
            if isinstance(action, AddFile | RemoveFile):
                newest[file_key(action)] = action
    kept = [action for action in newest.values() if action.path != without]
    name = f"{LOG}/{start:020}.{end:020}.compacted.json"
    store.put(name, encode_commit(kept))
    return name


def test_a_missing_commit():
    store = simple_table()
    store.delete([commit_name(2)])

    assert errors(store) == [("error", "log-gap", LOG), ("error", "log-unreadable", LOG)]


def test_a_gap_before_a_checkpoint_does_not_hide_the_files():
    store = long_table()
    store.delete([commit_name(2), commit_name(4)])

    report = check_store(store)
    assert [one.code for one in report.findings] == ["log-gap", "log-gap"]
    assert (report.version, report.files) == (7, 4)


def test_commits_that_were_cleaned_up_are_no_gap():
    store = long_table()
    store.delete([commit_name(version) for version in range(3)])

    assert found(store) == []


@pytest.mark.parametrize("data", [b"{", b"", b'{"add":{"path":3}}', b"\xff\xfe"])
def test_a_damaged_commit(data):
    store = simple_table()
    store.put(commit_name(3), data)

    assert ("error", "commit-damaged", commit_name(3)) in errors(store)


def test_a_damaged_commit_before_a_checkpoint():
    store = long_table()
    store.put(commit_name(4), store.read(commit_name(4))[:-30])

    assert found(store) == [("error", "commit-damaged", commit_name(4))]


def test_a_damaged_checkpoint():
    store = long_table()
    store.put(checkpoint_name(3), store.read(checkpoint_name(3))[:-10])

    assert found(store) == [("error", "checkpoint-damaged", checkpoint_name(3))]


def without_a_file(row):
    add = row["add"]
    return None if add is not None and add["path"].endswith("f1.parquet") else row


def with_another_size(row):
    if row["add"] is None:
        return row
    return {**row, "add": {**row["add"], "size": 1}}


def with_a_file_more(row):
    """Make the first tombstone or application a file."""
    if row["add"] is None or not row["add"]["path"].endswith("f1.parquet"):
        return row
    return {**row, "add": {**row["add"], "path": "p=1/other.parquet"}}


def with_other_metadata(row):
    if row["metaData"] is None:
        return row
    return {**row, "metaData": {**row["metaData"], "id": "another"}}


def with_another_protocol(row):
    if row["protocol"] is None:
        return row
    return {**row, "protocol": {**row["protocol"], "minWriterVersion": 1}}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without_a_file, ["lacks 1 live files: p=1/f1.parquet"]),
        (with_another_size, ["describes 3 files differently"]),
        (with_a_file_more, ["lacks 1 live files", "1 files that are not live"]),
        (with_other_metadata, ["metadata is not that"]),
        (with_another_protocol, ["Its protocol is"]),
    ],
)
def test_a_checkpoint_that_is_not_the_replay(change, words):
    store = long_table()
    name = edit_checkpoint(store, 3, change)

    report = check_store(store)
    texts = [one.text for one in report.findings]
    assert {(one.code, one.file) for one in report.findings} == {("checkpoint-differs", name)}
    assert len(texts) == len(words)
    assert all(word in text for word, text in zip(words, texts, strict=True))


@pytest.mark.parametrize(
    "change",
    [
        {"numFiles": 3},
        {"tableSizeBytes": 1},
        {"protocol": {"minReaderVersion": 1, "minWriterVersion": 7}},
        {"setTransactions": [{"appId": "a", "version": 1}]},
        {"domainMetadata": [{"domain": "d", "configuration": "", "removed": False}]},
    ],
)
def test_a_checksum_that_is_not_the_state(change):
    store = long_table()
    name = log_file(store, "5.crc")
    store.put(name, json.dumps({**json.loads(store.read(name)), **change}).encode())

    assert ("error", "checksum-differs", name) in found(store)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"numFiles":"x"}'])
def test_a_damaged_checksum(data):
    store = long_table()
    name = log_file(store, "5.crc")
    store.put(name, data)

    assert found(store) == [("warning", "checksum-damaged", name)]


def test_a_hint_that_is_damaged_or_leads_nowhere():
    store = long_table()
    hint = json.loads(store.read(LAST_CHECKPOINT))
    store.put(LAST_CHECKPOINT, json.dumps({**hint, "version": 5}).encode())
    assert found(store) == [("warning", "last-checkpoint-damaged", LAST_CHECKPOINT)]

    store.put(LAST_CHECKPOINT, b'{"version":5,"size":4}')
    assert found(store) == [("warning", "last-checkpoint-wrong", LAST_CHECKPOINT)]

    store.delete([LAST_CHECKPOINT])
    assert found(store) == []


def test_a_true_compaction():
    store = long_table()
    put_compaction(store, 1, 7)

    assert found(store) == []


def test_a_false_compaction():
    store = long_table()
    name = put_compaction(store, 1, 7, without="p=1/f3.parquet")

    assert found(store) == [("error", "compaction-differs", name)]


def test_a_damaged_compaction():
    store = long_table()
    name = put_compaction(store, 1, 4)
    store.put(name, b"{")

    assert found(store) == [("error", "compaction-damaged", name)]


def test_what_a_stopped_writer_left_is_harmless():
    store = long_table()
    left = f"{LOG_FOLDER}/.{8:020}.json.0123.tmp"
    store.put(left, b"{")

    (finding,) = check_store(store).findings
    assert (finding.severity, finding.code, finding.file) == (Severity.INFO, "log-leftover", left)


@pytest.mark.parametrize(
    ("protocol", "severity", "code"),
    [
        (
            {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": ["timeMachine"],
                "writerFeatures": ["timeMachine"],
            },
            "error",
            "feature-unknown",
        ),
        (
            {"minReaderVersion": 3, "minWriterVersion": 7, "writerFeatures": []},
            "error",
            "protocol-malformed",
        ),
        (
            {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": ["deletionVectors"],
                "writerFeatures": [],
            },
            "error",
            "protocol-malformed",
        ),
        ({"minReaderVersion": 9, "minWriterVersion": 7}, "error", "protocol-malformed"),
    ],
)
def test_a_protocol_that_is_unknown_or_contradicts_itself(protocol, severity, code):
    store = simple_table()
    edit(store, 0, "protocol", lambda _: protocol)

    assert (severity, code, LOG) in found(store)


@pytest.mark.parametrize("tag", ["protocol", "metaData"])
def test_a_log_without_protocol_or_metadata(tag):
    store = simple_table()
    edit(store, 0, tag, lambda _: None)

    assert found(store) == [("error", "log-incomplete", LOG)]


def test_a_schema_that_is_none():
    store = simple_table()
    edit(store, 0, "metaData", lambda metadata: {**metadata, "schemaString": "{"})

    assert found(store) == [("error", "schema-damaged", LOG)]


def test_partitioning_by_a_column_that_is_not_there():
    store = simple_table()
    edit(store, 0, "metaData", lambda metadata: {**metadata, "partitionColumns": ["q"]})

    assert ("error", "schema-damaged", LOG) in found(store)


def test_an_absurd_version_is_a_gap_and_not_an_endless_loop():
    store = simple_table()
    store.put(commit_name(10**18), b'{"commitInfo":{}}\n')

    assert ("error", "log-gap", LOG) in found(store)


def timed_table(*times):
    """Versions 0 and more with these in-commit timestamps; None for a commit without one."""
    store = simple_table()
    for version, time in enumerate(times):

        def timed(info, time=time):
            return {**info, "inCommitTimestamp": time} if time is not None else info

        edit(store, version, "commitInfo", timed)
    enabled = {"delta.enableInCommitTimestamps": "true"}
    edit(
        store,
        0,
        "metaData",
        lambda one: {**one, "configuration": {**one["configuration"], **enabled}},
    )
    features = {
        "minReaderVersion": 1,
        "minWriterVersion": 7,
        "writerFeatures": ["inCommitTimestamp"],
    }
    edit(store, 0, "protocol", lambda _: features)
    return store


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ((10, 20, 30, 40), []),
        ((10, 20, 20, 40), [("commit-time-back", 2)]),
        ((10, 50, 30, 40), [("commit-time-back", 2), ("commit-time-back", 3)]),
        ((10, None, 30, 40), [("commit-time-missing", 1)]),
    ],
)
def test_in_commit_timestamps_that_do_not_go_forward(times, expected):
    assert errors(timed_table(*times)) == [
        ("error", code, commit_name(version)) for code, version in expected
    ]


def test_columns_that_differ_in_case_only():
    store = simple_table()

    def with_alike(metadata):
        schema = json.loads(metadata["schemaString"])
        schema["fields"].append({**schema["fields"][0], "name": "ID"})
        return {**metadata, "schemaString": json.dumps(schema)}

    edit(store, 0, "metaData", with_alike)

    assert errors(store) == [("error", "columns-alike", LOG)]


def respelled(store, spelling):
    """Let version 3 add the file of version 1 once more, under another spelling."""
    lines = store.read(commit_name(1)).decode().splitlines()
    add = next(json.loads(line)["add"] for line in lines if '"add"' in line)
    edit(store, 3, "add", lambda _: {**add, "path": spelling})
    return add["path"]


@pytest.mark.parametrize(
    "spelling",
    [
        "memory:///t/p=0/f0.parquet",
        "/t/p=0/f0.parquet",
    ],
)
def test_one_file_under_two_spellings(spelling):
    store = simple_table()
    path = respelled(store, spelling)

    codes = {(code, file) for _, code, file in errors(store)}
    assert ("file-respelled", path) in codes


@pytest.mark.parametrize(
    "spelling", ["p%3D0/f0.parquet", "./p=0/f0.parquet", "p=0/../p=0//f0.parquet"]
)
def test_spellings_that_readers_take_for_one_file(spelling):
    store = simple_table()
    respelled(store, spelling)

    assert errors(store) == []
