"""Landing among other writers: late listings, lost replies, stores that fail, marks that move."""

import pytest

from puredelta._util import interrupts
from puredelta._util.clock import now_ms
from puredelta.errors import (
    ConcurrentWriteError,
    DeltaIllegalStateError,
    DeltaRuntimeError,
    DeltaTableFeatureError,
)
from puredelta.log.actions import CommitInfo, decode_commit
from puredelta.log.names import LOG_FOLDER, commit_name
from puredelta.log.table_log import TableLog
from puredelta.settings import CommitSettings
from puredelta.storage.memory import MemoryStore
from puredelta.txn.committer import FileSystemCommitter, Lost
from puredelta.txn.transaction import Transaction
from tests.unit.txn.tables import NO_WAIT, WRITE, add, commit, create, info, paths, table


class LateStore(MemoryStore):
    """A store whose listings do not show the newest commits for a while."""

    def __init__(self):
        super().__init__(url="memory:///t", now=now_ms)
        self.hidden = set()
        self.late = 0

    def list_from(self, prefix, start=None):
        found = super().list_from(prefix, start)
        if prefix == LOG_FOLDER and self.late > 0:
            self.late -= 1
            found = [one for one in found if one.name not in self.hidden]
        return found


def late_table():
    log = TableLog(LateStore())
    create(log)
    return log


def started(log):
    return Transaction(log, log.latest(), patience=NO_WAIT)


def failing(log, wanted, times, name_part=""):
    """Let calls of the store fail."""
    left = [times]

    def fail(operation, name):
        if operation == wanted and name_part in name and left[0]:
            left[0] -= 1
            raise OSError("reset")

    log.store.on_call = fail


def test_winner_that_no_listing_shows_is_followed_all_the_same():
    log = late_table()
    late = started(log)
    commit(TableLog(log.store), add("first"))
    log.store.hidden, log.store.late = {commit_name(1)}, 1

    assert late.commit([add("late")], WRITE).version == 2


def test_gap_in_a_listing_ends_what_is_followed_at_once():
    log = late_table()
    late = started(log)
    rival = TableLog(log.store)
    for name in "abc":
        commit(rival, add(name))
    log.store.hidden, log.store.late = {commit_name(2)}, 1

    result = late.commit([add("late")], WRITE)

    assert result.version == 4
    assert len(paths(result.snapshot)) == 4


def test_single_attempt_names_a_winner_that_no_listing_shows():
    log = late_table()
    late = started(log)
    commit(TableLog(log.store), add("first"))
    log.store.hidden, log.store.late = {commit_name(1)}, 1

    with pytest.raises(ConcurrentWriteError) as raised:
        late.commit([add("late")], WRITE, max_attempts=1)

    assert "version 1, WRITE, " in raised.value.message


def test_own_version_that_a_listing_does_not_show_yet_is_waited_for():
    log = late_table()
    rival = started(log)
    late = started(log)
    rival.commit([add("first")], WRITE)
    log.store.hidden, log.store.late = {commit_name(2)}, 3

    result = late.commit([add("late")], WRITE)

    assert result.version == 2
    assert paths(result.snapshot) == ["first.parquet", "late.parquet"]


def test_reading_a_winner_is_tried_again():
    log = table()
    late = started(log)
    commit(TableLog(log.store), add("first"))
    failing(log, "list_from", 2)

    assert late.commit([add("late")], WRITE).version == 2


def test_lost_reply_is_not_repeated_even_when_nothing_can_be_read_at_first():
    log = table()
    late = started(log)
    calls = []

    class Mute:
        """Writes the version, and neither answers nor lets it be read for two calls."""

        def commit(self, version, data, token):
            if not calls:
                log.store.put_if_absent(commit_name(version), data)
                failing(log, "read", 2, commit_name(version))
            calls.append(version)
            return FileSystemCommitter(log.store).commit(version, data, token)

    late.committer = Mute()
    result = late.commit([add("x")], WRITE)

    assert calls == [1, 1, 1]
    assert result.version == 1
    assert paths(result.snapshot) == ["x.parquet"]


def test_own_commit_is_recognised_among_the_winners():
    log = table()
    late = started(log)

    class Forgetful:
        """Writes the version and says that another has it."""

        def commit(self, version, data, token):
            del token
            log.store.put_if_absent(commit_name(version), data)
            return Lost(version)

    late.committer = Forgetful()

    assert late.commit([add("x")], WRITE).version == 1
    assert info(log, 1)["readVersion"] == 0


def test_own_commit_is_recognised_before_one_that_came_meanwhile():
    log = table()
    late = started(log)

    class Overtaken:
        """Writes the version, says that another has it, and another writes the next one."""

        def commit(self, version, data, token):
            del token
            assert version == 1
            log.store.put_if_absent(commit_name(version), data)
            commit(TableLog(log.store), add("other"))
            return Lost(version)

    late.committer = Overtaken()

    assert late.commit([add("x")], WRITE).version == 1
    assert sorted(paths(TableLog(log.store).latest())) == ["other.parquet", "x.parquet"]


def test_failure_that_will_not_pass_is_told_at_once():
    log = table()
    tries = []

    def refuse(operation, name):
        del name
        if operation == "put_if_absent":
            tries.append(operation)
            raise PermissionError(13, "no")

    log.store.on_call = refuse
    with pytest.raises(DeltaRuntimeError) as raised:
        commit(log, add("x"))

    assert raised.value.condition == "DELTA_COMMIT_NOT_WRITTEN"
    assert len(tries) == 1


def test_unclear_failure_is_tried_as_often_as_patience_lasts():
    log = table()
    failing(log, "put_if_absent", NO_WAIT.tries - 1)

    assert commit(log, add("x")).version == 1


def test_what_a_commit_relies_on_is_asked_again_behind_winners():
    log = table()
    late, asked = started(log), []

    def recheck(snapshot):
        asked.append(snapshot.version)
        return snapshot.version < 2

    commit(log, add("harmless"))
    assert late.commit([], WRITE, recheck=recheck).version == 2
    assert asked == [1]

    other = started(log)
    commit(log, add("traces"))
    with pytest.raises(DeltaTableFeatureError) as raised:
        other.commit([], WRITE, recheck=recheck)
    assert raised.value.condition == "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL"
    assert log.latest().version == 3


def test_lines_that_land_are_those_of_the_last_attempt():
    log = table(**{"delta.enableRowTracking": "true"})
    late = started(log)
    commit(log, add("first", rows=4))

    result = late.commit([add("late", rows=2)], WRITE)

    actions = decode_commit(log.store.read(commit_name(2)), commit_name(2))
    assert isinstance(actions[0], CommitInfo)
    files = {row["path"]: row for row in result.snapshot.files.to_pylist()}
    assert files["late.parquet"]["base_row_id"] == 4
    assert files["late.parquet"]["default_row_commit_version"] == 2


def test_version_that_is_made_and_cannot_be_read_is_told_as_made():
    log = table()
    late = started(log)

    def fail(operation, name):
        if operation == "info":
            raise OSError("reset")

    log.store.on_call = fail
    with pytest.raises(DeltaRuntimeError) as raised:
        late.commit([add("x")], WRITE)

    assert raised.value.condition == "DELTA_COMMITTED_AND_NOT_READ"
    log.store.on_call = None
    assert TableLog(log.store).latest().version == 1


def test_session_may_allow_one_attempt_without_calling_it_a_conflict():
    log = table()
    late = Transaction(log, log.latest(), settings=CommitSettings(max_attempts=1))
    commit(log, add("first"))

    with pytest.raises(DeltaIllegalStateError) as raised:
        late.commit([add("late")], WRITE)

    assert raised.value.condition == "DELTA_MAX_COMMIT_RETRIES_EXCEEDED"


def test_interrupted_statement_makes_no_version():
    log = late_table()
    transaction = started(log)

    with pytest.raises(KeyboardInterrupt, match=r"^$"), interrupts.hold_back():  # noqa: PT012
        interrupts.current().reason = KeyboardInterrupt()
        with pytest.raises(interrupts.Interrupted):
            transaction.commit([add("a")], WRITE)

    assert log.latest().version == 0


def test_version_that_was_made_is_told_to_who_interrupts():
    log = late_table()

    with pytest.raises(KeyboardInterrupt, match="version 1 of memory:///t"):  # noqa: PT012, SIM117
        with interrupts.hold_back():
            started(log).commit([add("a")], WRITE)
            interrupts.current().reason = KeyboardInterrupt()
