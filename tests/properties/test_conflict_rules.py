"""Conflict rules equal serial execution: who passes would have done the same, coming later."""

from hypothesis import given
from hypothesis import strategies as st

from puredelta.log.actions import Protocol
from puredelta.txn.conflicts import Attempt, first_conflict
from puredelta.txn.read_set import ReadSet
from puredelta.txn.winning_commit import WinningCommit
from tests.properties.table_strategies import add_of, file_changes, remove_of

PROTOCOL = Protocol(min_reader_version=1, min_writer_version=2)
PARTITIONS = st.sets(st.sampled_from(["1", "2", None]))


def play(live, change):
    """Apply a commit to a set of files: only what is there leaves, only what is new joins."""
    added, removed = change
    leaving = live & set(removed)
    joining = set(added) - live
    actions = [remove_of(*one) for one in sorted(leaving, key=str)]
    actions += [add_of(*one) for one in sorted(joining, key=str)]
    return (live - leaving) | joining, actions


def matching(live, partitions):
    return {one for one in live if one[1] in partitions}


def attempt_on(live, partitions, removed):
    reads = ReadSet().with_predicate(lambda values: values["p"] in partitions, "p in ...")
    read = matching(live, partitions)
    return Attempt(
        table="t",
        reads=reads.with_files(f"{name}-{p}.parquet" for name, p in read),
        actions=tuple(remove_of(*one) for one in read & set(removed)),
        partition_columns=("p",),
        protocol=PROTOCOL,
    )


@given(file_changes(), st.lists(file_changes(), max_size=4), PARTITIONS, file_changes())
def test_who_passes_reads_the_same_after_the_winners(start, winners, partitions, mine):
    live, _ = play(set(), start)
    attempt = attempt_on(live, partitions, mine[1])

    now, conflict = live, None
    for version, change in enumerate(winners, start=1):
        now, actions = play(now, change)
        conflict = conflict or first_conflict(attempt, WinningCommit(version, tuple(actions)))

    if conflict is None:
        assert matching(now, partitions) == matching(live, partitions)
        assert {f"{name}-{p}.parquet" for name, p in now} >= attempt.removed_paths


@given(file_changes(), st.lists(file_changes(), max_size=4), PARTITIONS, file_changes())
def test_who_is_stopped_would_have_met_a_change(start, winners, partitions, mine):
    live, _ = play(set(), start)
    attempt = attempt_on(live, partitions, mine[1])

    now = live
    touched = set()
    stopped = False
    for version, change in enumerate(winners, start=1):
        before = now
        now, actions = play(now, change)
        touched |= matching(before ^ now, partitions)
        stopped = (
            stopped or first_conflict(attempt, WinningCommit(version, tuple(actions))) is not None
        )

    assert stopped == bool(touched)


@given(st.lists(file_changes(), max_size=4))
def test_blind_append_is_never_stopped_by_files(winners):
    attempt = Attempt(
        table="t",
        reads=ReadSet(),
        actions=(add_of(99, "1"),),
        partition_columns=("p",),
        protocol=PROTOCOL,
    )
    live = set()
    for version, change in enumerate(winners, start=1):
        live, actions = play(live, change)

        assert first_conflict(attempt, WinningCommit(version, tuple(actions))) is None
