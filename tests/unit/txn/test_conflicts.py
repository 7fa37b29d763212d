"""Which attempts may follow which winners: the table of the rules, row by row."""

import json
from dataclasses import replace

import pytest

from puredelta.errors import (
    ConcurrentAppendError,
    ConcurrentDeleteDeleteError,
    ConcurrentDeleteReadError,
    ConcurrentTransactionError,
    MetadataChangedError,
    ProtocolChangedError,
)
from puredelta.log.actions import CommitInfo, DomainMetadata, Protocol, SetTransaction
from puredelta.txn.commit_info import SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from puredelta.txn.conflicts import Attempt, first_conflict, version_taken
from puredelta.txn.read_set import ReadSet
from puredelta.txn.winning_commit import WinningCommit
from tests.unit.txn.tables import add, metadata, remove

NOW = Protocol(min_reader_version=1, min_writer_version=2)
NOTHING = ReadSet()
INFO = CommitInfo(operation="DELETE", timestamp=1_704_164_645_000)


def winner(*actions, info=INFO):
    return WinningCommit(7, (info, *actions))


def attempt(*actions, reads=NOTHING, partitioned=True, isolation="Serializable"):
    return Attempt(
        table="db.t",
        reads=reads,
        actions=actions,
        partition_columns=("p",) if partitioned else (),
        protocol=NOW,
        isolation=isolation,
    )


def listed(*features):
    return Protocol(
        min_reader_version=1,
        min_writer_version=7,
        writer_features=["appendOnly", "invariants", *features],
    )


READ_P1 = ReadSet().with_predicate(lambda values: values["p"] == "1", "p = 1")
READ_ALL = ReadSet().with_whole_table()
READ_F = ReadSet().with_files(["f.parquet"])


@pytest.mark.parametrize(
    "theirs", [[add("x")], [remove("x"), add("y")], [add("x", data_change=False)]]
)
def test_blind_append_follows_any_change_of_files(theirs):
    assert first_conflict(attempt(add("mine")), winner(*theirs)) is None


@pytest.mark.parametrize("mine", [[], [add("mine")], [metadata()]])
def test_new_metadata_stops_everyone(mine):
    found = first_conflict(attempt(*mine), winner(metadata()))

    assert isinstance(found, MetadataChangedError)
    assert found.condition == "DELTA_METADATA_CHANGED"
    assert found.parameters["tableName"] == "db.t"


def test_identity_marks_stop_only_other_metadata():
    marks = winner(metadata(), info=CommitInfo(tags={"delta.identity.schemaUpdate": "true"}))

    assert first_conflict(attempt(add("mine")), marks) is None
    assert isinstance(first_conflict(attempt(metadata()), marks), MetadataChangedError)


def test_numbering_rows_is_no_change_of_the_table_to_blind_appends():
    numbering = attempt(metadata(), add("mine"), reads=READ_ALL, isolation=WRITE_SERIALIZABLE)
    appended = winner(add("x"), info=CommitInfo(is_blind_append=True))

    assert isinstance(first_conflict(numbering, appended), ConcurrentAppendError)
    assert first_conflict(replace(numbering, numbers_rows=True), appended) is None
    assert isinstance(
        first_conflict(replace(numbering, isolation="Serializable", numbers_rows=True), appended),
        ConcurrentAppendError,
    )


def test_two_who_number_rows_never_pass_each_other():
    numbering = replace(attempt(metadata(), add("mine")), numbers_rows=True)
    marks = CommitInfo(is_blind_append=True, tags={"delta.identity.schemaUpdate": "true"})

    assert isinstance(
        first_conflict(numbering, winner(metadata(), add("x"), info=marks)), MetadataChangedError
    )
    assert first_conflict(numbering, winner(add("x"))) is None
    assert first_conflict(attempt(add("mine")), winner(metadata(), add("x"), info=marks)) is None


def test_harmless_protocol_change_lets_others_pass():
    assert first_conflict(attempt(add("mine")), winner(listed("vacuumProtocolCheck"))) is None


@pytest.mark.parametrize("features", [["clustering"], ["mystery"]])
def test_grave_feature_stops_others(features):
    found = first_conflict(attempt(add("mine")), winner(listed(*features)))

    assert isinstance(found, ProtocolChangedError)


def test_dropped_feature_stops_others():
    lower = Protocol(min_reader_version=1, min_writer_version=1)

    assert isinstance(first_conflict(attempt(add("mine")), winner(lower)), ProtocolChangedError)


def test_two_protocol_changes_never_pass():
    mine = attempt(listed("domainMetadata"))

    assert isinstance(
        first_conflict(mine, winner(listed("vacuumProtocolCheck"))), ProtocolChangedError
    )


def test_table_that_another_created_is_a_protocol_change():
    mine = Attempt(table="t", reads=ReadSet(), actions=(NOW, metadata()))

    found = first_conflict(mine, winner(NOW, metadata()))

    assert isinstance(found, ProtocolChangedError)
    assert "created the table first" in found.message


def test_added_file_in_a_read_partition_is_a_conflict():
    found = first_conflict(attempt(remove("mine"), reads=READ_P1), winner(add("x", p="1")))

    assert isinstance(found, ConcurrentAppendError)
    assert found.condition == "DELTA_CONCURRENT_APPEND.WITH_PARTITION_HINT"
    assert found.parameters["partitionValues"] == "[p=1]"
    assert found.parameters["version"] == "7"
    assert found.parameters["operation"] == "DELETE"
    assert "2024-01-02 03:04:05 UTC" in found.message


def test_conflict_names_partition_columns_as_users_do():
    mine = replace(attempt(remove("mine"), reads=READ_P1), partition_names=("the part",))

    found = first_conflict(mine, winner(add("x")))

    assert found.parameters["partitionValues"] == "[the part=1]"


def test_added_file_in_another_partition_passes():
    assert first_conflict(attempt(remove("mine"), reads=READ_P1), winner(add("x", p="2"))) is None


def test_unpartitioned_tables_overlap_with_everything():
    mine = attempt(remove("mine"), reads=READ_P1, partitioned=False)

    found = first_conflict(mine, winner(add("x", partitioned=False)))

    assert isinstance(found, ConcurrentAppendError)
    assert found.condition == "DELTA_CONCURRENT_APPEND.WITHOUT_HINT"


def test_reader_of_the_whole_table_meets_any_file():
    mine = attempt(reads=READ_ALL)

    assert isinstance(first_conflict(mine, winner(add("x", p="9"))), ConcurrentAppendError)
    assert isinstance(first_conflict(mine, winner(remove("x", p="9"))), ConcurrentDeleteReadError)


def test_reader_of_files_alone_overlooks_new_ones():
    assert first_conflict(attempt(remove("f"), reads=READ_F), winner(add("x"))) is None


def test_moving_rows_overlooks_new_files():
    mine = attempt(remove("mine"), reads=READ_P1, isolation=SNAPSHOT_ISOLATION)

    assert first_conflict(mine, winner(add("x", p="1"))) is None


def test_removed_file_that_was_read_is_a_conflict():
    found = first_conflict(attempt(add("mine"), reads=READ_F), winner(remove("f", p=None)))

    assert isinstance(found, ConcurrentDeleteReadError)
    assert found.parameters["partitionValues"] == "[p=null]"


def test_file_that_both_remove_is_a_conflict():
    found = first_conflict(attempt(remove("f")), winner(remove("f")))

    assert isinstance(found, ConcurrentDeleteDeleteError)


def test_files_that_differ_pass():
    assert first_conflict(attempt(remove("f")), winner(remove("g"))) is None


def test_paths_are_compared_decoded():
    found = first_conflict(attempt(remove("a%20b")), winner(remove("a b")))

    assert isinstance(found, ConcurrentDeleteDeleteError)


def test_first_rule_that_hits_names_the_conflict():
    mine = attempt(remove("f"), reads=READ_P1.with_files(["f.parquet"]))

    assert isinstance(first_conflict(mine, winner(remove("f"), add("g"))), ConcurrentAppendError)
    assert isinstance(first_conflict(mine, winner(remove("f"))), ConcurrentDeleteReadError)


@pytest.mark.parametrize(
    "mine",
    [
        {"reads": ReadSet().with_app("q")},
        {"actions": (SetTransaction(app_id="q", version=3),)},
    ],
)
def test_same_application_is_a_conflict(mine):
    started = Attempt(table="t", protocol=NOW, **{"reads": ReadSet(), **mine})

    found = first_conflict(started, winner(SetTransaction(app_id="q", version=3)))

    assert isinstance(found, ConcurrentTransactionError)
    assert first_conflict(started, winner(SetTransaction(app_id="other", version=3))) is None


def test_same_domain_is_a_conflict_but_for_row_tracking():
    def domain(name):
        return DomainMetadata(domain=name, configuration="{}", removed=False)

    assert isinstance(
        first_conflict(attempt(domain("d")), winner(domain("d"))), ConcurrentTransactionError
    )
    assert first_conflict(attempt(domain("d")), winner(domain("e"))) is None
    rows = domain("delta.rowTracking")
    assert first_conflict(attempt(rows), winner(rows)) is None


def test_single_attempt_names_the_commit_that_took_the_version():
    found = version_taken(winner(add("x")))

    told = json.loads(found.parameters["conflictingCommit"])
    assert told == {"version": 7, "operation": "DELETE", "timestamp": 1_704_164_645_000}


def test_winner_that_says_nothing_is_told_all_the_same():
    found = first_conflict(attempt(remove("f")), WinningCommit(3, (remove("f"),)))

    assert "unknown operation" in found.message
    assert "unknown time" in found.message


def blind(*actions):
    return winner(*actions, info=CommitInfo(operation="WRITE", is_blind_append=True))


@pytest.mark.parametrize(
    ("isolation", "stopped"),
    [("Serializable", True), ("WriteSerializable", False), (SNAPSHOT_ISOLATION, False)],
)
def test_blind_append_to_what_was_read_depends_on_the_isolation(isolation, stopped):
    mine = attempt(remove("mine"), reads=READ_P1, isolation=isolation)

    found = first_conflict(mine, blind(add("x", p="1")))

    assert isinstance(found, ConcurrentAppendError) is stopped


def test_append_that_read_something_counts_under_write_serializable():
    mine = attempt(remove("mine"), reads=READ_P1, isolation=WRITE_SERIALIZABLE)
    theirs = winner(add("x", p="1"), info=CommitInfo(is_blind_append=False))

    assert isinstance(first_conflict(mine, theirs), ConcurrentAppendError)
    assert isinstance(first_conflict(mine, winner(add("x", p="1"))), ConcurrentAppendError)


def test_who_only_calls_itself_a_blind_append_is_none():
    mine = attempt(remove("mine"), reads=READ_P1, isolation=WRITE_SERIALIZABLE)

    found = first_conflict(mine, blind(remove("x", p="1"), add("y", p="1")))

    assert isinstance(found, ConcurrentAppendError)


def test_metadata_change_meets_blind_appends_under_write_serializable():
    mine = attempt(metadata(), reads=READ_ALL, isolation=WRITE_SERIALIZABLE)

    assert isinstance(first_conflict(mine, blind(add("x", p="1"))), ConcurrentAppendError)


def under(before, *actions, protocol=NOW):
    return Attempt(table="t", reads=NOTHING, actions=actions, metadata=before, protocol=protocol)


def test_harmless_metadata_lets_others_pass_who_change_none():
    vectors = Protocol(
        min_reader_version=3,
        min_writer_version=7,
        reader_features=["deletionVectors"],
        writer_features=["deletionVectors"],
    )
    turned_on = winner(metadata(**{"delta.enableDeletionVectors": "true"}))

    assert first_conflict(under(metadata(), add("x"), protocol=vectors), turned_on) is None
    for mine in (
        under(metadata(), add("x")),
        under(metadata(), metadata(), protocol=vectors),
        under(None, add("x"), protocol=vectors),
    ):
        assert isinstance(first_conflict(mine, turned_on), MetadataChangedError)


def test_replaced_table_takes_domains_with_it():
    domain = DomainMetadata(domain="d", configuration="{}", removed=False)
    mine = Attempt(table="t", reads=NOTHING, actions=(domain,), protocol=NOW, replaces_table=True)

    assert first_conflict(mine, winner(domain)) is None


def backfill(*actions):
    return winner(*actions, info=CommitInfo(operation="ROW TRACKING BACKFILL"))


def test_backfill_adds_nothing_that_others_would_have_read():
    mine = attempt(remove("mine"), reads=READ_ALL)

    assert first_conflict(mine, backfill(add("x", data_change=False))) is None


@pytest.mark.parametrize("actions", [[add("x")], [remove("x", data_change=False)]])
def test_what_only_calls_itself_a_backfill_is_none(actions):
    assert first_conflict(attempt(reads=READ_ALL), backfill(*actions)) is not None


def test_backfill_follows_whatever_happens_to_files():
    mine = Attempt(
        table="t",
        reads=READ_ALL.with_files(["x.parquet"]),
        actions=(add("x", data_change=False),),
        protocol=NOW,
        isolation=SNAPSHOT_ISOLATION,
        is_backfill=True,
    )

    assert first_conflict(mine, winner(remove("x"), add("y"))) is None
    assert isinstance(first_conflict(mine, winner(metadata())), MetadataChangedError)


def test_conflict_names_the_files_the_time_and_the_remedy():
    files = [remove(f"f{number}") for number in range(5)]

    found = first_conflict(attempt(reads=READ_ALL), winner(*files))

    assert "f0.parquet, f1.parquet, f2.parquet and 2 more" in found.message
    for part in ("DELETE", "version 7", "2024-01-02 03:04:05 UTC", "[p=1]", "Run it again"):
        assert part in found.message


@pytest.mark.parametrize(
    ("mine", "theirs", "remedy"),
    [
        (attempt(), winner(metadata()), "Run it again"),
        (
            attempt(listed("domainMetadata")),
            winner(listed("vacuumProtocolCheck")),
            "Run it again",
        ),
        (
            attempt(reads=ReadSet().with_app("q")),
            winner(SetTransaction(app_id="q", version=3)),
            "check that no second copy of it runs",
        ),
    ],
)
def test_other_conflicts_name_version_operation_time_and_remedy(mine, theirs, remedy):
    found = first_conflict(mine, theirs)

    assert "version 7, DELETE, 2024-01-02 03:04:05 UTC" in found.message
    assert remedy in found.message


def test_absurd_times_are_told_as_they_are():
    absurd = WinningCommit(1, (CommitInfo(operation="WRITE", timestamp=10**30),))

    assert absurd.time == f"{10**30} ms since 1970"
