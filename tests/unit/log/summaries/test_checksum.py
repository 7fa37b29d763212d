"""Making version checksums, from the one before and from all files."""

import logging

import msgspec
import pytest

from puredelta.log.actions import Action, DomainMetadata, Protocol, SetTransaction
from puredelta.log.checkpoint.hint import LastCheckpoint, write_last_checkpoint
from puredelta.log.checksum import Checksum, write_checksum
from puredelta.log.snapshot import Snapshot
from puredelta.log.summaries.checkpoint import write_checkpoint
from puredelta.log.summaries.checksum import (
    MAX_COUNTED,
    MAX_DOMAINS,
    MAX_FILES,
    MAX_READ,
    MAX_TRANSACTIONS,
    checksum_of,
    differences,
    next_checksum,
)
from puredelta.log.table_log import TableLog
from puredelta.storage.memory import MemoryStore
from tests.unit.log.logs import METADATA, add, commit, info, metadata, remove, vector

WITH_VECTORS = Protocol(
    min_reader_version=3,
    min_writer_version=7,
    reader_features=["deletionVectors"],
    writer_features=["deletionVectors"],
)


def history(*commits: list[Action], protocol: Protocol = WITH_VECTORS, table=METADATA):
    """Make versions and give for each the snapshot and the checksum that follows."""
    store = MemoryStore()
    log = TableLog(store)
    checksum = None
    for version, actions in enumerate(commits):
        first = [] if version else [table, protocol]
        written = [info(txn_id=f"t-{version}"), *first, *actions]
        commit(store, version, *written)
        snapshot = log.at_version(version)
        checksum = next_checksum(checksum, written, snapshot)
        yield snapshot, checksum


def last(*commits: list[Action], **other) -> tuple[Snapshot, Checksum | None]:
    return list(history(*commits, **other))[-1]


def test_each_checksum_that_follows_is_what_the_log_says():
    steps = [
        [],
        [add("a", size=5), add("b", size=9_000_000)],
        [add("c", vector(1), size=5)],
        [remove_of("b", 9_000_000), remove_of("c", 5, vector(1)), add("c", vector(2), size=5)],
        [
            SetTransaction(app_id="x", version=1),
            DomainMetadata(domain="d", configuration="", removed=False),
        ],
        [remove_of("c", 5, vector(2)), remove_of("a", 5)],
    ]

    for version, (snapshot, checksum) in enumerate(history(*steps)):
        assert differences(checksum, snapshot) == []
        assert checksum == checksum_of(snapshot)
        assert checksum.txn_id == f"t-{version}"


def remove_of(path: str, size: int, dv=None):
    return msgspec.structs.replace(remove(path, dv), size=size)


def test_deletion_vectors_are_counted():
    _, checksum = last([add("a"), add("b", vector(1)), add("c", vector(2))])

    assert (checksum.num_deletion_vectors_opt, checksum.num_deleted_records_opt) == (2, 2)
    assert checksum.deleted_record_counts_histogram_opt.deleted_record_counts[:3] == [1, 2, 0]


def test_table_without_deletion_vectors_does_not_speak_of_them():
    _, checksum = last([add("a")], protocol=Protocol(min_reader_version=1, min_writer_version=2))

    assert checksum.num_deletion_vectors_opt is None
    assert checksum.num_deleted_records_opt is None
    assert checksum.deleted_record_counts_histogram_opt is None


def test_deletion_vectors_are_counted_from_the_version_that_allows_them():
    plain = Protocol(min_reader_version=1, min_writer_version=2)

    snapshot, checksum = last([add("a"), add("b")], [WITH_VECTORS], protocol=plain)

    assert checksum.deleted_record_counts_histogram_opt.deleted_record_counts[0] == 2
    assert differences(checksum, snapshot) == []


def test_time_of_the_commit_is_told_where_the_table_keeps_it():
    timed = metadata(delta_enableInCommitTimestamps="true")
    store = MemoryStore()
    commit(store, 0, info(in_commit_timestamp=77), timed, WITH_VECTORS)

    assert checksum_of(TableLog(store).latest()).in_commit_timestamp_opt == 77


@pytest.mark.parametrize("count", [MAX_FILES, MAX_FILES + 1])
def test_files_are_listed_while_they_are_few(count):
    snapshot, checksum = last([add(f"f{n}") for n in range(count)])

    listed = checksum.all_files
    assert (listed is None) == (count > MAX_FILES)
    assert (checksum_of(snapshot).all_files is None) == (count > MAX_FILES)
    assert not any(file.data_change for file in listed or ())


def test_files_with_long_statistics_are_not_listed():
    _, checksum = last([add(f"f{n}", stats="x" * 100_000) for n in range(3)])

    assert checksum.all_files is None
    assert checksum.num_files == 3


def test_many_transactions_and_domains_are_left_out():
    transactions = [SetTransaction(app_id=f"a{n}", version=1) for n in range(MAX_TRANSACTIONS + 1)]
    domains = [
        DomainMetadata(domain=f"d{n}", configuration="", removed=False)
        for n in range(MAX_DOMAINS + 1)
    ]

    _, checksum = last([*transactions, *domains])

    assert (checksum.set_transactions, checksum.domain_metadata) == (None, None)


@pytest.mark.parametrize(
    "actions",
    [
        pytest.param([add("a", data_change=False)], id="statistics anew"),
        pytest.param([remove("a"), remove("a")], id="one file twice"),
        pytest.param([remove("a"), add("a")], id="the same file out and in"),
        pytest.param([msgspec.structs.replace(remove("a"), size=None)], id="unknown size"),
        pytest.param([remove_of("a", 10_000)], id="a size that it had not"),
        pytest.param([remove("x"), remove("y"), remove("z")], id="more than there are"),
        pytest.param([remove("x")], id="a file that is not there"),
        pytest.param([add("a", size=10)], id="a file that is there"),
    ],
)
def test_commit_that_could_change_counted_files_has_no_checksum_that_follows(actions):
    *_, (_, checksum) = history([add("a"), add("b")], actions)

    assert checksum is None


def test_checksum_without_a_histogram_is_not_followed():
    (_, first), (snapshot, _) = history([add("a")], [add("b")])
    bare = msgspec.structs.replace(first, file_size_histogram=None)

    assert next_checksum(bare, [add("b")], snapshot) is None


def test_checksum_of_a_huge_table_takes_no_longer_to_follow():
    (_, first), (snapshot, _) = history(
        [add("a", size=1)],
        [add("b")],
        protocol=Protocol(min_reader_version=1, min_writer_version=2),
    )
    many = 10**12
    sizes = msgspec.structs.replace(
        first.file_size_histogram,
        file_counts=[many, *[0] * 94],
        total_bytes=[many, *[0] * 94],
    )
    huge = msgspec.structs.replace(
        first, num_files=many, table_size_bytes=many, file_size_histogram=sizes, all_files=None
    )

    assert next_checksum(huge, [add("b")], snapshot).num_files == many + 1


def test_checksum_of_deletions_without_a_histogram_is_not_followed():
    (_, first), (snapshot, _) = history([add("a")], [add("b")])
    bare = msgspec.structs.replace(first, deleted_record_counts_histogram_opt=None)

    assert next_checksum(bare, [add("b")], snapshot) is None


def test_differences_are_told_by_field():
    snapshot, right = last([add("a")])
    wrong = msgspec.structs.replace(right, num_files=5, txn_id="other")

    assert differences(wrong, snapshot) == ["num_files: the checksum has 5, the log 1"]


class TestAfterCommit:
    """The checksums of our own commits, as the log of a table makes them."""

    def test_checksum_follows_without_a_look_at_the_files(self):
        log = TableLog(MemoryStore())
        made = self.make(log, 0, METADATA, WITH_VECTORS, add("a"))
        made = self.make(log, 1, add("b"))

        assert made.made_checksum.num_files == made.num_files == 2
        assert made.live.loaded is None

    def test_base_that_does_not_fit_the_files_is_counted_anew(self):
        log = TableLog(MemoryStore())
        first = self.make(log, 0, METADATA, WITH_VECTORS, add("a"))
        assert first.files.num_rows == 1
        wrong = Checksum(table_size_bytes=0, num_files=0, num_metadata=1, num_protocol=1)
        vars(first)["checksum"] = wrong

        assert self.make(log, 1, add("b")).made_checksum.num_files == 2

    def test_missing_base_of_a_small_table_is_made_up_for(self):
        log = TableLog(MemoryStore())
        commit(log.store, 0, METADATA, WITH_VECTORS, add("a"))
        log.latest()

        assert self.make(log, 1, add("b")).made_checksum.num_files == 2

    @pytest.mark.parametrize(
        ("hint", "known"), [(5, True), (MAX_COUNTED + 1, False), (None, False)]
    )
    def test_missing_base_behind_a_checkpoint_is_made_up_for_when_it_is_small(self, hint, known):
        log = TableLog(MemoryStore())
        commit(log.store, 0, METADATA, WITH_VECTORS, add("a"))
        write_checkpoint(log.latest(), tombstones_since=0)
        write_last_checkpoint(log.store, LastCheckpoint(version=0, size=3, num_of_add_files=hint))
        log = TableLog(log.store)
        log.latest()

        made = self.make(log, 1, add("b")).made_checksum

        assert (made is not None) == known

    def test_missing_base_and_long_commits_are_no_checksum(self):
        log = TableLog(MemoryStore())
        commit(log.store, 0, METADATA, WITH_VECTORS, add("a", stats="x" * MAX_READ))
        log.latest()

        assert self.make(log, 1, add("b")).made_checksum is None

    def test_versions_of_others_in_between_are_bridged_by_their_checksum(self):
        log = TableLog(MemoryStore())
        self.write(log, self.make(log, 0, METADATA, WITH_VECTORS, add("a")))
        other = TableLog(log.store)
        theirs = self.make(other, 1, add("b"))
        self.write(other, theirs)

        ours = self.make(log, 2, add("c"))

        assert ours.made_checksum.num_files == 3
        assert differences(ours.made_checksum, ours) == []

    def test_versions_of_others_without_a_checksum_are_not(self, caplog):
        log = TableLog(MemoryStore())
        self.make(log, 0, METADATA, WITH_VECTORS, add("a"))
        commit(log.store, 1, add("b"))

        with caplog.at_level(logging.WARNING):
            assert self.make(log, 2, add("c")).made_checksum is None

        assert caplog.text == ""

    def make(self, log: TableLog, version: int, *actions: Action) -> Snapshot:
        written = [info(txn_id=f"t-{version}"), *actions]
        commit(log.store, version, *written)
        return log.after_commit(version, written)

    def write(self, log: TableLog, snapshot: Snapshot) -> None:
        assert write_checksum(log.store, snapshot.version, snapshot.made_checksum)
