"""Commits on a server that speaks S3: eight writers at once, and connections cut in mid-commit."""

import pytest

from puredelta.errors import DeltaError
from puredelta.log.table_log import TableLog, open_log
from puredelta.storage.object_store import ObjectStore
from puredelta.txn.transaction import Transaction
from tests.stores.minio import options
from tests.stores.proxy import Proxy
from tests.stores.racing import (
    WRITE,
    add,
    append,
    check_appends,
    check_counting,
    count_up,
    create,
    history,
    race,
)

pytestmark = pytest.mark.minio

WRITERS = 8
COMMITS = 25
TIMEOUT = {"fs.puredelta.request.timeout": "2s"}


@pytest.fixture
def table(minio, place):
    create(place, options(minio.port))
    return place


def test_eight_writers_append_and_no_commit_is_lost(minio, table):
    race(append, table, options(minio.port), writers=WRITERS, commits=COMMITS)

    store = ObjectStore(table, options(minio.port))
    check_appends(store, WRITERS, COMMITS)
    assert TableLog(store).latest().num_files == WRITERS * COMMITS


def test_eight_writers_replace_and_no_update_is_lost(minio, table):
    given = options(minio.port)
    log = open_log(table, given)
    Transaction(log, log.latest()).commit([add("n-0")], WRITE)

    race(count_up, table, given, writers=WRITERS, commits=5)

    store = ObjectStore(table, given)
    check_counting(store, WRITERS * 5)
    assert TableLog(store).latest().files["path"].to_pylist() == [f"n-{WRITERS * 5}"]


class CutCommits:
    """Cuts the connection at the first requests that write a commit."""

    def __init__(self, *kinds):
        self.kinds = list(kinds)

    def __call__(self, head):
        line = head.partition(b"\r\n")[0]
        is_commit = line.startswith(b"PUT ") and b".json" in line and b"_delta_log" in line
        return self.kinds.pop(0) if is_commit and self.kinds else None


@pytest.mark.parametrize(
    "kinds",
    [
        ["request"],
        ["reply"],
        ["silence"],
        ["request", "request"],
        ["request", "reply"],
    ],
    ids="-".join,
)
def test_commit_cut_off_lands_once(minio, table, kinds):
    with Proxy(minio.port, CutCommits(*kinds)) as proxy:
        log = open_log(table, options(proxy.port) | TIMEOUT)
        result = Transaction(log, log.latest()).commit([add("mine")], WRITE)

        assert proxy.cuts == len(kinds)

    assert result.version == 1
    seen = history(ObjectStore(table, options(minio.port)))
    assert [[one["path"] for one in commit.get("add", [])] for commit in seen] == [[], ["mine"]]


def test_commit_whose_reply_is_lost_while_another_comes_second_is_ours(minio, table):
    """The rival commits between our write and our look at it."""
    rival = open_log(table, options(minio.port))

    class RivalAfterReply(CutCommits):
        def __call__(self, head):
            cut = super().__call__(head)
            if b"GET " in head[:4] and b"01.json" in head and self.pending:
                self.pending = False
                Transaction(rival, rival.latest()).commit([add("rival")], WRITE)
            return cut

    cut = RivalAfterReply("reply")
    cut.pending = True
    with Proxy(minio.port, cut) as proxy:
        log = open_log(table, options(proxy.port))
        result = Transaction(log, log.latest()).commit([add("mine")], WRITE)

    assert result.version == 1
    seen = history(ObjectStore(table, options(minio.port)))
    assert [one["path"] for commit in seen for one in commit.get("add", [])] == ["mine", "rival"]


def test_commit_whose_request_is_lost_while_a_rival_writes_comes_second(minio, table):
    rival = open_log(table, options(minio.port))

    class RivalFirst(CutCommits):
        def __call__(self, head):
            cut = super().__call__(head)
            if cut:
                Transaction(rival, rival.latest()).commit([add("rival")], WRITE)
            return cut

    with Proxy(minio.port, RivalFirst("request")) as proxy:
        log = open_log(table, options(proxy.port))
        result = Transaction(log, log.latest()).commit([add("mine")], WRITE)

    assert result.version == 2
    seen = history(ObjectStore(table, options(minio.port)))
    assert [one["path"] for commit in seen for one in commit.get("add", [])] == ["rival", "mine"]


def test_commit_that_never_gets_through_fails_by_name_and_leaves_nothing(minio, table):
    with Proxy(minio.port, CutCommits(*["request"] * 50)) as proxy:
        log = open_log(table, options(proxy.port) | {"fs.puredelta.retry.limit": "1"})

        with pytest.raises(DeltaError) as raised:
            Transaction(log, log.latest()).commit([add("mine")], WRITE)

    assert raised.value.condition == "DELTA_COMMIT_NOT_WRITTEN"
    assert len(history(ObjectStore(table, options(minio.port)))) == 1
