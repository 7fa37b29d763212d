"""A later version as a stream: what a commit in one piece would be, races, rules, what follows."""

import json

import msgspec
import pytest

from puredelta._util.clock import now_ms
from puredelta.errors import (
    ConcurrentWriteError,
    DeltaIllegalStateError,
    DeltaRuntimeError,
    DeltaUnsupportedOperationError,
)
from puredelta.log.actions import AddFile, DeletionVector, RemoveFile
from puredelta.log.checksum import read_checksum
from puredelta.log.names import commit_name
from puredelta.log.summaries.checksum import differences
from puredelta.log.table_log import TableLog
from puredelta.maintenance.restore import commit_restore, plan_restore
from puredelta.settings import CommitSettings, LargeCommit
from puredelta.storage.memory import MemoryStore
from puredelta.storage.uncommitted import note, removed_on_failure
from puredelta.table.protocol.row_tracking import high_water_mark
from puredelta.txn.commit_info import RESTORE, Operation
from puredelta.txn.streamed.change import stream_change
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import NO_WAIT, add, commit, create, lines, paths, remove, table

# Each commit is a stream, of pieces of two files.
STREAMED = CommitSettings(large=LargeCommit(files=2, files_at_once=0))
VECTORS = {"delta.enableDeletionVectors": "true"}
TRACKED = {"delta.enableRowTracking": "true"}


def begin(log, settings=STREAMED):
    return Transaction(log, log.latest(), patience=NO_WAIT, settings=settings, now=lambda: 5)


def change(log, files, *, transaction=None, **configuration):
    transaction = transaction or begin(log)
    before = transaction.snapshot.metadata
    changed = {**before.configuration, **configuration}
    return stream_change(
        transaction,
        files,
        Operation(RESTORE, {"version": 1}),
        metadata=msgspec.structs.replace(before, configuration=changed),
        user_metadata="ours",
    )


def filled(count=9, **configuration):
    log = table(**configuration)
    commit(log, *[add(f"{number}") for number in range(count)])
    return log


def restore(log, version, settings):
    plan = plan_restore("t", log.latest(), log.at_version(version))
    return commit_restore(begin(log, settings), plan, {"version": version})


def read_again(log):
    return TableLog(log.store).latest()


def content(log, version):
    """The lines of a version in any order, without what differs from commit to commit."""
    found = lines(log, version)
    for line in found:
        for key in ("txnId", "timestamp", "deletionTimestamp"):
            next(iter(line.values())).pop(key, None)
    return sorted(json.dumps(line, sort_keys=True) for line in found)


@pytest.mark.parametrize("properties", [{}, VECTORS, TRACKED, {"delta.checkpointInterval": "3"}])
def test_stream_is_what_a_commit_in_one_piece_would_be(properties):
    made = []
    for settings in (STREAMED, CommitSettings()):
        log = filled(**properties)
        commit(log, *[remove(f"{number}") for number in range(7)], add("x"), add("y"))
        restored = restore(log, 1, settings)
        checksum = msgspec.structs.replace(read_checksum(log.store, 3), txn_id=None)
        plain = msgspec.to_builtins(checksum)
        for key in ("metadata", "allFiles", "domainMetadata"):
            plain.pop(key, None)
        assert differences(read_checksum(log.store, 3), read_again(log)) == []
        assert paths(log.latest()) == paths(read_again(log))
        made.append((restored, paths(log.latest()), [*map(_unnamed, content(log, 3))], plain))

    assert made[0] == made[1]


def _unnamed(line):
    """A line without the names of hidden columns, which are drawn for each table."""
    return "metaData" if line.startswith('{"metaData"') else line


def test_commit_says_what_it_is():
    log = filled()

    change(log, [remove("1")])

    info = lines(log, 2)[0]["commitInfo"]
    assert (info["operation"], info["readVersion"]) == ("RESTORE", 1)
    assert (info["isBlindAppend"], info["userMetadata"]) == (False, "ours")


def test_few_files_are_committed_in_one_piece(monkeypatch):
    log = filled()

    def refused(*_):
        raise AssertionError

    monkeypatch.setattr(log.store, "put_stream_if_absent", refused)

    change(log, [remove("1")], transaction=begin(log, CommitSettings()))

    assert log.latest().num_files == 8


def test_other_commit_that_came_first_is_a_conflict():
    log = filled()
    transaction = begin(log)
    commit(TableLog(log.store), add("other"))

    with pytest.raises(ConcurrentWriteError):
        change(log, [remove("1")], transaction=transaction)

    assert read_again(log).version == 2
    assert read_again(log).num_files == 10


def test_files_written_for_it_are_left_where_it_lands_and_removed_where_it_does_not():
    class Noting(list):
        def __iter__(self):
            log.store.put("vector.bin", b"1")
            note(log.store, ["vector.bin"])
            return super().__iter__()

    def failing(version):
        raise ZeroDivisionError(version)

    log = filled()
    lost = begin(log)
    commit(TableLog(log.store), add("other"))
    with pytest.raises(ConcurrentWriteError), removed_on_failure():
        change(log, Noting([remove("1")]), transaction=lost)
    assert log.store.info("vector.bin") is None

    landed = begin(log)
    landed.made = failing
    with pytest.raises(ZeroDivisionError), removed_on_failure():
        change(log, Noting([remove("1")]), transaction=landed)
    assert log.store.info("vector.bin") is not None


def test_lost_reply_is_not_taken_for_another_writer(monkeypatch):
    log = filled()
    put = log.store.put_stream_if_absent

    def lose(name, chunks):
        put(name, chunks)
        raise ConnectionResetError(name)

    monkeypatch.setattr(log.store, "put_stream_if_absent", lose)

    assert change(log, [remove("1")]).version == 2
    assert paths(log.latest()) == paths(read_again(log))


def test_store_that_stays_silent_is_an_error_with_its_reason(monkeypatch):
    log = filled()

    def silent(name, chunks):
        raise ConnectionResetError("no answer")

    monkeypatch.setattr(log.store, "put_stream_if_absent", silent)

    with pytest.raises(DeltaRuntimeError, match="no answer") as raised:
        change(log, [remove("1")])

    assert raised.value.condition == "DELTA_COMMIT_NOT_WRITTEN"
    assert read_again(log).version == 1


SIX = [remove(f"{number}") for number in range(6)]


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ([*SIX, remove("0")], "remove"),
        ([add("x"), *SIX, add("x")], "add"),
        ([add("0"), *SIX], "add and remove"),
        ([add("0"), remove("0")], "add and remove"),
    ],
)
def test_file_that_comes_twice_is_refused_wherever_it_stands(files, kind):
    log = filled()

    with pytest.raises(DeltaRuntimeError) as raised:
        change(log, files)

    assert raised.value.condition == "DELTA_DUPLICATE_ACTIONS_FOUND"
    assert raised.value.parameters["actionType"] == kind
    assert read_again(log).version == 1


def test_file_may_come_with_another_vector_than_it_leaves_with():
    log = filled(**VECTORS)
    vector = DeletionVector(storage_type="i", path_or_inline_dv="x", size_in_bytes=1, cardinality=1)

    change(log, [add("0", vector=vector, rows=2), *SIX])

    assert read_again(log).num_files == 4


def test_rules_of_the_table_hold_for_each_piece():
    log = filled(**{"delta.appendOnly": "true"})
    with pytest.raises(DeltaUnsupportedOperationError, match="APPEND_ONLY"):
        change(log, [add("x"), add("y"), add("z"), remove("0")])
    with pytest.raises(DeltaIllegalStateError, match="PARTITIONING"):
        change(log, [add("x"), add("y"), add("z", partitioned=False)])

    assert read_again(log).version == 1


def test_new_files_get_the_ids_that_follow():
    log = filled(**TRACKED)

    change(log, [add("x", rows=3), add("y", rows=2), add("z", rows=4)])

    rows = {one["path"]: one for one in read_again(log).files.to_pylist()}
    assert [rows[f"{name}.parquet"]["base_row_id"] for name in "xyz"] == [9, 12, 14]
    assert rows["x.parquet"]["default_row_commit_version"] == 2
    assert high_water_mark(read_again(log).domains.values()) == 17


def test_ids_cannot_be_promised_while_files_lack_them():
    log = filled(**{"delta.feature.rowTracking": "supported"})
    bare = filled()
    commit(log, add("more"))

    change(log, [add("x")], **TRACKED)
    with pytest.raises(DeltaIllegalStateError, match="BACKFILL"):
        change(bare, [remove("1")], **TRACKED, **{"delta.feature.rowTracking": "supported"})

    assert read_again(bare).version == 1


def test_next_commit_goes_on_from_the_stream():
    log = filled()
    change(log, [*SIX, add("x")])

    commit(log, add("next"))

    assert paths(log.latest()) == paths(read_again(log))
    assert log.latest().num_files == 5
    assert differences(read_checksum(log.store, 3), read_again(log)) == []


def test_checkpoint_is_written_when_it_is_due():
    log = filled(**{"delta.checkpointInterval": "2"})

    change(log, [*SIX, add("x")])

    assert read_again(log).segment.checkpoint_version == 2
    assert read_again(log).num_files == 4


def test_what_follows_sees_the_version_and_all_files():
    log = filled()
    transaction, seen = begin(log), []
    transaction.made = seen.append
    transaction.follow_ups = (lambda before, after, actions: seen.append((before, after, actions)),)

    made = change(log, [*SIX, add("x")], transaction=transaction)

    assert seen[0] == made.version == 2
    before, after, actions = seen[1]
    assert (before.version, after) == (1, made.snapshot)
    assert len([one for one in actions if isinstance(one, RemoveFile)]) == 6
    assert [one.path for one in actions if isinstance(one, AddFile)] == ["x.parquet"]


def test_damaged_version_is_not_followed():
    log = filled()
    name = commit_name(1)
    log.store.put(name, log.store.read(name).replace(b'"size":10', b'"size":"x"'))
    damaged = TableLog(log.store)

    with pytest.raises(DeltaIllegalStateError, match="DAMAGE"):
        change(damaged, [remove("1")])


def test_files_are_read_when_they_are_asked_for():
    log = TableLog(MemoryStore(url="memory:///t", now=now_ms))
    create(log)
    commit(log, *[add(f"{number}") for number in range(9)])

    made = change(log, [*SIX, add("x")])

    assert made.snapshot.live.loaded is None
    assert made.snapshot.num_files == 4
    assert made.snapshot.files.num_rows == 4
