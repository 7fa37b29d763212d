"""Lines of the log: written as the protocol has them, read whoever wrote them."""

import pytest

from puredelta.errors import DeltaIllegalStateError
from puredelta.log.actions import (
    AddCdcFile,
    AddFile,
    CheckpointMetadata,
    CommitInfo,
    DeletionVector,
    DomainMetadata,
    Format,
    Metadata,
    Protocol,
    RemoveFile,
    SetTransaction,
    Sidecar,
    decode_commit,
    decode_file_actions,
    encode_commit,
)

ACTIONS_AND_LINES = [
    (
        CommitInfo(
            timestamp=1, operation="WRITE", operation_parameters={"mode": "Append"}, txn_id="t"
        ),
        (
            '{"commitInfo":{"timestamp":1,"operation":"WRITE",'
            '"operationParameters":{"mode":"Append"},"txnId":"t"}}'
        ),
    ),
    (
        Metadata(
            id="i", format=Format(), schema_string="{}", partition_columns=[], configuration={}
        ),
        (
            '{"metaData":{"id":"i","format":{"provider":"parquet","options":{}},'
            '"schemaString":"{}","partitionColumns":[],"configuration":{}}}'
        ),
    ),
    (
        Protocol(
            min_reader_version=3,
            min_writer_version=7,
            reader_features=["a"],
            writer_features=["a", "b"],
        ),
        (
            '{"protocol":{"minReaderVersion":3,"minWriterVersion":7,'
            '"readerFeatures":["a"],"writerFeatures":["a","b"]}}'
        ),
    ),
    (
        AddFile(
            path="p=1/f",
            partition_values={"p": None},
            size=1,
            modification_time=2,
            data_change=False,
        ),
        (
            '{"add":{"path":"p=1/f","partitionValues":{"p":null},"size":1,'
            '"modificationTime":2,"dataChange":false}}'
        ),
    ),
    (
        RemoveFile(
            path="f",
            deletion_timestamp=3,
            data_change=True,
            extended_file_metadata=True,
            partition_values={},
            size=4,
            deletion_vector=DeletionVector(
                storage_type="i", path_or_inline_dv="zz", size_in_bytes=5, cardinality=6
            ),
            stats='{"numRecords":1}',
        ),
        (
            '{"remove":{"path":"f","deletionTimestamp":3,"dataChange":true,'
            '"extendedFileMetadata":true,"partitionValues":{},"size":4,"deletionVector":'
            '{"storageType":"i","pathOrInlineDv":"zz","sizeInBytes":5,"cardinality":6},'
            '"stats":"{\\"numRecords\\":1}"}}'
        ),
    ),
    (
        AddCdcFile(path="c", partition_values={}, size=1, data_change=False),
        '{"cdc":{"path":"c","partitionValues":{},"size":1,"dataChange":false}}',
    ),
    (SetTransaction(app_id="q", version=5), '{"txn":{"appId":"q","version":5}}'),
    (
        DomainMetadata(domain="d", configuration="{}", removed=False),
        '{"domainMetadata":{"domain":"d","configuration":"{}","removed":false}}',
    ),
    (CheckpointMetadata(version=1), '{"checkpointMetadata":{"version":1}}'),
    (
        Sidecar(path="s", size_in_bytes=1, modification_time=2),
        '{"sidecar":{"path":"s","sizeInBytes":1,"modificationTime":2}}',
    ),
]


@pytest.mark.parametrize(("action", "line"), ACTIONS_AND_LINES)
def test_action_is_one_line_of_the_protocol(action, line):
    data = encode_commit([action])

    assert data.decode() == line + "\n"
    assert decode_commit(data, "f") == [action]


def test_order_of_the_file_is_kept():
    actions = [action for action, _ in ACTIONS_AND_LINES]

    assert decode_commit(encode_commit(actions), "f") == actions


def test_what_is_unknown_is_passed_over():
    data = (
        b'{"futureAction":{"x":1}}\n\n'
        b'{"txn":{"appId":"q","version":5,"futureField":[]},"add":null}\r\n  \n'
    )

    assert decode_commit(data, "f") == [SetTransaction(app_id="q", version=5)]


def test_empty_commit_has_no_action():
    assert decode_commit(b"", "f") == []


@pytest.mark.parametrize(
    "broken",
    [
        b'{"add":{"path":"x"',
        b'{"add":{"path":"x"}}',
        b'{"txn":{"appId":"q","version":"five"}}',
        b"\xff\xfe",
        b"[1]",
    ],
)
def test_broken_line_is_told_with_its_file_and_number(broken):
    data = b'{"txn":{"appId":"q","version":5}}\n\n' + broken

    with pytest.raises(DeltaIllegalStateError) as raised:
        decode_commit(data, "_delta_log/7.json")

    assert raised.value.condition == "DELTA_LOG_FILE_MALFORMED"
    assert raised.value.parameters["path"] == "_delta_log/7.json"
    assert raised.value.parameters["line"] == "3"


def test_commit_info_keeps_what_fits_of_strange_values():
    line = (
        b'{"commitInfo":{"timestamp":"noon","operation":"WRITE",'
        b'"operationMetrics":{"n":1,"m":"2","o":{"avg":0.5}},"readVersion":4,"tags":"none"}}'
    )

    assert decode_commit(line, "f") == [
        CommitInfo(
            operation="WRITE",
            operation_metrics={"n": "1", "m": "2", "o": '{"avg":0.5}'},
            read_version=4,
        )
    ]


def test_commit_info_that_is_no_object_is_empty():
    assert decode_commit(b'{"commitInfo":7}', "f") == [CommitInfo()]


def test_deletion_vectors_differ_by_their_place():
    vector = DeletionVector(
        storage_type="u", path_or_inline_dv="ab", offset=1, size_in_bytes=1, cardinality=1
    )

    assert vector.unique_id == "uab@1"


@pytest.mark.parametrize("piece", [1, 60, 200, 10_000])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n \n"])
def test_file_actions_come_in_order_whatever_a_piece_is(piece, end):
    names = [f"{number}.parquet" for number in range(9)]
    lines = [
        b'{"add":{"path":"%b","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}'
        % name.encode()
        for name in names
    ]

    pieces = list(decode_file_actions(b"\n".join(lines) + end, "commit", piece=piece))

    assert [action.path for some in pieces for action in some] == names
    assert (len(pieces) > 1) is (piece < 10_000)


def test_damaged_line_is_named_by_its_number_in_the_whole_file():
    data = b'{"commitInfo":{}}\n' * 5 + b'{"add":{"path":1}}\n'

    with pytest.raises(DeltaIllegalStateError, match="line 6"):
        list(decode_file_actions(data, "commit", piece=20))
