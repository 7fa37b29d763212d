"""The first version of a table as a stream: checks, order of lines, races, what follows."""

import contextlib
import json
import tracemalloc

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from puredelta.errors import (
    ConcurrentWriteError,
    DeltaError,
    DeltaIllegalStateError,
    DeltaRuntimeError,
    DeltaTableFeatureError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import DeletionVector, DomainMetadata, Protocol
from puredelta.log.checkpoint.hint import read_last_checkpoint
from puredelta.log.checksum import read_checksum
from puredelta.log.names import LAST_CHECKPOINT, checkpoint_name, checksum_name, commit_name
from puredelta.log.summaries.checksum import differences
from puredelta.log.table_log import TableLog
from puredelta.schema.codec import schema_to_json
from puredelta.schema.datatypes import LONG, TIMESTAMP, StructField, StructType
from puredelta.settings import CommitSettings, LargeCommit
from puredelta.storage.local import LocalStore
from puredelta.storage.memory import MemoryStore
from puredelta.table.check import Severity, check_table
from puredelta.table.protocol.protocol import protocol_for_new_table
from puredelta.txn import post_commit
from puredelta.txn.commit_info import Operation
from puredelta.txn.streamed.first_version import StreamedCommit, stream_write
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import NO_WAIT, SCHEMA, add, commit, create, lines, metadata, paths

CONVERT = Operation("CONVERT", {"numFiles": 3, "sourceFormat": "parquet"}, {"numConvertedFiles": 3})
V2 = {"delta.checkpointPolicy": "v2"}


FEW = LargeCommit(files=4)
# Every first version gets a checkpoint.
CHECKPOINTED = CommitSettings(large=LargeCommit(files=4, files_for_checkpoint=1))


def in_pieces(**settings):
    """Settings for a checkpoint that comes from several pieces of the commit."""
    large = LargeCommit(files=4, files_for_checkpoint=1, bytes=700)
    return CommitSettings(large=large, **settings)


@pytest.fixture
def log():
    return TableLog(MemoryStore())


def files(count, **changes):
    return [add(f"p={number % 3}/{number}", str(number % 3), **changes) for number in range(count)]


def write(log, adds, partition_columns=("p",), *, settings=None, actions=(), **configuration):
    protocol, stored = protocol_for_new_table(configuration, SCHEMA)
    transaction = Transaction(
        log, None, patience=NO_WAIT, settings=settings or CommitSettings(large=FEW), now=lambda: 5
    )
    return stream_write(
        transaction,
        adds,
        CONVERT,
        metadata=metadata(partition_columns, **stored),
        protocol=protocol,
        actions=actions,
        user_metadata="ours",
    )


def names(log):
    return [info.name for info in log.store.list_from("_delta_log")]


@pytest.mark.parametrize("count", [0, 1, 4, 5, 13])
def test_files_become_the_first_version(log, count):
    adds = files(count)

    done = write(log, iter(adds))

    assert done == StreamedCommit(0, count, 10 * count)
    assert paths(log.latest()) == sorted(one.path for one in adds)
    assert [next(iter(one)) for one in lines(log, 0)] == [
        *("commitInfo", "metaData"),
        *["add"] * count,
        "protocol",
    ]


def test_commit_says_what_conversions_say(log):
    write(log, files(3))

    info = lines(log, 0)[0]["commitInfo"]

    assert {key: value for key, value in info.items() if key not in ("txnId", "engineInfo")} == {
        "timestamp": 5,
        "operation": "CONVERT",
        "operationParameters": {"numFiles": 3, "sourceFormat": "parquet"},
        "readVersion": -1,
        "isolationLevel": "Serializable",
        "isBlindAppend": False,
        "operationMetrics": {"numConvertedFiles": "3"},
        "userMetadata": "ours",
    }


def test_stream_is_what_a_commit_in_one_piece_would_be(log):
    adds = files(9)
    write(log, adds)
    other = TableLog(MemoryStore())
    protocol, stored = protocol_for_new_table({}, SCHEMA)
    transaction = Transaction(other, None, now=lambda: 5)
    transaction.commit(adds, CONVERT, metadata=metadata(**stored), protocol=protocol)

    whole = [lines(other, 0)[place] for place in (1, *range(3, 12), 2)]
    assert lines(log, 0)[1:] == whole
    ours, theirs = (read_checksum(one.store, 0) for one in (log, other))
    assert msgspec.structs.replace(ours, txn_id=None) == msgspec.structs.replace(
        theirs, txn_id=None
    )


# ------------------------------------------------------------------------------------- checks


@pytest.mark.parametrize("place", [0, 3, 4, 12])
def test_file_with_other_partition_columns_stops_all_wherever_it_stands(log, place):
    adds = files(13)
    adds[place] = add("odd", partitioned=False)

    with pytest.raises(DeltaIllegalStateError) as raised:
        write(log, adds)

    assert raised.value.condition == "DELTA_INVALID_PARTITIONING_SCHEMA"
    assert names(log) == []


@pytest.mark.parametrize(("first", "second"), [(0, 1), (2, 11), (3, 4), (11, 12)])
def test_file_that_is_there_twice_is_named_and_nothing_is_written(log, first, second):
    adds = files(13)
    adds[second] = msgspec.structs.replace(adds[second], path=adds[first].path)
    adds[second] = msgspec.structs.replace(adds[second], partition_values={"p": "x"})

    with pytest.raises(DeltaRuntimeError, match=adds[first].path) as raised:
        write(log, adds)

    assert raised.value.condition == "DELTA_DUPLICATE_ACTIONS_FOUND"
    assert names(log) == []


def test_same_file_in_two_spellings_is_there_twice(log):
    adds = files(6)
    adds[0] = msgspec.structs.replace(adds[0], path="a b.parquet")
    adds[5] = msgspec.structs.replace(adds[5], path="a%20b.parquet")

    with pytest.raises(DeltaRuntimeError, match=r"a b\.parquet"):
        write(log, adds)


def test_table_that_we_cannot_write_is_refused_before_any_file_is_looked_at(log):
    protocol = Protocol(min_reader_version=3, min_writer_version=7, writer_features=["unheard"])

    with pytest.raises((DeltaTableFeatureError, DeltaError)):
        stream_write(
            Transaction(log, None),
            (pytest.fail("looked at") for _ in range(1)),
            CONVERT,
            metadata=metadata(),
            protocol=protocol,
        )

    assert names(log) == []


def test_what_the_source_of_files_raises_is_raised_as_it_is(log):
    def told():
        yield from files(6)
        raise FileNotFoundError("the spilled list is gone")

    with pytest.raises(FileNotFoundError, match="spilled list"):
        write(log, told())

    assert names(log) == []


def test_deletion_vectors_are_refused_where_they_are_not_enabled(log):
    vector = DeletionVector(storage_type="u", path_or_inline_dv="x", size_in_bytes=1, cardinality=1)

    with pytest.raises(DeltaUnsupportedOperationError):
        write(log, files(3, vector=vector))


# ------------------------------------------------------------------------------------- features


def test_row_ids_go_on_from_file_to_file_and_the_mark_comes_last(log):
    write(log, files(9, rows=10), **{"delta.enableRowTracking": "true"})

    adds = [one["add"] for one in lines(log, 0) if "add" in one]
    assert [one["baseRowId"] for one in adds] == list(range(0, 90, 10))
    assert {one["defaultRowCommitVersion"] for one in adds} == {0}
    domain = lines(log, 0)[-1]["domainMetadata"]
    assert json.loads(domain["configuration"])["rowIdHighWaterMark"] == 89
    assert differences(read_checksum(log.store, 0), log.latest()) == []


def test_file_without_a_count_of_rows_stops_a_table_that_gives_row_ids(log):
    adds = files(6)
    adds[5] = msgspec.structs.replace(adds[5], stats=None)

    with pytest.raises(DeltaIllegalStateError) as raised:
        write(log, adds, **{"delta.enableRowTracking": "true"})

    assert raised.value.condition == "DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS"
    assert names(log) == []


def test_time_inside_the_commit_is_in_its_first_line(log):
    write(log, files(5), **{"delta.enableInCommitTimestamps": "true"})

    assert lines(log, 0)[0]["commitInfo"]["inCommitTimestamp"] == 5
    assert log.latest().timestamp_ms == 5
    assert read_checksum(log.store, 0).in_commit_timestamp_opt == 5


def test_domains_come_along(log):
    domain = DomainMetadata(domain="d", configuration="{}", removed=False)

    write(log, files(5), actions=[domain], **{"delta.feature.domainMetadata": "supported"})

    assert log.latest().domains == {"d": domain}
    assert read_checksum(log.store, 0).domain_metadata == [domain]


# ------------------------------------------------------------------------------------- races


def test_who_comes_second_is_told_of_the_first_and_changes_nothing(log):
    create(TableLog(log.store))
    before = log.store.read(commit_name(0))

    with pytest.raises(ConcurrentWriteError, match="CREATE TABLE") as raised:
        write(log, files(5))

    assert raised.value.condition == "DELTA_CONCURRENT_WRITE"
    assert log.store.read(commit_name(0)) == before


def test_table_that_appears_while_files_are_told_wins(log):
    def told():
        yield from files(5)
        write(TableLog(log.store), files(2))

    with pytest.raises(ConcurrentWriteError, match="CONVERT"):
        write(log, told())
    assert log.latest().num_files == 2


@pytest.mark.parametrize(("writes", "looks_lost"), [(True, 0), (True, 1), (False, 0), (False, 1)])
def test_lost_reply_is_recognised_by_the_token(log, monkeypatch, writes, looks_lost):
    put, read = log.store.put_stream_if_absent, log.store.read_range
    lost = [ConnectionResetError("no answer")] * looks_lost

    def silent(name, chunks):
        if writes or log.store.info("tried"):
            put(name, chunks)
        log.store.put("tried", b"")
        raise ConnectionResetError("no answer")

    def away(name, start, length):
        if lost:
            raise lost.pop()
        return read(name, start, length)

    monkeypatch.setattr(log.store, "put_stream_if_absent", silent)
    monkeypatch.setattr(log.store, "read_range", away)

    assert write(log, files(9)).num_files == read_checksum(log.store, 0).num_files == 9
    assert paths(log.latest()) == sorted(one.path for one in files(9))


def test_store_that_stays_silent_is_told_with_its_reason(log, monkeypatch):
    def silent(name, chunks):
        raise ConnectionResetError("no answer")

    monkeypatch.setattr(log.store, "put_stream_if_absent", silent)

    with pytest.raises(DeltaRuntimeError, match="no answer") as raised:
        write(log, files(9))

    assert raised.value.condition == "DELTA_COMMIT_NOT_WRITTEN"


@pytest.mark.parametrize("at", range(14))
@pytest.mark.parametrize("again", [False, True])
def test_table_is_there_as_a_whole_or_not_at_all_whichever_call_fails(log, at, again):
    calls = []

    def fail(operation, name):
        calls.append(operation)
        if len(calls) == at + 1 or (again and len(calls) == at + 2):
            raise ConnectionResetError(operation, name)

    log.store.on_call = fail
    adds = files(9)
    with contextlib.suppress(DeltaError, OSError):
        assert write(log, adds, settings=CHECKPOINTED).num_files == 9
        assert TableLog(log.store).exists()
    log.store.on_call = None

    if not TableLog(log.store).exists():
        write(log, adds, settings=CHECKPOINTED)
    found = TableLog(log.store).latest()
    assert paths(found) == sorted(one.path for one in adds)
    if found.checksum is not None:
        assert differences(found.checksum, found) == []


def test_files_that_are_told_once_are_not_asked_for_again(log, monkeypatch):
    tries = []

    def silent(name, chunks):
        tries.append(len(list(chunks)))
        raise ConnectionResetError("no answer")

    monkeypatch.setattr(log.store, "put_stream_if_absent", silent)

    with pytest.raises(DeltaRuntimeError):
        write(log, iter(files(9)))

    assert len(tries) == 1


# ------------------------------------------------------------------------------------- what follows


@pytest.mark.parametrize("count", [0, 3, 60])
def test_checksum_is_what_the_log_says(log, count):
    write(log, files(count))

    checksum = read_checksum(log.store, 0)

    assert checksum.txn_id == lines(log, 0)[0]["commitInfo"]["txnId"]
    assert (checksum.all_files is None) == (count > 50)
    assert differences(checksum, TableLog(log.store).latest()) == []


def test_checksum_stays_away_when_the_session_wants_none(log):
    write(log, files(3), settings=CommitSettings(checksums=False))

    assert names(log) == [commit_name(0)]


@pytest.mark.parametrize("properties", [{}, {"delta.checkpoint.writeStatsAsStruct": "true"}, V2])
def test_checkpoint_says_what_the_commit_says(log, properties):
    write(log, files(13), settings=in_pieces(checkpoint_part_size=5), **properties)
    before = TableLog(log.store).latest()
    expected = sorted(before.files.to_pylist(), key=lambda row: row["path"])
    assert before.segment.checkpoint_version == 0
    log.store.delete([commit_name(0), checksum_name(0)])

    found = TableLog(log.store).latest()

    assert sorted(found.files.to_pylist(), key=lambda row: row["path"]) == expected
    assert len(expected) == 13
    assert (found.metadata, found.protocol) == (before.metadata, before.protocol)


def test_checkpoint_is_known_to_the_hint_and_passes_the_check(tmp_path):
    log = TableLog(LocalStore(str(tmp_path)))
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"a": pa.array([1], pa.int64())}), sink)
    data = bytes(sink.getvalue())
    for one in (adds := files(7)):
        log.store.put(one.path, data)

    stored = [msgspec.structs.replace(one, size=len(data)) for one in adds]
    write(log, stored, settings=CHECKPOINTED)

    hint = read_last_checkpoint(log.store)
    assert (hint.version, hint.num_of_add_files, hint.size) == (0, 7, 9)
    assert hint.size_in_bytes == log.store.info(checkpoint_name(0)).size
    report = check_table(str(tmp_path))
    assert [one for one in report.findings if one.severity is not Severity.INFO] == []


def test_checkpoint_is_the_one_that_a_commit_in_one_piece_gets(log):
    adds = files(9)
    write(log, adds, settings=CHECKPOINTED, **{"delta.checkpoint.writeStatsAsStruct": "true"})
    streamed = pq.read_table(pa.BufferReader(log.store.read(checkpoint_name(0))))

    post_commit.checkpoint_version(TableLog(log.store).latest(), 5)

    whole = pq.read_table(pa.BufferReader(log.store.read(checkpoint_name(0))))
    assert streamed.schema == whole.schema
    key = str
    assert sorted(streamed.to_pylist(), key=key) == sorted(whole.to_pylist(), key=key)


def test_partition_values_that_cannot_be_typed_are_typed_in_no_part(log):
    schema = StructType((StructField("a", LONG), StructField("p", TIMESTAMP)))
    table = msgspec.structs.replace(
        metadata(**{"delta.checkpoint.writeStatsAsStruct": "true"}),
        schema_string=schema_to_json(schema),
    )
    times = ["2024-01-01T00:00:00.000000Z"] * 8 + ["2024-01-01 00:00:00"]
    adds = [add(f"{number}", text) for number, text in enumerate(times)]

    stream_write(
        Transaction(log, None, settings=in_pieces()),
        adds,
        CONVERT,
        metadata=table,
        protocol=Protocol(min_reader_version=1, min_writer_version=2),
    )

    found = pq.read_table(pa.BufferReader(log.store.read(checkpoint_name(0))))
    assert "partitionValues_parsed" not in found.schema.field("add").type.names
    assert found.num_rows == 11


def test_few_files_get_no_checkpoint(log):
    write(log, files(13))

    assert names(log) == [checksum_name(0), commit_name(0)]


@pytest.mark.parametrize("broken", [checksum_name(0), checkpoint_name(0), LAST_CHECKPOINT])
def test_failure_of_what_follows_is_no_failure_of_the_commit(log, broken):
    def fail(operation, name):
        if operation.startswith("put") and name == broken:
            raise ConnectionResetError(name)

    log.store.on_call = fail

    assert write(log, files(5), settings=CHECKPOINTED).num_files == 5
    log.store.on_call = None
    assert broken not in names(log)
    assert TableLog(log.store).latest().num_files == 5


def test_next_commit_goes_on_from_the_stream(log):
    write(log, files(7), settings=CHECKPOINTED)

    assert commit(log, add("next")).version == 1
    assert log.latest().num_files == 8
    assert differences(read_checksum(log.store, 1), TableLog(log.store).latest()) == []


def test_who_waits_for_versions_is_told(log):
    told = []
    transaction = Transaction(log, None)
    transaction.made = told.append
    protocol, _ = protocol_for_new_table({}, SCHEMA)

    stream_write(transaction, files(2), CONVERT, metadata=metadata(), protocol=protocol)

    assert told == [0]


def test_a_file_more_takes_a_few_bytes_of_memory(tmp_path):
    # What is loaded at the first time is no matter of the files.
    peak_of(tmp_path / "first", 500)

    few, many = (peak_of(tmp_path / str(count), count) for count in (2_000, 10_000))

    # A digest of each path is kept, and a little of each piece.
    assert (many - few) / 8_000 < 50


def peak_of(folder, count):
    """The highest memory of Python and of Arrow, in bytes, while so many files are written."""
    pool = pa.system_memory_pool()
    usual = pa.default_memory_pool()
    pa.set_memory_pool(proxy := pa.proxy_memory_pool(pool))
    tracemalloc.start()
    try:
        large = LargeCommit(files=200, paths=400, bytes=40_000, files_for_checkpoint=1)
        log = TableLog(LocalStore(str(folder)))
        write(log, told(count), settings=CommitSettings(large=large))
        return tracemalloc.get_traced_memory()[1] + proxy.max_memory()
    finally:
        tracemalloc.stop()
        pa.set_memory_pool(usual)


def told(count):
    for number in range(count):
        yield add(f"p={number % 3}/{number}", str(number % 3))
